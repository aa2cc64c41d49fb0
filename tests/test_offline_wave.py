"""A wave on the chart is explained also where all is within the band, and nothing is said twice."""

import numpy as np
import pytest

from instrumentgpt.instruments.analysis.metrics import metrics_of, swings_of
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.loops import loops_of
from tests.offline_case import asked, state_after


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("10.1.1.47 為什麼溫度波動？", ["±0.16 °C", "每 170 秒", "共同的外部原因", "無需處理"]),
        ("why does 10.1.1.47 fluctuate?", ["±0.16 °C", "every 170 s", "no single loop", "nothing, unless"]),
    ],
)
def test_how_large_how_regular_who_makes_it_and_whether_to_do_anything(tmp_path, question, parts):
    text = asked(question, tmp_path).text
    assert all(part in text for part in parts) and parts[0] in text.split("\n\n")[0]


def test_an_answer_stands_on_its_own_though_it_was_given_before(tmp_path):
    first = asked("why does 051 not reach its setpoint?", tmp_path)
    said = ({"turn": 1, "role": "assistant", "text": first.text},)
    state = state_after(first, "zspr 051", "10.1.1.46")
    again = asked("so what is wrong with it?", tmp_path, state=state, messages=said).text
    assert again == first.text and "Next: " in again


def test_one_next_step_and_never_a_second_that_contradicts_it(tmp_path):
    text = asked("why does 053 oscillate?", tmp_path).text
    assert (
        text.count("Next: ") == 1 and "better gains are kp" in text and "half" not in text.split("Next: ")[1]
    )


def test_the_age_of_data_that_are_not_of_today_is_said(tmp_path):
    text = asked("how hot was 052 last night?", tmp_path, today="2026-11-23T09:00:00").text
    assert "Nothing of “last night” is on record" in text and "2026-02-19 23:54" in text
    text = asked("zspr 052 週一以來的平均溫度？", tmp_path, today="2026-11-24T09:00:00").text
    assert "「2026-11-23 以來」" in text and "2026-02-19 23:54" in text
    on_the_day = asked("052 why?", tmp_path, today="2026-02-20T08:00:00").text
    assert "old (" not in on_the_day


def _log(path, *waves):
    """Return a log with a channel per wave, each added to a held setpoint of 50 °C."""
    rows = ["time,channel,setpoint,pv,output"]
    scatter = np.random.default_rng(4).normal(0, 0.01, (1200, len(waves)))
    for second in range(1200):
        for channel, wave in enumerate(waves, start=1):
            pv = 50 + wave(second) + scatter[second, channel - 1]
            stamp = f"2026-02-20 10:{second // 60:02d}:{second % 60:02d}"
            rows.append(f"{stamp},{channel},50,{pv:.2f},{40 - 9 * wave(second):.1f}")
    path.write_text("\n".join(rows), encoding="utf-8")
    return read_log(path)


@pytest.mark.parametrize(
    ("waves", "makers"),
    [
        ((lambda t: 0.15 * np.sin(t / 20), lambda t: 0.15 * np.sin(t / 20)), ["outside", "outside"]),
        ((lambda t: 0.15 * np.sin(t / 20), lambda t: 0.0), ["open", None]),
    ],
)
def test_what_moves_several_loops_at_once_is_told_from_what_moves_one(tmp_path, waves, makers):
    log = _log(tmp_path / "run.csv", *waves)
    tracks = study_of(log).tracks
    channels = {channel: metrics_of(track) for channel, track in tracks.items()}
    swings = swings_of(loops_of(log), channels, {channel: track.kind for channel, track in tracks.items()})
    assert [swings[at].maker if at in swings else None for at in (1, 2)] == makers
    assert swings[1].period == pytest.approx(2 * np.pi * 20, rel=0.1)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("why does it cycle?", ["is healthy", "only goes on and off", "every 120 s", "narrower hysteresis"]),
        ("為什麼波動？", ["正常", "只有開與關", "每 120 秒", "縮小遲滯"]),
    ],
)
def test_a_thermostat_is_told_to_cycle_because_it_switches(tmp_path, question, parts):
    rows = ["time,setpoint,pv,output"]
    for second in range(0, 7200, 5):
        phase = second % 120 / 120
        pv = 50 + 2 * (4 * abs(phase - 0.5) - 1)
        rows.append(f"{second},50,{pv:.2f},{100 if phase >= 0.5 else 0}")
    (tmp_path / "run.csv").write_text("\n".join(rows), encoding="utf-8")
    text = asked(question, tmp_path, attachments=[str(tmp_path / "run.csv")]).text
    assert all(part in text for part in parts)


@pytest.mark.parametrize("question", ["054 昨晚發生什麼事？", "zspr 054 what happened?"])
def test_what_happened_is_told_by_what_was_found_with_its_times_then_by_the_lines(question, tmp_path):
    text = asked(question, tmp_path, today="2026-02-21T08:00:00").text
    found, lines = text.index("19:40:19"), text.index("ch1 reading jumped")
    assert found < lines
