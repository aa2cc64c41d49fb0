"""Every sentence of ours stands in English and Chinese, with the same fields and one word for one thing."""

import re
import string
import tomllib
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
    "claims.toml",
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


def leaves(english, chinese, name):
    """Yield the sentences of two tables, (name, English, Chinese); one that the other lacks is None."""
    if isinstance(english, dict) and isinstance(chinese, dict):
        for key in {**english, **chinese}:
            yield from leaves(english.get(key), chinese.get(key), f"{name}.{key}")
    else:
        yield name, english, chinese


def pairs(table, name):
    """Yield what stands in `table` under "en" or "en_…" and under "zh" or "zh_…"."""
    for key, value in table.items():
        if (chinese := re.sub(r"^en(?=$|_)", "zh", key)) != key:
            yield from leaves(value, table.get(chinese), f"{name}.{key}")
        elif isinstance(value, dict):
            yield from pairs(value, f"{name}.{key}")


TABLES = {path: tomllib.loads(path.read_text(encoding="utf-8")) for path in SENTENCES}
PAIRS = [pair for path, table in TABLES.items() for pair in pairs(table, path.relative_to(FOLDER))]
TEXTS = [pair for pair in PAIRS if isinstance(pair[1], str)]


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@each("name, english, chinese", PAIRS)
def test_a_sentence_is_in_both_languages_with_the_same_fields(name, english, chinese):
    assert type(english) is type(chinese)
    assert not isinstance(english, str) or fields(english) == fields(chinese)


@each("name, english, chinese", TEXTS, share=0.95)  # the others are fields, symbols and names alone
def test_the_chinese_is_chinese_and_the_english_is_not(name, english, chinese):
    assert re.search("[\u4e00-\u9fff]", chinese) and not re.search("[\u4e00-\u9fff]", english)


@each("path", SENTENCES)
def test_our_sentences_use_one_chinese_word_for_one_thing(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    said = "\n".join(line for line in lines if not line.startswith(("#", "skip =")) and "(?:" not in line)
    found = [f"{word}: write {ours}" for word, ours in OTHERS.items() if word in said]
    assert not found


def test_the_words_on_charts_are_those_of_the_sentences():
    from instrumentgpt.instruments.charts.frame import word as on_charts
    from instrumentgpt.instruments.wording import field as in_sentences

    for name in ("pv", "setpoint", "output"):
        assert on_charts(name, "zh") == in_sentences(name, "zh")
