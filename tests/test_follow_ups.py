"""After an answer stand only questions that fit what was found."""

from cases import each

from instrumentgpt.analyst.follow_ups import QUESTIONS, follow_ups
from instrumentgpt.instruments.devices import load_inventory
from memory import DiagnosticState

TOO_HIGH = (
    "Channel 2: pv swings by ±2.71 °C every 45 s over 38 cycles; the output meets a limit in 100 % of them"
)
CAUSE = (
    "The gains of channel 2 are too high for its plant: kp 50, ki 0.6 make it swing by ±2.71 °C every 45 s"
)


def state(**more) -> DiagnosticState:
    return DiagnosticState(device_name="zspr 053", device_ip="10.1.1.112", **more)


@each("language", ["en", "zh"])
@each(
    "known, offered",
    [
        (state(), "raise"),
        (state(findings=[TOO_HIGH]), "tune"),
        (state(root_causes=["Oscillation from the gains"]), "tune"),
        (state(root_causes=["通道 2 增益造成的振盪"]), "tune"),
        (state(root_causes=["Sensor open on channel 1"]), "evidence"),
    ],
)
def test_a_gain_that_is_too_high_or_not_the_cause_is_not_to_be_raised(known, offered, language):
    asked = follow_ups(known, language)
    gains = [name for name in ("raise", "tune", "evidence") if QUESTIONS[name][language] in asked]
    assert gains == [offered]


def test_a_log_that_was_brought_has_none_before_it():
    brought = DiagnosticState(device_name="pasted log 1", last_log_file="pasted-1.log")
    assert QUESTIONS["compare"]["en"] not in follow_ups(brought, "en")
    assert QUESTIONS["compare"]["en"] in follow_ups(state(), "en")


@each(
    "question, offered",
    [
        ("why does it swing?", "zspr 052: why does it swing?"),
        ("畫出溫度曲線", "zspr 050: 畫出溫度曲線"),
        ("what is wrong with 10.1.1.109?", "what is wrong with 10.1.1.108?"),
        ("zpsr 53 is hot", "zspr 053 is hot"),
        ("zsrp052為什麼溫度波動？", "zspr 052為什麼溫度波動？"),
        ("why is the zspr hot?", "zspr 050: why is the zspr hot?"),  # a common noun is no misspelt device
    ],
)
def test_what_a_question_left_open_is_a_button_for_each_that_may_be_meant(question, offered):
    inventory = load_inventory("demo/devices.toml")
    assert offered in follow_ups(DiagnosticState(), "en", question, inventory)


def test_the_other_gains_and_the_channel_that_was_found_are_offered():
    asked = follow_ups(state(), "en", "can kp be raised?", load_inventory("demo/devices.toml"))
    assert asked[:2] == ["And ki?", "And kd?"]
    found = state(findings=[TOO_HIGH])
    assert "Plot channel 2" in follow_ups(found, "en", "why?", load_inventory("demo/devices.toml"))
