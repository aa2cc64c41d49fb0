"""A question's form decides the first sentence: yes or no, since when, a length, what to do."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from cases import each
from offline_case import asked, state_after

from instrumentgpt.analyst.questions import asks_yes_no, spelled

START, PERIOD = datetime(2026, 11, 23, 6), 60  # a Monday; a row a minute for three days


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    """Return a log of two zones: each day 41 °C at 9:00 and 39 °C at 15:00 in the upper, a step at 7:00."""
    row = np.arange(3 * 24 * 60)
    clock = (6 * 60 + row) % 1440
    setpoint = np.where(row < 60, 30.0, 40.0)
    bump = np.exp(-(((clock - 540) / 15.0) ** 2)) - np.exp(-(((clock - 900) / 15.0) ** 2))
    tuesday = 1 + 0.5 * ((row >= 18 * 60) & (row < 42 * 60))
    pv = setpoint + tuesday * bump + np.random.default_rng(3).normal(0, 0.02, len(row))
    lines = [
        "Time,Top SP [°C],Top PV [°C],Top OUT [%],Bottom SP [°C],Bottom PV [°C],Bottom OUT [%],Flow [L/min]"
    ]
    for number in range(len(row)):
        at, warm, target = START + timedelta(seconds=PERIOD * number), pv[number], setpoint[number]
        cells = (
            target,
            warm,
            40 + 5 * (target - warm),
            target + 5,
            warm + 5,
            60 + 5 * (target - warm),
            6 - bump[number],
        )
        lines.append(",".join([f"{at}", *(f"{cell:.2f}" for cell in cells)]))
    path = tmp_path_factory.mktemp("forms") / "rig.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def said(rig, question: str, *before: str) -> str:
    """Return the answer, its links bare, after the questions `before` were answered."""
    messages: list[dict[str, object]] = []
    state: dict[str, object] = {}
    for turn, words in enumerate((*before, question)):
        answer = asked(
            words,
            rig.parent,
            attachments=(str(rig),),
            state=state,
            messages=tuple(messages),
            today="2026-11-26",
        )
        state = state_after(answer)
        messages += [{"turn": turn, "role": "user", "text": words, "devices": []}]
        messages += [{"turn": turn, "role": "assistant", "text": answer.text}]
    return re.sub(r"\]\([^()\s]*\)", "]", answer.text).lstrip("- ")


@each(
    "question, told",
    [
        ("was the flow ever below 5.2?", "Yes: "),
        ("was the flow ever above 9?", "No: `Flow [L/min]`: never above 9 L/min; highest "),
        ("did the flow always stay below 9 L/min", "Yes: "),
        ("could you check, did the flow remain below 6.5?", "No: "),
        ("流量有沒有低於 5.2？", "是："),
        ("流量是不是一直低於 6.5？", "否："),
        (
            "is the bottom zone warmer than the top zone?",
            "Yes: Channel 2 (`Bottom PV [°C]`) less Channel 1 (`Top PV [°C]`): +5 °C on average",
        ),
        ("通道1比通道2熱嗎？", "否：通道 1 (`Top PV [°C]`) 減 通道 2 (`Bottom PV [°C]`)：平均 -5 °C"),
        ("is the flow still below 9?", "Yes: "),
    ],
)
def test_a_yes_or_no_comes_first_with_the_figure_that_it_rests_on(rig, question, told):
    text = said(rig, question)
    assert text.startswith(told) and re.search(r"\d", text.split("\n")[0])


@each(
    "question, told",
    [
        ("is anything wrong with zspr 053?", "Yes: **zspr 053"),
        ("is zspr 053 ok?", "No: **zspr 053"),
        ("zspr 053 的感測器壞了嗎？", "否：**"),
        ("do I need to change the gains of zspr 053?", "Yes: **zspr 053"),
    ],
)
def test_a_diagnosis_is_a_yes_or_a_no_as_it_is_asked(tmp_path, question, told):
    assert asked(question, tmp_path).text.startswith(told)


@each(
    "text, is_so",
    [
        ("ok so is it fine?", True), ("tell me if it was above 40", True), ("in 2 h was pv hot?", True),
        ("可不可以調高", True), ("what is it?", False), ("is it kp or the relay?", False),
        ("can you plot it?", False), ("we set kp to 5, the valve is stuck", False), ("平均多少", False),
    ],
)  # fmt: skip
def test_what_asks_for_a_yes_or_a_no_is_told_from_what_does_not(text, is_so):
    assert asks_yes_no(spelled(text)) is is_so


@each(
    "question, told",
    [
        ("max of channel 1 on Tuesday morning?", "2026-11-24 05:00:00 to 2026-11-24 12:00:00: highest 41.5"),
        ("通道1週二下午最低多少？", "2026-11-24 12:00:00 到 2026-11-24 18:00:00：最低 38.4"),
        ("lowest flow the day before yesterday in the morning?", "11-24 05:00:00 to 12:00:00: lowest 5"),
        ("max of channel 1 yesterday between 08:30 and 09:30?", "11-25 08:30:00 to 09:30:00: highest 41"),
        ("max of channel 1 on day 2", "2026-11-24 00:00:00 to 2026-11-24 23:59:59: highest 41.5"),
        ("since when is the setpoint of channel 2 at 45?", "From 2026-11-23 07:00:00 to 23:59:00 ([L 62])"),
        ("通道1設定值從什麼時候開始是 40？", "2026-11-23 07:00:00 到 23:59:00（[L 62]）"),
        ("did the top zone get above 41.4 on Tuesday?", "Yes: Channel 1 (`Top PV [°C]`) from 2026-11-24"),
    ],
)  # fmt: skip
def test_the_stretch_that_is_named_is_the_one_that_is_told(rig, question, told):
    assert told in said(rig, question)


def test_a_pv_that_moves_with_its_setpoint_has_no_sensor_that_jumped(rig):
    text = said(rig, "what is wrong with the top zone?")
    assert "Sensor offset" not in text and "100 % of it stayed" not in text


@each(
    "before, question, told",
    [
        ("mean of channel 1?", "and the other channel?", "Channel 2 (`Bottom PV [°C]`)"),
        ("通道1平均溫度？", "另一個通道呢？", "通道 2 (`Bottom PV [°C]`)"),
        (
            "highest flow on Tuesday morning?",
            "and the lowest?",
            "11-24 05:00:00 to 2026-11-24 12:00:00: lowest",
        ),
    ],
)
def test_the_other_one_and_the_stretch_are_those_of_the_question_before(rig, before, question, told):
    assert told in said(rig, question, before)


@each("question", ["what should I do first?", "your recommendation?", "下一步該怎麼做？"])
def test_advice_is_the_next_action_first(tmp_path, question):
    before = asked("why does 053 swing?", tmp_path)
    text = asked(question, tmp_path, state=state_after(before, "zspr 053", "10.1.1.112")).text
    assert re.match("Next: |下一步：", text)
