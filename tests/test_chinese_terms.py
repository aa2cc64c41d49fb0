"""One Chinese word for one thing, in every sentence that we write."""

from pathlib import Path

from cases import each

import instrumentgpt

FOLDER = Path(instrumentgpt.__file__).parent
PATTERNS = {
    "questions.toml",
    "terms.toml",
    "columns.toml",
    "key-value.toml",
    "approval.toml",
    "constraints.toml",
    "held.toml",
    "measures.toml",
    "synonyms.toml",
}  # what people and logs write, not what we say
SENTENCES = sorted(path for path in FOLDER.rglob("*.toml") if path.name not in PATTERNS)
OTHERS = {  # what we do not write → what we write
    "紀錄": "記錄",
    "日誌": "記錄",
    "量測值": "實際值",
    "測量值": "實際值",
    "過程值": "實際值",
    "設定點": "設定值",
    "目標值": "設定值",
    "輸出值": "輸出",
    "超調": "過衝",
    "周期": "週期",
    "頻道": "通道",
    "溫控": "溫度控制",
    "传": "傳",
    "设": "設",
    "输": "輸",
    "过": "過",
    "为": "為",
    "这": "這",
    "记": "記",
}


@each("path", SENTENCES)
def test_our_sentences_use_one_chinese_word_for_one_thing(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    said = "\n".join(line for line in lines if not line.startswith(("#", "skip =")) and "(?:" not in line)
    found = [f"{word}: write {ours}" for word, ours in OTHERS.items() if word in said]
    assert not found


def test_the_words_on_charts_are_those_of_the_sentences():
    from instrumentgpt.instruments.charts.words import WORDS as on_charts
    from instrumentgpt.instruments.wording import WORDS as in_sentences

    for name in ("pv", "setpoint", "output"):
        assert on_charts[name]["zh"] == in_sentences["zh"][name]
