"""Questions as people put them: whether it may run, how sure that is, which stretch, which channel."""

import math
import re

import pytest
from cases import each
from faulty_logs import ONSET, written
from offline_case import asked, state_after

from instrumentgpt.analyst.questions import devices_in, read_question, spelled
from instrumentgpt.analyst.remembered import is_done
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.memory.reading.statements import statements
from instrumentgpt.settings import CHECKOUT


@each(
    "fault, question, told",
    [
        ("runaway", "is it safe to leave it running?", "not safe to let it run"),
        ("sensor_open", "is it safe to let it run?", "not safe to let it run: Sensor open"),
        ("runaway", "可以放著跑過夜嗎？", "讓它繼續運轉不安全"),
        ("sensor_spike", "can I leave it on over the weekend?", "shows no danger, but not that all is well"),
        ("healthy", "哪裡有問題，可以繼續用嗎？", "沒有任何不宜運轉的跡象"),
        ("healthy", "may I stop it now?", "nothing that speaks against running it"),
        ("insufficient_data", "is it dangerous?", "cannot tell whether it is safe"),
    ],
)
def test_whether_it_may_run_is_told_by_the_gravest_finding_and_what_no_log_sees(
    tmp_path, fault, question, told
):
    text = asked(question, tmp_path, attachments=(str(written(fault, tmp_path)),)).text
    assert told in text and ("over-temperature" in text or "過溫保護" in text)


@each(
    "question, told",
    [
        ("is 054 a loose wire?", "**Left open: a loose contact.**"),
        ("051 是加熱器壞了嗎？", "**尚無定論：加熱或冷卻失效。**"),
        ("051: could it be the power supply?", "**Left open: the supply.**"),
        (
            "is 055 overshooting because of ki?",
            "**Nothing in this log of zspr 055 (10.1.1.108) points to the tuning",
        ),
        ("is 051 or 053 more urgent?", "It is the worst of 2, of which 2 have a finding"),
        ("what is wrong with 053? write it to my boss", "Next: Channel 2: better gains are kp"),
    ],
)
def test_what_the_log_leaves_open_is_neither_yes_nor_no(tmp_path, question, told):
    assert told in asked(question, tmp_path).text


@pytest.fixture
def steps(tmp_path):
    """A log of an hour at 37 °C, 39 °C for five minutes and for one, and other gains from half of it on."""
    rows = [
        f"2026-03-01 08:{minute:02}:{second:02} sp=37.0 pv={37.0 + 2.0 * (minute in hot)} out=40"
        for hot in [{*range(20, 25), 40}]
        for minute in range(60)
        for second in range(0, 60, 10)
    ]
    rows.insert(180, "2026-03-01 08:30:00 user=lin set kp=22.0 ki=0.50 kd=4.0")
    path = tmp_path / "steps.log"
    path.write_text("\n".join(["2026-03-01 08:00:00 start kp=4.0 ki=0.06 kd=4.0", *rows]), encoding="utf-8")
    return str(path)


@each(
    "question, told",
    [
        ("how often was it above 38, and how long?", "2 times above 38 °C, 6 min in all"),
        ("超過38度幾次，各多久？", "高於 38 °C 共 2 次，合計 6 分鐘"),
        ("was it ever below 36?", "never below 36 °C"),
        ("max between 10 and 15 min?", "highest 37 °C"),
        ("max after 30 min?", "highest 39 °C at 08:40:00"),
        ("mean before and after 08:20?", "to 08:20:00: mean 37.017"),
        ("08:21怎麼了？", "實際值 39 °C"),
        ("what were kp and ki before?", "kp 4 → 22, ki 0.06 → 0.5"),
        ("could it be the fan?", "look, listen and measure its current"),
    ],
)
def test_a_question_for_one_thing_gets_that(tmp_path, steps, question, told):
    assert told in asked(question, tmp_path, attachments=(steps,)).text


@each("question", ["052 needs more and more output, since when?", "052 的輸出一直變高"])
def test_what_changed_over_time_is_told_from_the_first_log_to_the_last(tmp_path, question):
    tools = asked(question, tmp_path).tools
    assert (tools[:3], tools[-1]) == (("fetch_log", "list_logs", "fetch_log"), "compare_logs")


@each("question", ["what does a new heater cost?", "還能撐一個月嗎？", "how old is the sensor?"])
def test_what_no_log_holds_is_said_before_what_this_one_does(tmp_path, question):
    text = asked(question, tmp_path, attachments=(str(written("runaway", tmp_path)),)).text
    assert re.match("A log holds no prices|記錄裡沒有價格", text) and "°C" in text


