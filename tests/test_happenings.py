"""What a log says of what was done, and of what it is a log of: doors, refills, gains, no temperatures."""

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import each
from faulty_logs import case, log_of, samples_of

from demo.simulated_loop import Controller, Event
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.loop_wording import explanation
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.messages import template_of
from instrumentgpt.instruments.reading.record import gains_in, gains_of, written

LANGUAGES = ("en", "zh")
OPENED = 1200.0  # s
LONG = 3600.0  # s
HOT = re.compile("heat|thermo|temperature|cool|relay|加熱|溫度|冷卻|繼電")
SOFT, HARD = Controller(kp=8.0, ki=0.06), Controller(kp=90.0, ki=3.0)


def opened(*lines, setpoint=60.0, power=1.0):
    """Return the log of a loop whose door stands open for a minute, with `lines` (s, text)."""
    door = [Event("load", OPENED, OPENED + 60.0, -60.0)]
    fails = [Event("heater", OPENED + 60.0, LONG, power)] if power < 1.0 else []
    samples = samples_of(1, setpoint=setpoint, events=door + fails, duration=LONG)
    return diagnose(log_of(samples, events=lines))


@each(
    "text", ["DOOR OPEN", "Tür offen", "開門", "batch 4711 start", '{"event": "tank_refill", "litres": 38}']
)
def test_what_begins_at_a_line_on_what_was_done_is_use_from_then_on(text):
    diagnosis = opened((OPENED - 2.0, text))
    away = diagnosis.excursions[0]
    assert away.cause == text and away.onset >= OPENED - 2.0
    assert all(text.split()[0] in explanation(away, language) for language in LANGUAGES)
    assert [finding.fault for finding in diagnosis.findings] == ["healthy"]


@each("text", ["ALARM: temperature low", "Kp 8 -> 9, Ki 0.06 -> 0.07"])
def test_a_line_of_trouble_or_of_gains_is_no_use(text):
    assert not opened((OPENED - 2.0, text)).excursions[0].cause


def test_a_line_that_comes_all_the_time_or_afterwards_made_nothing():
    often = [(at, "backup done") for at in np.arange(30.0, LONG, 50.0).tolist()]
    assert not opened(*often).excursions[0].cause
    assert not opened((OPENED + 40.0, "operator called")).excursions[0].cause


def test_a_loop_that_does_not_come_back_from_its_door_has_a_fault():
    found = {finding.fault for finding in opened((OPENED, "DOOR OPEN"), power=0.0).findings}
    assert "heater_failure" in found


def test_an_opened_door_before_a_setpoint_step_is_no_sensor_offset():
    diagnosis = opened((OPENED, "DOOR OPEN"), setpoint=[(0.0, 60.0), (OPENED + 500.0, 40.0)])
    assert "sensor_bias" not in {finding.fault for finding in diagnosis.findings}


def test_a_sensor_that_slips_is_told_whatever_was_written_as_it_slipped():
    samples = samples_of(1, events=[Event("bias", OPENED, LONG, -11.0)], duration=LONG)
    found = diagnose(log_of(samples, events=[(OPENED - 2.0, "read 'PLT-53021'")])).findings
    assert found[0].fault == "sensor_bias" and found[0].onset == pytest.approx(OPENED, abs=5.0)


def test_events_of_one_object_a_line_differ_by_their_words():
    rows = ((1, "a", 3), (2, "a", 4), (3, "b", 4))
    lines = [f'{{"ts": "2026-11-24T07:00:0{at}Z", "event": "{word}", "n": {n}}}' for at, word, n in rows]
    assert len({template_of(line) for line in lines}) == 2


def test_a_state_of_a_table_that_rarely_changes_says_what_was_done(tmp_path):
    from instrumentgpt.instruments.logs import read_log

    doors = ["SHUT"] * 400
    doors[200:204] = ["OPEN"] * 4
    heats = ["HEATING" if row % 8 < 4 else "IDLE" for row in range(400)]
    rows = [f"{row},37.0,37.{row % 3},{30 + row % 5},{doors[row]},{heats[row]}" for row in range(400)]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(["time,setpoint,pv,output,door,stage", *rows]) + "\n")
    assert read_log(path).events["text"].tolist() == ["door OPEN"]


@each(
    "line,after,before",
    [
        (
            "Regelparameter geändert: Xp 12,0 -> 2,2 K, Tn 600 -> 100 s",
            (100 / 2.2, 1 / 2.2),
            (100 / 12, 1 / 72),
        ),
        ("Xp=2.5 K (vorher 10 K); Tn=100 s (vorher 10 min)", (40.0, 0.4), (10.0, 1 / 60)),
        ("PID參數變更 比例帶 10→2.5 °C 積分時間 600→100 秒", (40.0, 0.4), (10.0, 1 / 60)),
        ("比例帶=2.5K（原 10K），積分時間=100秒（原 600秒）", (40.0, 0.4), (10.0, 1 / 60)),
        ("PB changed 10 -> 2.5 C, Ti 600 -> 100 s", (40.0, 0.4), (10.0, 1 / 60)),
        ("PID P=22.0 %/C I=900 s D=0 s", (22.0, 22 / 900), (math.nan, math.nan)),
        ("gains changed P=0.70->2.60 I=0.012->0.02", (2.6, 0.02), (0.7, 0.012)),
        ("PB 5 %, Ti 100 s", (math.nan, math.nan), (math.nan, math.nan)),
    ],
)
def test_bands_and_times_are_gains_in_any_words(line, after, before):
    stated = [gains_of(terms)[:2] for terms in gains_in(line)]
    assert stated == [pytest.approx(after, nan_ok=True), pytest.approx(before, nan_ok=True)]


