"""Two logs of a device are compared, or one before and after an instant."""

import tomllib
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from demo.simulate import Channel, Line, Scenario, write_log
from demo.simulated_loop import Controller, Event, Plant
from instrumentgpt.instruments.compare import Comparison, Incomparable, Row, compare, divided, rises_over
from instrumentgpt.instruments.comparison_wording import SENTENCES, comparison_sentences
from instrumentgpt.instruments.kept_verdicts import held_duties
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.record import Log
from instrumentgpt.instruments.shown import shown_in

CHANGE = 600.0  # s
PLANTS = [Plant(0.8, 150.0, 4.0, 4.0), Plant(1.0, 180.0, 5.0, 5.0), Plant(0.9, 160.0, 4.0, 5.0)]
CALM = Controller(10.0, 0.12)


def changed_at(log, time):
    return compare(*divided(log, time))


def recorded(folder: Path, name: str = "a", **changes: object) -> Log:
    """Return the log of three quiet channels; `changes` of the scenario, those of channels by number."""
    events = changes.pop("events", {})
    controllers = changes.pop("controllers", {})
    setpoints = changes.pop("setpoints", {})
    channels = tuple(
        Channel(n, plant, controllers.get(n, CALM), setpoints.get(n, 50.0), events.get(n, ()))
        for n, plant in enumerate(PLANTS, 1)
    )
    scenario = Scenario(
        "zspr 061",
        "10.1.1.96",
        "TempCtrl",
        datetime(2026, 3, 1, 8),
        1200.0,
        channels,
        **{"seed": 5, **changes},
    )
    return read_log(write_log(folder / f"{name}.log", scenario))


def row(found: Comparison, quantity: str, channel: int | None = 1) -> Row:
    return next(row for row in found.rows if (row.quantity, row.channel) == (quantity, channel))


def test_the_same_run_with_other_noise_changed_nothing(tmp_path):
    found = compare(recorded(tmp_path, "a"), recorded(tmp_path, "b", seed=6))
    assert found.notable == ()
    assert found.events == ()
    assert comparison_sentences(found, "en")[1].startswith("Nothing changed")


def test_changed_gains_are_told_with_their_ratio(tmp_path):
    found = compare(
        recorded(tmp_path, "a"), recorded(tmp_path, "b", controllers={2: Controller(15.0, 0.12, 20.0)})
    )
    assert [(r.quantity, r.channel) for r in found.notable] == [("kp", 2), ("kd", 2)]
    kp, kd = row(found, "kp", 2), row(found, "kd", 2)
    assert (kp.before, kp.after, kp.ratio) == (10.0, 15.0, 1.5)
    assert np.isnan(kd.ratio)  # from zero there is none


def test_a_changed_setpoint_is_told(tmp_path):
    found = compare(recorded(tmp_path, "a"), recorded(tmp_path, "b", setpoints={3: 60.0}))
    assert (row(found, "setpoint", 3).before, row(found, "setpoint", 3).after) == (50.0, 60.0)
    assert "duty" not in {r.quantity for r in found.rows if r.channel == 3}  # no common setpoint


def test_a_weaker_heater_shows_at_the_same_setpoint(tmp_path):
    log = recorded(tmp_path, events={2: (Event("heater", CHANGE, 9e9, 0.7),)})
    duty = row(changed_at(log, CHANGE), "duty", 2)
    assert duty.notable
    assert duty.at == 50.0
    assert duty.net == pytest.approx(1 / 0.7, rel=0.05)


def test_a_colder_room_moves_all_channels_and_is_no_weak_heater(tmp_path):
    colder = {n: (Event("load", CHANGE, 9e9, -8.0),) for n in (1, 2, 3)}
    found = changed_at(recorded(tmp_path, events=colder), CHANGE)
    duties = [row(found, "duty", n) for n in (1, 2, 3)]
    assert all(duty.ratio > 1.14 for duty in duties)
    assert not any(duty.notable for duty in duties)


def test_a_noisier_sensor_shows(tmp_path):
    log = recorded(tmp_path, events={1: (Event("noise", CHANGE, 9e9, 10.0),)})
    noise = row(changed_at(log, CHANGE), "noise")
    assert noise.notable
    assert noise.after == pytest.approx(0.1, rel=0.2)


def test_a_loop_that_left_its_setpoint_shows(tmp_path):
    log = recorded(tmp_path, events={3: (Event("output", CHANGE, 9e9, 10.0),)})
    share = row(changed_at(log, CHANGE), "out_of_band", 3)
    assert share.notable
    assert share.before == 0 and share.after > 80


def test_the_ambient_temperature_is_read_from_the_lines_that_name_it(tmp_path):
    said = tuple(
        Line(60.0 * k + 3, "debug", f"[Env] ambient={21.5 if k < 10 else 25.0:.1f} C") for k in range(20)
    )
    ambient = row(changed_at(recorded(tmp_path, lines=said), CHANGE), "ambient", None)
    assert (ambient.before, ambient.after, ambient.notable) == (21.5, 25.0, True)