@each(
    "question, told",
    [
        ("by how much?", "swings by ±"),
        ("多久了？", "的增益造成的振盪"),
        ("which channel should I start with?", "Oscillation from the gains"),
        ("was the door open in the last ten minutes?", "event lines are about “door”"),
    ],
)
def test_a_short_question_is_one_about_the_fault_in_view(tmp_path, question, told):
    before = asked("why does 053 swing?", tmp_path)
    text = asked(question, tmp_path, state=state_after(before, "zspr 053", "10.1.1.112")).text
    assert told in text or told in text.replace("通道 2 ", "的"), text


@each(
    "question, start, end",
    [
        ("zspr 052: highest temperature in the last ten minutes", "23:44:44", "23:54:44"),
        ("zspr 052 前二十分鐘的最高溫度", "23:24:45", "23:44:45"),
        ("was zspr 052 ok in the last half hour?", "23:24:45", "23:54:44"),
    ],
)
def test_a_stretch_at_an_end_of_the_log_is_what_is_told(tmp_path, question, start, end):
    answer = asked(question, tmp_path)
    told = [row for one in answer.results for row in one.get("rows", ()) if "since" in row]
    assert [told[0][edge][11:19] for edge in ("since", "until")] == [start, end]


@pytest.fixture
def printer(tmp_path):
    """Return a log of two heaters by their names, whose setpoint goes to 0 a line before the output does."""
    rows = ["time,bed_target,bed_temp,bed_power,extruder_target,extruder_temp,extruder_power"]
    for second in range(900):
        on = second < 700
        wave = 0.2 * math.sin(second / 5)
        bed, hot = (60 + wave, 210 - 2 * wave) if on else (60 - second / 100, 210 - second / 10)
        rows.append(
            f"{second},{60 * on},{bed:.2f},{30 * (second < 701)},{210 * on},{hot:.2f},{45 * (second < 701)}"
        )
    path = tmp_path / "print.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@each("question", ["how noisy is the bed?", "is the bed ok?", "what is wrong with the bed"])
def test_a_channel_is_called_by_the_logs_own_name_for_it(tmp_path, printer, question):
    answer = asked(question, tmp_path, attachments=(str(printer),))
    named = next(result["channel_names"] for result in answer.results if "channel_names" in result)
    (number,) = (one for one, name in named.items() if "bed" in name)
    assert f"hannel {number}" in answer.text
    assert not [one for one in named if one != number and f"hannel {one}:" in answer.text]


def test_what_a_log_of_readings_alone_cannot_tell_of_events_is_told_by_its_readings(tmp_path):
    log = written("ambient_disturbance", tmp_path)
    text = asked("was the door left open?", tmp_path, attachments=(str(log),)).text
    assert "0 event lines" in text and "Key findings" in text


@each("told", ["zspr 050 had dips yesterday", "it was noisy all night", "053 was cold this morning"])
def test_a_complaint_is_no_deed_that_is_noted(told):
    assert read_question(told, True, 1).kind != "help"
    assert not is_done(spelled(told))


@each("told", ["the seal was replaced", "we had the valve rebuilt", "it has been cleaned on Monday"])
def test_a_deed_is(told):
    assert is_done(spelled(told))


@each(
    "question, named",
    [
        ("how is the freezer?", ["Freezer North"]),
        ("compare the kiln with my freezer", ["Kiln 2", "Freezer North"]),
        ("is the K3 alright?", ["Lab fridge K3"]),
        ("is the heater ok?", []),
        ("how is the oven?", []),
        ("冷凍柜怎麼了？", ["二樓冷凍櫃"]),
        ("二樓怎麼了？", []),
        ("freezer status pls", ["Freezer North"]),
        ("is spare ok?", ["Spare heater"]),
        ("which is colder, left or freezer?", []),
    ],
)
def test_a_device_is_called_by_what_only_its_name_has(tmp_path, question, named):
    names = (
        "Freezer North",
        "Kiln 2",
        "Lab fridge K3",
        "Oven left",
        "Oven right",
        "Spare heater",
        "二樓冷凍櫃",
    )
    path = tmp_path / "devices.toml"
    rows = (f'[[device]]\nname = "{name}"\nip = "10.9.0.{at}"\nlogs = "."' for at, name in enumerate(names))
    path.write_text("\n".join(rows), encoding="utf-8")
    devices = devices_in(question, load_inventory(path))
    assert [device.name for device in devices] == named


@each("question", ["write a paragraph on 051 for my boss", "給老闆寫一段 051 的說明"])
def test_a_letter_calls_no_cause_certain_that_the_log_leaves_open(tmp_path, question):
    told = statements(asked(question, tmp_path).text)
    assert "root_cause" not in {statement.kind for statement in told}
    assert [statement.text for statement in told if statement.kind == "hypothesis"]