@each("line", ["TI 20.5 C", "pump 3 on, door 2 open", "P 3 bar", "D 12"])
def test_a_line_without_gains_states_none(line):
    assert not gains_in(line)[0] or math.isnan(gains_of(gains_in(line)[0])[0])


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """Return the log of a bath with its gains in the head, changed in a remark."""
    from instrumentgpt.instruments.logs import read_log

    soft, hard = (samples_of(1, controller=gains, duration=LONG) for gains in (SOFT, HARD))
    both = pd.concat([soft, hard.assign(time=hard["time"] + LONG)])
    rows = [
        f"{row.time:.0f};{row.setpoint:.2f};{row.pv:.2f};{row.pv + 1:.2f};{row.output:.1f};"
        for row in both.itertuples()
    ]
    rows[int(LONG)] += "Xp 12,5 -> 1,11 K, Tn 133 -> 30 s"
    head = [
        "Bath;B-7",
        "Gains;Xp=12,5 K;Tn=133 s",
        "",
        "Time;Setpoint [°C];PV [°C];Return [°C];Output [%];Remark",
    ]
    path = tmp_path_factory.mktemp("bath") / "bath.csv"
    text = "\n".join([*head, *(row.replace(".", ",") for row in rows)]) + "\n"
    path.write_text(text, encoding="utf-8")
    return read_log(path)


def test_gains_of_the_head_and_of_a_remark_are_those_in_force(changed):
    loop = loops_of(changed)[1]
    assert (loop.kp[0], loop.kp[-1]) == pytest.approx((8.0, 100 / 1.11))
    assert loop.ki[0] == pytest.approx(8.0 / 133)


def test_a_swing_after_a_change_of_gains_names_it_and_puts_it_back_in_the_log_s_words(changed):
    (finding,) = (one for one in diagnose(changed).findings if one.fault == "oscillation_tuning")
    line = int(changed.events["line"].iloc[-1])
    assert line in {item.line for item in finding.evidence}
    for language in LANGUAGES:
        assert f"{line:,}" in wording.summary(finding, language)
        for text in (wording.action(finding, language), wording.next_step(finding, language)):
            assert "Xp 12.5 K, Tn 133 s" in text and re.search("softer|柔和", text)
    assert written(gains_in("Xp 12,5 K Tn 133 s")[0]) == "Xp 12.5 K, Tn 133 s"


def test_gains_that_change_in_their_columns_are_put_back_as_gains():
    soft, hard = (samples_of(1, controller=gains, duration=LONG) for gains in (SOFT, HARD))
    diagnosis = diagnose(log_of(pd.concat([soft, hard.assign(time=hard["time"] + LONG)])))
    (finding,) = (one for one in diagnosis.findings if one.fault == "oscillation_tuning")
    for language in LANGUAGES:
        assert "kp 8, ki 0.06" in wording.action(finding, language)
        assert not re.search("softer|柔和", wording.action(finding, language))


def loose(unit):
    """Return the log of a loop whose sensor loses contact twelve times, for up to eight samples."""
    samples = samples_of(1, duration=LONG)
    for at in range(600, 3400, 240):
        samples.loc[at : at + at // 240 % 7 + 1, "pv"] = 75.0 + 0.01 * (at % 7)
    return replace(log_of(samples), unit=unit)


@each("unit", ["pH", "°C"])
def test_a_contact_that_opens_and_closes_is_told_of_any_loop(unit):
    (finding,) = diagnose(loose(unit)).findings
    assert finding.fault == "sensor_spike"
    for language in LANGUAGES:
        texts = [
            part(finding, language)
            for part in (wording.summary, wording.cause, wording.next_step, wording.next_test)
        ]
        assert not HOT.search(" ".join([*texts, *wording.cannot_tell(finding, language)]))


def test_a_setpoint_that_goes_there_and_back_is_no_lost_contact():
    samples = samples_of(1, duration=LONG)
    for at in range(600, 3400, 240):
        samples.loc[at : at + 6, ["pv", "setpoint"]] = 75.0
    assert not {one.fault for one in diagnose(log_of(samples)).findings} & {"sensor_spike", "sensor_open"}


@each("fault", ["runaway", "sensor_stuck", "sensor_open", "heater_failure"])
def test_nothing_burns_where_nothing_is_heated(fault):
    log = replace(case(fault).log, unit="pH")
    diagnosis = diagnose(log)
    assert "critical" not in {finding.severity for finding in diagnosis.findings}
    assert fault == "runaway" or fault in {finding.fault for finding in diagnosis.findings}
    assert "runaway_stuck_on" not in {finding.fault for finding in diagnosis.findings}


def test_a_reading_beside_a_loop_is_no_loop():
    beside = samples_of(2).assign(setpoint=math.nan, output=math.nan)
    kinds = diagnose(log_of(samples_of(1), beside)).kinds
    assert [kinds[channel].drive for channel in (1, 2)] == ["continuous", "beside"]
    assert diagnose(log_of(beside)).kinds[2].drive == "unseen"


@each("setpoint", [0.0, 15.0])
def test_what_is_switched_off_at_the_end_has_no_offset(setpoint):
    programme = [(0.0, 60.0), (1500.0, setpoint)]
    samples = samples_of(1, setpoint=programme, duration=LONG)
    last = [one for one in diagnose(log_of(samples)).segments if one.onset >= 1500.0]
    assert last and all(math.isnan(one.mean_error) for one in last)


def test_a_loop_has_settled_though_its_door_is_opened_hours_later():
    door = [Event("load", 2400.0, 2460.0, -60.0)]
    samples = samples_of(1, setpoint=[(0.0, 40.0), (300.0, 60.0)], events=door, duration=LONG)
    assert diagnose(log_of(samples)).channels[1].settling_time < 1200.0