def test_new_and_vanished_messages_are_told_by_template(tmp_path):
    early = tuple(Line(40.0 * k + 2, "info", f"[Arm] parked after {k} ms") for k in range(12))
    late = (Line(900.0, "error", "[Door] close timeout after 6000 ms"),)
    events = changed_at(recorded(tmp_path, lines=early + late), CHANGE).events
    assert [(e.template, e.before, e.after) for e in events] == [
        ("close timeout after … ms", 0, 1),
        ("parked after … ms", 12, 0),
    ]
    assert all(e.line > 1 for e in events)


def test_what_a_log_says_once_at_its_head_has_not_vanished(tmp_path):
    gone = changed_at(recorded(tmp_path), CHANGE).events
    assert gone == ()


def test_time_that_does_not_divide_the_log_is_refused(tmp_path):
    with pytest.raises(Incomparable, match="runs from 0 to"):
        changed_at(recorded(tmp_path), 5000.0)


def test_logs_without_a_common_channel_are_refused(tmp_path):
    log = recorded(tmp_path)
    others = log.samples.assign(channel=log.samples["channel"] + 10)
    with pytest.raises(Incomparable, match="none in common"):
        compare(log, replace(log, samples=others))


def test_logs_of_different_units_are_refused(tmp_path):
    log = recorded(tmp_path)
    with pytest.raises(Incomparable, match="one unit"):
        compare(log, replace(log, unit="bar"))


@pytest.mark.parametrize("unit", ["°F", "K"])
def test_a_log_in_another_unit_of_temperature_is_compared_in_that_of_the_first(tmp_path, unit):
    log = recorded(tmp_path, controllers={2: Controller(15.0, 0.12)})
    found = compare(recorded(tmp_path), shown_in(log, unit))
    assert (found.unit, row(found, "setpoint").after) == ("°C", pytest.approx(50.0))
    assert [(row.quantity, row.channel) for row in found.notable] == [("kp", 2)]


@pytest.mark.parametrize(("language", "ratio"), [("en", "(×1.50)"), ("zh", "（×1.50）")])
def test_a_change_is_said_in_both_languages_with_its_numbers(tmp_path, language, ratio):
    found = compare(recorded(tmp_path, "a"), recorded(tmp_path, "b", controllers={2: Controller(15.0, 0.12)}))
    head, said = comparison_sentences(found, language)
    assert "a.log" in head and "b.log" in head
    assert "kp 10 → 15 %/°C" in said and ratio in said


def test_messages_are_quoted_as_they_stand_and_cannot_be_format_fields(tmp_path):
    odd = (Line(900.0, "error", "[Door] {before} timeout"),)
    found = changed_at(recorded(tmp_path, lines=odd), CHANGE)
    assert "{before} timeout" in comparison_sentences(found, "en")[-1]


def test_every_quantity_has_its_sentence():
    words = SENTENCES.read_text(encoding="utf-8")
    for quantity in ("kp", "ki", "kd", "setpoint", "duty", "noise", "out_of_band", "ambient"):
        assert quantity in tomllib.loads(words)


def test_a_degraded_heater_in_a_labelled_log_shows(shared_logs):
    path = next((shared_logs / "instrument_debug" / "zspr_066").glob("*.log.gz"))
    duty = row(changed_at(read_log(path), 1108.0), "duty", 4)
    assert (duty.before, duty.after) == (pytest.approx(38.4, abs=1), pytest.approx(56.9, abs=1))
    assert duty.notable and duty.net > 1.3


@pytest.mark.parametrize(
    ("heaters", "rising"),
    [((1.0, 0.9, 0.8, 0.7), [2]), ((1.0, 0.7, 0.95, 0.7), []), ((1.0, 0.97, 0.95, 0.93), [])],
    ids=["weaker from log to log", "up and down", "within chance"],
)
def test_output_that_grows_from_log_to_log_is_told_of_its_channel(tmp_path, heaters, rising):
    logs = [
        recorded(tmp_path, f"{day}", seed=day, events={2: (Event("heater", 0, 9e9, heater),)})
        for day, heater in enumerate(heaters)
    ]
    rises = rises_over([*map(held_duties, logs)])
    assert [rise.channel for rise in rises] == rising
    assert all(rise.ratio == pytest.approx(1 / heaters[-1], rel=0.05) for rise in rises)


def test_rooms_that_grow_colder_from_log_to_log_are_no_rise(tmp_path):
    logs = [
        recorded(
            tmp_path, f"{day}", seed=day, events=dict.fromkeys((1, 2, 3), (Event("load", 0, 9e9, -load),))
        )
        for day, load in enumerate((0.0, 3.0, 6.0, 9.0))
    ]
    assert rises_over([*map(held_duties, logs)]) == ()
