"""Which statements are found in an answer, in both languages, and which must not be."""

import pytest
from spent import pieces

from instrumentgpt.text.statements import log_names, same, statements

LOG_LINE = "[2026-02-19 23:24:45] "


def stated(text: str) -> list[tuple[str, str]]:
    """Return what is stated to be so; what is ruled out has its own test."""
    return [(row.kind, row.text) for row in statements(text) if row.kind != "ruled_out"]


@pytest.mark.parametrize(
    "text, cause",
    [
        ("**Root cause**: heater 3 is open circuit. Replace it.", "heater 3 is open circuit"),
        ("Root cause: heater 3 is open", "heater 3 is open"),
        ("**Root cause:** SSR stuck on", "SSR stuck on"),
        ("*Root cause:* the fan", "the fan"),
        ("**Root cause: heater 2 open**", "heater 2 open"),
        ("ROOT CAUSE - relay welded", "relay welded"),
        ("- **Root cause** — relay welded", "relay welded"),
        ("1. Root cause (confirmed): relay welded", "relay welded"),
        ("🔍 **Root cause:** relay welded", "relay welded"),
        ("Confirmed root cause: relay welded", "relay welded"),
        ("## Root cause\n\nThe relay is welded.\n\nReplace it.", "The relay is welded"),
        ("**Root cause**\n- relay welded", "relay welded"),
        ("| Root cause | relay welded |\n|---|---|", "relay welded"),
        ("The root cause is a welded relay.", "a welded relay"),
        ("So the root cause of the oscillation was a high kp.", "a high kp"),
        ("It oscillates. The root cause turned out to be a high kp.", "a high kp"),
        ("A loose thermocouple is the root cause.", "A loose thermocouple"),
        ("Root cause: heater open; sensor drift ruled out", "heater open; sensor drift ruled out"),
        ("Root cause: no current reaches heater 3", "no current reaches heater 3"),
        ("根因：加熱器開路。", "加熱器開路"),
        ("**根因**：加熱器開路", "加熱器開路"),
        ("根本原因: kp 太高", "kp 太高"),
        ("根本原因是 kp 太高，導致振盪。", "kp 太高，導致振盪"),
        ("溫度波動的根本原因是加熱器老化。", "加熱器老化"),
        ("因此，根因是繼電器黏住", "繼電器黏住"),
        ("温度波动的根本原因是加热器老化。", "加热器老化"),
        ("感測器鬆脫就是根因。", "感測器鬆脫"),
        ("### 3. 根因\n加熱器老化", "加熱器老化"),
        ("故障原因：風扇停轉", "風扇停轉"),
        ("The culprit is the loose connector.", "the loose connector"),
        ("It all comes down to a loose connector on heater 3.", "a loose connector on heater 3"),
        ("The oscillation is caused by a worn relay.", "a worn relay"),
        ("The swing stems from a high kp.", "a high kp"),
        ("問題出在加熱器 3 的接頭鬆脫。", "加熱器 3 的接頭鬆脫"),
        ("元凶是接頭鬆脫。", "接頭鬆脫"),
        ("這個波動是由繼電器老化造成的。", "繼電器老化"),
        ("波動源自於繼電器老化。", "繼電器老化"),
    ],
)
def test_root_causes_are_found_as_they_are_written(text, cause):
    assert stated(text) == [("root_cause", cause)]


@pytest.mark.parametrize(
    "text, hypothesis",
    [
        ("Hypothesis: kp is too high", "kp is too high"),
        ("- **Hypothesis 1**: kp is too high", "kp is too high"),
        ("Possible cause: a worn fan", "a worn fan"),
        ("Most likely cause: a worn fan", "a worn fan"),
        ("Likely: a worn fan", "a worn fan"),
        ("Root cause: probably the fan", "the fan"),
        ("The root cause is most likely the fan", "the fan"),
        ("The possible cause is a stuck relay.", "a stuck relay"),
        ("I suspect that the relay sticks.", "the relay sticks"),
        ("The oscillation may be caused by a sticking relay.", "a sticking relay"),
        ("May be caused by: a sticking relay", "a sticking relay"),
        ("Hypotheses:\n- loose sensor", "loose sensor"),
        ("假設：kp 過高", "kp 過高"),
        ("假设：kp 过高", "kp 过高"),
        ("**可能原因**：風扇故障", "風扇故障"),
        ("最可能的原因：繼電器", "繼電器"),
        ("我們懷疑繼電器黏住。", "繼電器黏住"),
        ("根因可能是繼電器黏住", "繼電器黏住"),
        ("可能是由風扇停轉造成的", "風扇停轉"),
        ("## 可能原因\n1. 風扇停轉", "風扇停轉"),
    ],
)
def test_hypotheses_are_found_as_they_are_written(text, hypothesis):
    assert stated(text) == [("hypothesis", hypothesis)]


