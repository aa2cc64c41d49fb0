"""Temperatures in the unit that people chose: judged as the log has them, shown and told otherwise."""

import json
from contextlib import closing

import numpy as np
import pytest
from cases import each
from faulty_logs import MAKERS, case, diagnosed, written

import db
from instrumentgpt.__main__ import main
from instrumentgpt.fleet.scan import scan
from instrumentgpt.instruments.compare import compare
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.shown import as_logged, shown_in
from instrumentgpt.instruments.tools.analysis import channel_metrics
from instrumentgpt.instruments.tools.gains import advise_gains
from instrumentgpt.instruments.workspace import workspace
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.verdicts import all_verdicts

DEGREES = 9 / 5  # °F in one °C
GAINS = ("kp", "kp_simc")


@each("name", MAKERS)
def test_a_log_shown_in_another_unit_is_judged_as_it_was(name):
    before, after = diagnosed(name), diagnose(shown_in(case(name).log, "F"))
    places = [[(one.fault, one.channel, one.onset, one.end) for one in it.findings] for it in (before, after)]
    assert places[0] == places[1] and before.withheld.keys() == after.withheld.keys()
    for one, other in zip(before.findings, after.findings, strict=True):
        assert [one.numbers.get(gain) for gain in GAINS] == [other.numbers.get(gain) for gain in GAINS]
    for channel, metrics in before.channels.items():
        shown = after.channels[channel]
        assert shown.band == pytest.approx(DEGREES * metrics.band)
        assert shown.setpoint == pytest.approx(DEGREES * metrics.setpoint + 32, nan_ok=True)


@each("unit", ["°F", "K", "k", "°C"])
def test_what_is_shown_leads_back_to_what_was_logged(unit):
    log = case("healthy").log
    shown = shown_in(log, unit)
    for channel, loop in loops_of(log).items():
        back = as_logged(loops_of(shown)[channel], shown)
        assert np.array_equal(back.pv, np.round(loop.pv, 9)) or unit == "°C"
        assert shown.logged_unit_of(channel) == "°C"
    assert shown_in(log, "auto") is log


def test_counts_stay_counts():
    log = case("healthy").log
    counts = shown_in(log.__class__(**{**log.__dict__, "unit": "counts"}), "°F")
    assert counts.unit == "counts" and counts.samples is log.samples


def test_gains_are_told_per_unit_of_the_log_and_figures_in_the_chosen_one(tmp_path, monkeypatch):
    path = written("sluggish_tuning", tmp_path)
    place = workspace(attachments=[path], cache=tmp_path / "cache", inventory=tmp_path / "none.toml")
    told = {}
    for unit in ("auto", "°F"):
        monkeypatch.setenv("INSTRUMENTGPT_TEMPERATURES", unit)
        figures = channel_metrics(place, log=path.name)
        told[unit] = figures["unit"], advise_gains(place, log=path.name)["channels"]
    assert (told["auto"][0], told["°F"][0]) == ("°C", "°F")
    assert told["auto"][1] == told["°F"][1]


def test_two_logs_are_compared_in_the_unit_with_their_gains_as_they_are():
    log = case("healthy").log
    rows = compare(shown_in(log, "°F"), shown_in(log, "°F")).rows
    units = {row.quantity: row.unit for row in rows}
    assert units["setpoint"] == "°F" and units["kp"] == "%/°C"


def test_the_command_line_tells_a_log_in_the_unit_that_is_set(tmp_path, capsys, monkeypatch):
    path = written("healthy", tmp_path)
    monkeypatch.setenv("INSTRUMENTGPT_TEMPERATURES", "F")
    assert main(["diagnose", str(path)]) == 0
    assert "°F" in (shown := capsys.readouterr().out) and "shown in °F; its file is in °C" in shown


def test_verdicts_that_were_kept_in_another_unit_are_judged_anew(tmp_path):
    written("healthy", tmp_path)
    (tmp_path / "lab.toml").write_text('[[device]]\nname = "oven 1"\nip = "10.1.1.1"\nlogs = "."\n')
    devices = load_inventory(tmp_path / "lab.toml").devices
    said = []
    for unit in ("auto", "°F", "°F"):
        with closing(db.connect(database_path())) as database:
            db.save_setting(database, "temperatures", unit)
        found = scan(database_path(), devices, home() / "cache", jobs=1)
        with closing(db.connect(database_path())) as database:
            (kept,) = [one for one in all_verdicts(database) if one.log.endswith(".csv")]
        said.append((len(found.judged), "°F" in kept.text_en, json.loads(kept.figures)["1"]["kp"]))
    assert [one[:2] for one in said][1:] == [(1, True), (0, True)] and not said[0][1]
    assert len({one[2] for one in said}) == 1