def test_a_root_cause_that_is_told_is_noted_and_stands_beside_the_next_diagnosis(tmp_path):
    cause = "condenser fan dead since 11:40"
    assert f"`{cause}`" in asked(f"root cause: {cause}", tmp_path).text
    state = state_after(asked("051 why?", tmp_path), "zspr 051", "10.1.1.46") | {"root_causes": [cause]}
    messages = ({"turn": 2, "role": "user", "text": f"root cause: {cause}"},)
    text = asked("what is wrong?", tmp_path, state=state, messages=messages).text
    assert f"On record by your word as the root cause: `{cause}`." in text


def test_a_number_in_a_devices_name_is_no_channel_of_the_next_question_either(tmp_path):
    path = tmp_path / "devices.toml"
    logs = CHECKOUT / "demo" / "logs" / "zspr_051"
    path.write_text(f'[[device]]\nname = "chiller CH-3"\nlogs = "{logs}"', encoding="utf-8")
    messages = ({"turn": 1, "role": "user", "text": "chiller ch3 max?"},)
    state = {"device_name": "chiller CH-3"}
    for question, before in (("chiller ch3 max?", ()), ("and min?", messages)):
        text = asked(question, tmp_path, inventory=str(path), messages=before, state=state).text
        assert all(f"| Channel {channel} |" in text for channel in (1, 2, 3, 4))


def test_what_a_log_reports_in_the_minute_before_a_control_stopped_is_told_and_comes_first(tmp_path):
    path = written("control_off", tmp_path)
    rows = path.read_text(encoding="utf-8").splitlines()
    at = next(number for number, row in enumerate(rows[1:], start=1) if float(row.split(",")[0]) > ONSET - 5)
    path.write_text("\n".join([*rows[:at], "# ERROR emergency stop pressed", *rows[at:]]), encoding="utf-8")
    text = asked("why does it not heat any more?", tmp_path, attachments=(str(path),)).text
    assert "In the minute before it the log says" in text
    first, then = text.index("First clear up what"), text.index("Next: ")
    assert first < then and "emergency stop pressed" in text[first:then]


def test_what_one_question_of_a_message_told_the_next_does_not_tell_again(tmp_path):
    path = written("oscillation_tuning", tmp_path)
    text = asked("why does it swing? and what was the highest pv?", tmp_path, attachments=(str(path),)).text
    assert text.count("Oscillation from the gains, channel") == 1 and "highest" in text


@each("said, is_seen", [("it sits at 62 and swings, stuck on?", True), ("what is pv now?", False)])
def test_a_message_that_tells_what_was_seen_and_asks_for_no_figure_is_diagnosed(tmp_path, said, is_seen):
    text = asked(said, tmp_path, attachments=(str(written("oscillation_tuning", tmp_path)),)).text
    assert ("Key findings" in text) == is_seen


@each(
    "question, told",
    [("055 channel 2?", "Integral windup, channel 3"), ("055 通道 2 怎麼了？", "通道 3 積分飽和")],
)
def test_what_is_wrong_on_another_channel_is_told_beside_the_one_asked_about(tmp_path, question, told):
    assert told in asked(question, tmp_path).text


@each("question", ["what gains should I use on 053?", "053 我該用什麼增益？"])
def test_gains_to_use_are_proposed_and_no_permission_to_run(tmp_path, question):
    text = asked(question, tmp_path).text
    assert "kp 6.1" in text and "cut-out" not in text and "超溫" not in text


@each(
    "question, told",
    [
        ("has zspr 055 settled?", "At the end it holds"),
        ("zspr 055 穩定了嗎？", "結束時已穩定"),
        ("when did zspr 055 settle?", "from 40 to 75 °C at 2026-02-20 17:03:43"),
    ],
)
def test_whether_and_when_a_loop_settled_is_told_though_it_had_a_fault(tmp_path, question, told):
    text = asked(question, tmp_path).text
    assert told in text and not text.startswith(("Yes", "No", "是", "否"))


@each("question", ["what constraints are in force?", "現在有哪些限制？"])
def test_constraints_are_asked_for_by_their_name(tmp_path, question):
    messages = ({"turn": 1, "role": "user", "text": "never touch the gains"},)
    text = asked(question, tmp_path, messages=messages, constraints=("never touch the gains",)).text
    assert "`never touch the gains`" in text


@each(
    "question",
    ["can I trust the probe of 052?", "052 的感測器可以信嗎？", "are the values of 052 reliable?"],
)
def test_whether_readings_can_be_believed_is_a_question_about_the_sensor(tmp_path, question):
    text = asked(question, tmp_path).text
    assert "points to the sensor" in text or "跡象指向感測器" in text
    assert text.startswith(("Yes", "是"))
