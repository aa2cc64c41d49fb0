"""What kind of loop a channel is, and when it left its own band: told, shown, corrected and remembered."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from instrumentgpt.__main__ import main
from instrumentgpt.instruments import loop_wording
from instrumentgpt.instruments.analysis.kind import DRIVES, LoopKind
from instrumentgpt.instruments.charts import error_chart, loop_chart, text_alternative
from instrumentgpt.instruments.charts.frame import word
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.kept_verdicts import diagnosed
from instrumentgpt.instruments.reading.record import StatedLoop
from instrumentgpt.instruments.reading.stated import KIND_WORDS, Stated, loops_of_channels
from instrumentgpt.instruments.readings import read_as
from instrumentgpt.instruments.report import report
from tests.offline_case import asked

ORDINARY = LoopKind(
    "continuous", False, False, 0.0, 100.0, "constant", 0, 0.0, 1.0, 0.01, 0.02, 0.45, 10.0, 0
)
LANGUAGES = ("en", "zh")


def fridge(hours=6.0, period=10.0):
    """Return rows of a fridge: its compressor is on above 5.5 °C and off below 4.5 °C, and pv lags it."""
    time = np.arange(0.0, hours * 3600.0, period)
    pv, output, on, wall = np.zeros(len(time)), np.zeros(len(time)), False, 5.0
    for at in range(len(time)):
        before = pv[at - 1] if at else 5.0
        on = before > 5.5 or (on and before > 4.5)
        wall += period * ((-12.0 if on else 21.0) - wall) / 7200.0
        pv[at] = before + period * (wall - before) / 120.0
        output[at] = 100.0 if on else 0.0
    noise = np.random.default_rng(3).normal(0.0, 0.02, len(time))
    return pd.DataFrame({"time": time, "setpoint": 5.0, "temp": (pv + noise).round(2), "compressor": output})


def stopped(hours, since):
    """Return rows of the fridge whose compressor runs without effect from `since` hours on."""
    rows = fridge(hours)
    after = rows["time"].to_numpy() - 3600.0 * since
    warm = after > 0
    rows.loc[warm, "temp"] = (5.0 + 16.0 * (1.0 - np.exp(-after[warm] / 7200.0))).round(2)
    rows.loc[warm, "compressor"] = 100.0
    return rows


def held(size, minutes=20.0, hours=8.0, period=10.0):
    """Return rows of a loop that holds 37 °C for hours, but for one rise of `size` that nothing shows."""
    time = np.arange(0.0, hours * 3600.0, period)
    random = np.random.default_rng(5)
    within = (time - 15_000.0) / (60.0 * minutes)
    pushed = np.where((within > 0) & (within < 1), size * np.sin(np.pi * within) ** 2, 0.0)
    pv = 37.0 + random.normal(0.0, 0.03, len(time)) + pushed
    output = 32.0 + random.normal(0.0, 0.3, len(time))
    rows = {"time": time, "setpoint": 37.0, "temp": pv.round(2), "heater": output.round(1)}
    return pd.DataFrame(rows)


@pytest.fixture
def written(tmp_path):
    """Write a table and return the file."""

    def write(table, name="run.csv"):
        table.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    return write


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("drive", DRIVES)
def test_a_kind_is_told_with_the_numbers_it_is_told_from(drive, language):
    kind = replace(ORDINARY, drive=drive, switches=48, two_values=0.99, not_read=3)
    told = loop_wording.sentence(kind, "°C", language)
    assert "0.45 °C" in told and "10 " in told and "3 " in told
    assert ("48" in told and "99%" in told) == (drive == "on_off")


def test_only_a_continuous_loop_that_heats_with_its_whole_output_is_ordinary():
    unusual = (
        {"drive": "on_off"},
        {"reverse": True},
        {"two_sided": True},
        {"high": 80.0},
        {"stated": ("band",)},
    )
    assert loop_wording.is_ordinary(ORDINARY)
    assert not any(loop_wording.is_ordinary(replace(ORDINARY, **change)) for change in unusual)
    assert "0 to 80 %, a clamp" in loop_wording.name(replace(ORDINARY, high=80.0), "en")


def test_a_thermostat_that_cooled_is_one_that_cools_however_long_it_has_failed(written):
    diagnosis = diagnose(read_as(written(stopped(hours=20.0, since=6.0))))
    assert diagnosis.kinds[1].reverse and diagnosis.kinds[1].drive == "on_off"
    assert diagnosis.findings[0].fault == "heater_failure"


def test_a_thermostat_that_was_warmed_once_left_its_own_band(written):
    rows = fridge(12.0)
    within = (rows["time"] - 20_000.0) / 2400.0
    rows.loc[(within > 0) & (within < 1), "temp"] += 9.0 * np.sin(np.pi * within) ** 2
    (away,) = diagnose(read_as(written(rows))).excursions
    assert 7.0 < away.size < 10.0 and 20_000.0 < away.evidence[1].time < 22_400.0


def test_every_drive_can_be_said():
    assert {words.get("drive", "") for words in KIND_WORDS.values()} == {*DRIVES, ""}


def test_what_is_said_of_one_channel_goes_before_what_is_said_of_all():
    said = Stated(loops=((2, StatedLoop(band=0.2)), (0, StatedLoop("on_off", band=1.0))))
    assert loops_of_channels(said, [1, 2]) == {
        1: StatedLoop("on_off", band=1.0),
        2: StatedLoop("on_off", band=0.2),
    }


def test_a_stated_kind_and_band_replace_what_the_log_shows(written):
    log = read_as(written(held(0.0)))
    said = replace(log, stated_loops={1: StatedLoop("on_off", reverse=True, band=2.5)})
    (as_told,), (as_said,) = diagnose(log).kinds.values(), diagnose(said).kinds.values()
    assert (as_told.drive, as_told.reverse, as_told.stated) == ("continuous", False, ())
    assert (as_said.drive, as_said.reverse, as_said.band) == ("on_off", True, 2.5)
    assert as_said.stated == ("drive", "reverse", "band")
    assert "as you said" in loop_wording.sentence(as_said, "°C", "en")


def test_a_kept_verdict_is_that_of_the_stated_kind(written, tmp_path):
    path, cache = written(held(8.0)), tmp_path / "cache"
    wide = Stated(loops=((0, StatedLoop(band=20.0)),))
    assert diagnosed(read_as(path, cache=cache)).excursions
    for _ in range(2):
        kept = diagnosed(read_as(path, wide, cache))
        assert not kept.excursions and kept.kinds[1].stated == ("band",)
    assert diagnosed(read_as(path, cache=cache)).excursions


def wide(channels):
    """Return one table of several loops, the columns of each numbered."""
    renamed = [
        table.drop(columns="time").rename(columns=lambda name, at=at: f"{name}{at}")
        for at, table in enumerate(channels, start=1)
    ]
    return pd.concat([channels[0][["time"]], *renamed], axis=1)


def json_rows(capsys, *arguments):
    assert main(["diagnose", "--json", *map(str, arguments)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_json_has_rows_of_their_own_for_kinds_and_excursions(written, capsys):
    rows = json_rows(capsys, written(held(8.0)))
    (kind,) = (row["kind"] for row in rows if "kind" in row)
    (away,) = (row["excursion"] for row in rows if "excursion" in row)
    assert kind["drive"] == "continuous" and kind["ordinary"]
    assert 7.5 < away["size"] < 8.5 and 900 < away["end"] - away["onset"] < 1500 and away["explained"] == ""
    assert len(away["evidence"]) == 3 and all(item["line"] > 1 for item in away["evidence"])
    assert not [row for row in rows if "class" in row]


@pytest.mark.parametrize("language, why", [("en", "cannot be told"), ("zh", "無法判斷原因")])
def test_the_command_line_tells_kind_and_excursion_in_the_language_asked_for(written, capsys, language, why):
    assert main(["diagnose", "--language", language, str(written(held(8.0)))]) == 0
    out = capsys.readouterr().out
    assert loop_wording.word("kind", language) in out
    (away,) = (line for line in out.splitlines() if "L 1,5" in line)
    assert why in away and "+7.9" in away


def test_many_excursions_are_listed_in_their_order(written, capsys):
    table = pd.concat([held(size, hours=5.5) for size in (2, 8, 4, 3, 5, 6, 7)], ignore_index=True)
    main(["diagnose", str(written(table.assign(time=10.0 * np.arange(len(table)))))])
    lines = [line for line in capsys.readouterr().out.splitlines() if "out of its own band" in line]
    sizes = [float(re.search(r"by ([+-][\d.]+) °C", line).group(1)) for line in lines]
    assert [round(size) for size in sizes] == [2, 8, 4, 3, 5, 6, 7]


def test_a_kind_given_on_the_command_line_is_judged_and_remembered_for_that_folder(written, capsys):
    first = json_rows(capsys, "--kind", "1=on_off,cools", "--band", "0.8", written(fridge()))
    again = json_rows(capsys, written(fridge(), "next.csv"))
    json_rows(capsys, "--forget", written(fridge()))
    forgotten = json_rows(capsys, written(fridge()))
    kinds = [next(row["kind"] for row in rows if "kind" in row) for rows in (first, again, forgotten)]
    assert [kind["stated"] for kind in kinds] == [["drive", "reverse", "band"]] * 2 + [[]]
    assert [kind["band"] for kind in kinds[:2]] == [0.8, 0.8] and kinds[2]["band"] < 0.8


WRONG = (["--kind", "sideways"], ["--band", "-1"], ["--band", "1=nan"], ["--kind", "x=manual"])


@pytest.mark.parametrize("wrong", WRONG)
def test_a_kind_or_band_that_cannot_be_is_wrong_use(wrong, written):
    with pytest.raises(SystemExit):
        main(["diagnose", *wrong, str(written(held(0.0, hours=1.0)))])


ASKED = [("is run.csv healthy?", "in its band but for 1 excursion", "cannot be told"),
         ("run.csv 正常嗎？", "除了 1 次偏離外都在範圍內", "無法判斷原因")]  # fmt: skip


@pytest.mark.parametrize("question, but_for, why", ASKED)
def test_the_first_sentence_says_what_was_seen_and_not_healthy(written, tmp_path, question, but_for, why):
    text = asked(question, tmp_path, attachments=(str(written(held(8.0, hours=24.0))),)).text
    first = text.split("\n\n")[0]
    assert but_for in first and why in first and "+7.9" in first
    assert first.count("](?log=run.csv&line=") == 3
    assert "healthy" not in text and "正常" not in text


@pytest.mark.parametrize(
    "question, kind", [("is run.csv ok?", "on/off control"), ("run.csv 正常嗎？", "開關控制")]
)
def test_a_loop_out_of_the_ordinary_is_named_in_the_answer(written, tmp_path, question, kind):
    assert kind in asked(question, tmp_path, attachments=(str(written(fridge())),)).text


def test_an_ordinary_loop_is_named_only_when_asked(written, tmp_path):
    log = (str(written(held(0.0))),)
    assert "Kind of loop" not in asked("is run.csv ok?", tmp_path, attachments=log).text
    told = asked("what kind of loop is run.csv?", tmp_path, attachments=log).text
    assert "Kind of loop, channel 1: continuous control, heats" in told and "--kind" in told


def test_channels_of_one_unusual_kind_are_told_in_one_line(written, tmp_path):
    log = (str(written(wide([fridge(), fridge(), held(0.0, hours=6.0)]))),)
    told = asked("is run.csv ok?", tmp_path, attachments=log).text
    assert told.count("Kind of loop") == 1 and "Kind of loop, channels 1, 2: on/off control" in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chart_shades_what_no_finding_covers_and_says_so(written, language):
    found = diagnose(read_as(written(held(8.0))))
    for draw in (loop_chart, error_chart):
        figure = draw(found.log, found.findings, language=language, diagnosis=found)
        named = [trace.name for trace in figure.data if trace.legendgroup == "excursion"]
        shades = [shape for shape in figure.layout.shapes if shape.type == "rect"]
        assert named == [word("excursion", language)] and len(shades) == 1
        assert "Shaded" in text_alternative(found.log, (), "en", excursions=found.excursions)
    covered = [replace(one, explained="sensor_bias") for one in found.excursions]
    assert not loop_chart(found.log, (), diagnosis=replace(found, excursions=covered)).layout.shapes


@pytest.mark.parametrize(
    "language, heading", [("en", "What happened, in order"), ("zh", "依時間先後發生的事")]
)
def test_the_report_has_the_kind_and_the_excursions_and_no_healthy_beside_them(written, language, heading):
    page = report([diagnose(read_as(written(wide([held(0.0), held(8.0)]))))], language)
    assert page.count("<tr data-kind>") == 2 and f"<h3>{heading}</h3>" in page
    assert "+7.9" in page and loop_wording.word("unexplained", language) in page
    verdict = re.search(r'class="verdict[^>]*>(.*?)</', page, re.DOTALL)
    assert not re.search("Healthy|正常", (verdict.group(1) if verdict else page[: page.index("<h3>")]))


def test_an_on_off_loop_never_rests_so_that_a_reading_which_does_is_stuck(tmp_path):
    rows = fridge()
    rows.loc[1500:, ["temp", "compressor"]] = rows.loc[1500, ["temp", "compressor"]].to_numpy()
    rows.to_csv(tmp_path / "stuck.csv", index=False)
    named = [one.fault for one in diagnosed(read_as(tmp_path / "stuck.csv", Stated())).findings]
    assert named == ["sensor_stuck"]


@pytest.mark.parametrize("value", [-1.0])
def test_a_thermometer_that_never_showed_anything_but_a_place_holder_may_be_open(tmp_path, value):
    rows = held(0.0, hours=1.0).assign(outside_temp=value)
    rows.to_csv(tmp_path / "dead.csv", index=False)
    (doubt,) = (
        why for why in diagnosed(read_as(tmp_path / "dead.csv", Stated())).withheld.values() if why.doubt
    )
    assert (doubt.doubt.fault, doubt.doubt.numbers["value"]) == ("sensor_open", value)  # beside the loop


@pytest.mark.parametrize(
    ("head", "cools"),
    [("Chilled water valve (%)", True), ("ChwValve (%)", True), ("冷卻閥(%)", True), ("Valve (%)", False)],
)
def test_what_the_values_leave_open_an_output_s_name_says(head, cools, tmp_path):
    slow = pd.DataFrame({"time": np.arange(600) * 1800.0, "setpoint": 18.0, "temp": 18.0})
    slow["temp"] += np.random.default_rng(2).normal(0.0, 0.1, 600).round(1)
    slow[head] = np.linspace(30.0, 90.0, 600).round(1)
    slow.to_csv(tmp_path / "run.csv", index=False)
    assert [kind.reverse for kind in diagnose(read_as(tmp_path / "run.csv")).kinds.values()] == [cools]