@pytest.mark.parametrize(
    "text, findings",
    [
        (
            "Key findings:\n- PID controller stable, PI-dominant (kd ≈ 0)\n- Temperature oscillation ±0.15°C",
            ["PID controller stable, PI-dominant (kd ≈ 0)", "Temperature oscillation ±0.15°C"],
        ),
        ("**Key findings**\n\n- **Output** saturates", ["Output saturates"]),
        (
            "### Findings\n1. output saturates\n2. door opened twice",
            ["output saturates", "door opened twice"],
        ),
        ("主要發現：\n- 溫度波動 ±0.15°C\n- 輸出穩定", ["溫度波動 ±0.15°C", "輸出穩定"]),
        ("## 主要发现\n• 温度波动", ["温度波动"]),
        ("Finding: output saturates", ["output saturates"]),
        ("結論：溫控正常", ["溫控正常"]),
        ("- PID controller stable, PI-dominant (kd ≈ 0)", ["PID controller stable, PI-dominant (kd ≈ 0)"]),
        (
            "- **Temperature oscillation ±0.15°C** within band",
            ["Temperature oscillation ±0.15°C within band"],
        ),
    ],
)
def test_findings_are_found_bold_or_not(text, findings):
    assert stated(text) == [("finding", finding) for finding in findings]


@pytest.mark.parametrize(
    "text",
    [
        "It is unlikely: the sensor",
        "Unlikely: the fan",
        "Unlikely cause: the fan",
        "Not the root cause: the fan",
        "The fan is not the root cause.",
        "The fan isn't the root cause.",
        "Ruled out: sensor drift",
        "Ruled out:\n- sensor drift of ±0.2 °C\n- the fan at 30 %",
        "Hypotheses:\n- the fan — ruled out\n- ~~kp too high~~\n- sensor drift was ruled out by line 4",
        "The root cause is unknown.",
        "Root cause: not yet identified",
        "Root cause: unknown",
        "Root cause: not the heater",
        "We found no root cause.",
        "The root cause could not be determined.",
        "已排除：感測器漂移",
        "排除的原因：感測器漂移",
        "加熱器不是根因。",
        "根因不是感測器",
        "根因：尚未確認",
        "根因：未知",
        "假設：風扇停轉（已排除）",
        "可能原因：風扇停轉，已排除",
    ],
)
def test_what_is_denied_is_not_stated(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text, out",
    [
        ("Ruled out: sensor drift.", ["sensor drift"]),
        ("**Ruled out**: sensor drift", ["sensor drift"]),
        ("Ruled out:\n- sensor drift\n- the fan", ["sensor drift", "the fan"]),
        ("Hypothesis: the fan was ruled out by line 4", ["the fan"]),
        ("Hypotheses:\n- the fan — ruled out\n- a worn relay", ["the fan"]),
        ("已排除：感測器漂移", ["感測器漂移"]),
        ("## 已排除的原因\n- 風扇停轉", ["風扇停轉"]),
        ("假設：風扇停轉（已排除）", ["風扇停轉"]),
        ("可能原因：風扇停轉已被排除", ["風扇停轉"]),
        ("已排除：\n\n- 不是致動器：輸出擺幅 ±50 %\n- 並非雜訊", ["致動器：輸出擺幅 ±50 %", "雜訊"]),
        (
            "Ruled out:\n\n- Not the actuator: it meets a limit\n- not due to the fan",
            ["actuator: it meets a limit", "fan"],
        ),
        ("已排除：不是風扇停轉", ["風扇停轉"]),
        ("已排除：\n- 無\n- 尚未確認", []),
        ("Ruled out:\n- nothing yet\n- not yet determined", []),
        ("Ruled out: none", []),
        ("Ruled out: the fan?", []),
    ],
)
def test_what_is_ruled_out_is_told_apart(text, out):
    assert [row.text for row in statements(text) if row.kind == "ruled_out"] == out


