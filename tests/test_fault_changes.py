"""Faults that came, went or stayed between two logs, in the tool and on the command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from instrumentgpt.__main__ import main
from instrumentgpt.instruments.compare import fault_changes
from instrumentgpt.instruments.comparison_wording import fault_sentence
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose
from instrumentgpt.instruments.findings import Finding, Withheld
from instrumentgpt.instruments.logs import read_log

DEMO = Path(__file__).parents[1] / "demo" / "logs"
NEWEST_HAS = {  # device → the fault of its newest log that the one before had not, and its channel
    "zspr_050": ("ambient_disturbance", None),
    "zspr_051": ("saturation", 3),
    "zspr_052": None,
    "zspr_053": ("oscillation_tuning", 2),
    "zspr_054": ("sensor_spike", 1),
    "zspr_055": ("integral_windup", 3),
}


def logs_of(device: str) -> list[Path]:
    return sorted((DEMO / device).iterdir())


@pytest.fixture(scope="module")
def oscillating() -> list[Diagnosis]:
    return [diagnose(read_log(path)) for path in logs_of("zspr_053")]


def test_a_fault_of_the_later_log_is_new_and_one_of_the_earlier_is_gone(oscillating):
    before, after = oscillating
    (new,) = fault_changes(before, after)
    (gone,) = fault_changes(after, before)
    assert (new.kind, gone.kind) == ("fault_new", "fault_gone")
    assert new.finding is gone.finding is after.findings[0]


def test_a_fault_of_both_stays_and_is_told_as_it_is_now(oscillating):
    _, after = oscillating
    worse = replace(after, findings=(replace(after.findings[0], onset=1.0), *after.findings[1:]))
    (still,) = fault_changes(after, worse)
    assert (still.kind, still.finding.onset) == ("fault_still", 1.0)


@pytest.mark.parametrize(
    "blind",
    [
        {
            "findings": (),
            "withheld": {"oscillation_tuning": Withheld("oscillation_tuning", missing=("output",))},
        },
        {
            "findings": (
                Finding("sensor_open", 2, 0.0, 9.0, "high", (), consequences=("oscillation_tuning",)),
            )
        },
    ],
    ids=["withheld", "explained by another"],
)
def test_a_fault_that_the_later_log_cannot_show_is_not_called_gone(oscillating, blind):
    _, after = oscillating
    kinds = [one.kind for one in fault_changes(after, replace(after, **blind))]
    assert "fault_gone" not in kinds


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", ["fault_new", "fault_still", "fault_gone"])
def test_what_became_of_a_fault_is_said_with_its_numbers(oscillating, kind, language):
    change = replace(fault_changes(*oscillating)[0], kind=kind)
    assert "±2.71 °C" in fault_sentence(change, language)


@pytest.mark.parametrize("device", NEWEST_HAS)
def test_compare_tells_what_is_new_in_the_newest_log_of_each_demo_device(device, capsys):
    assert main(["compare", *map(str, logs_of(device)), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    new = [(row["class"], row["channel"]) for row in rows if row["kind"] == "fault_new"]
    assert new == ([NEWEST_HAS[device]] if NEWEST_HAS[device] else [])
    assert all(row["text"] for row in rows)


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "New fault: Oscillation from the gains. Channel 2"), ("zh", "新的異常：增益造成的振盪。通道 2")],
)
def test_compare_speaks_both_languages(language, said, capsys):
    assert main(["compare", *map(str, logs_of("zspr_053")), "--language", language]) == 0
    out = capsys.readouterr().out
    assert said in out and "kp 7 → 50 %/°C" in out


def test_one_log_is_compared_with_itself_at_a_time_of_its_clock(capsys):
    path = logs_of("zspr_050")[-1]
    assert main(["compare", str(path), "--at", "14:15"]) == 0
    assert "New fault: Disturbance from the room." in capsys.readouterr().out


def test_two_logs_that_do_not_differ_are_said_not_to(capsys):
    path = str(logs_of("zspr_052")[0])
    assert main(["compare", path, path]) == 0
    assert "Nothing changed by more than rounding and chance" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["a.log"], "Give an older and a newer log"),
        (["a.log", "b.log", "--at", "14:20"], "or one log with --at"),
        (["none.log", "none.log"], "Give the path of a log that can be read"),
        ([str(logs_of("zspr_050")[-1]), "--at", "03:00"], "Ask for a time in between"),
    ],
)
def test_what_cannot_be_compared_is_an_error_with_the_remedy(arguments, remedy, capsys):
    assert main(["compare", *arguments]) == 1
    err = capsys.readouterr().err
    assert remedy in err and "Traceback" not in err


@pytest.mark.parametrize("wrong", ["25:00", "14", "noon"])
def test_a_time_that_is_none_is_wrong_use(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["compare", "a.log", "--at", wrong])
    assert ended.value.code == 2