@pytest.mark.parametrize(
    "text",
    [
        "Is the root cause the heater?",
        "Root cause: the heater?",
        "Could the root cause be the heater?",
        "根因是加熱器嗎？",
        "根因：加熱器？",
        "可能原因：風扇？",
        "If the root cause is the heater, replace it.",
        "如果根因是加熱器，就換掉它。",
        "假設根因是加熱器，那麼輸出會飽和。",
        "You asked whether the root cause is the fan.",
        "I don't think the fan is the root cause.",
        "This is the root cause.",
    ],
)
def test_what_is_asked_or_supposed_is_not_stated(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '"Root cause: x" says the log.',
        "“Root cause: the fan” is what the operator wrote.",
        "Root cause: “the fan”, as the operator wrote",
        "> Root cause: the fan",
        "```\nRoot cause: the fan\n```",
        "~~~text\n根因：風扇\n~~~",
        f"{LOG_LINE}Root cause: the fan",
        f"{LOG_LINE}ERROR 根因：風扇",
        "The operator wrote: Root cause: the fan",
    ],
)
def test_what_is_quoted_or_stands_in_code_or_logs_is_not_stated(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Root cause analysis follows below.",
        "Next steps:\n- set kp to 0.12 ±0.01\n- wait 30 min",
        "## 下一步\n- 把 kp 調到 0.12 ±0.01",
        "- open the door",
        "The temperature is 37.0 °C.",
        "",
        "Root cause:",
        "根因：",
    ],
)
def test_advice_and_plain_prose_state_nothing(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text, out",
    [
        ("The blocked fan was ruled out because it runs at 4,017 rpm.", "The blocked fan"),
        ("We can rule out the fan: it runs at 4,017 rpm.", "the fan"),
        ("The resistance is 22 ohm, so this rules out an open heater.", "an open heater"),
        ("The hypothesis that the fan is blocked is refuted by the rpm.", "the fan is blocked"),
        ("The fan theory does not hold: rpm is stable.", "fan"),
        ("排除風扇堵塞，因為轉速正常。", "風扇堵塞"),
        ("风扇堵塞的假设已被推翻。", "风扇堵塞"),
        ("電阻正常，因此排除加熱器開路的可能性。", "加熱器開路"),
    ],
)
def test_what_a_sentence_rules_out_is_found_with_its_reason(text, out):
    assert [(row.kind, row.text, row.told) for row in statements(text)] == [("ruled_out", out, text)]


@pytest.mark.parametrize(
    "text",
    [
        "We cannot rule out the fan.",
        "The fan has not been ruled out.",
        "Can we rule out the fan?",
        "Next, rule out the relay.",
        "If the current is stable, the relay is ruled out.",
        "Samples outside the band were excluded.",
        "不能排除風扇堵塞。",
        "風扇堵塞無法排除。",
        "尚未排除風扇堵塞的可能。",
        "建議先排除繼電器問題。",
        "請排除故障。",
        "The oscillation is not caused by a worn relay.",
        "If the oscillation is caused by a worn relay, replace it.",
        "The reading comes from channel 3.",
        "波動是否源自於繼電器老化？",
        "這個波動不是由繼電器老化造成的。",
        "這個波動可能是由繼電器老化造成的。",
        "問題是我們沒有紀錄。",
    ],
)
def test_what_is_not_or_not_yet_so_is_neither_out_nor_a_cause(text):
    assert [row for row in statements(text) if row.kind in ("ruled_out", "root_cause")] == []


def test_one_paragraph_follows_a_heading_of_a_cause_and_no_more():
    assert stated("## Root cause\nThe relay is welded.\nIt was bought in 2019.") == [
        ("root_cause", "The relay is welded")
    ]


def test_a_statement_made_twice_is_found_once():
    assert stated("Root cause: Relay welded.\n\n**Root cause**: relay welded") == [
        ("root_cause", "Relay welded")
    ]


def test_a_statement_is_a_sentence_and_not_a_page():
    assert len(stated("Finding: " + "word " * 300)[0][1]) <= 300


@pytest.mark.parametrize(
    "one, other", [("Relay welded.", "relay  welded"), ("ＫＰ＝1", "kp=1"), ("溫度 波動", "溫度波動")]
)
def test_texts_that_differ_in_dress_only_are_the_same(one, other):
    assert same(one) == same(other)


@pytest.mark.parametrize(
    "text, names",
    [
        ("InstrumentDebug_2026-02-19_23-24-45.39.log", ["InstrumentDebug_2026-02-19_23-24-45.39.log"]),
        ("下載InstrumentDebug_2026-02-19_23-24-45.39.log了", ["InstrumentDebug_2026-02-19_23-24-45.39.log"]),
        ("(`a.log`), /cache/zspr_052/b.log.gz; http://h/c.csv.", ["a.log", "b.log.gz", "c.csv"]),
        ("b.log a.log b.log", ["a.log", "b.log"]),
        ("x.log.1 and *.log and .log and a.logger", ["x.log.1"]),
    ],
)
def test_004_11_log_names_are_found_in_the_order_of_their_last_mention(text, names):
    assert log_names(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "a." * 300_000,
        "the " * 150_000,
        "The root cause of " * 30_000,
        "根因" * 200_000,
        "- " * 300_000,
        "*" * 500_000,
    ]
    + ["the x is " * 200 + "\n" for _ in range(1)],
)
def test_half_a_megabyte_of_trouble_is_read_in_time(text):
    assert pieces(lambda: (statements(text), log_names(text))) < 130


def test_what_is_ruled_out_is_kept_in_the_words_that_said_so():
    [row] = statements("已排除：\n- 不是致動器：輸出擺幅 ±50 %")
    assert row.told == "不是致動器：輸出擺幅 ±50 %"
