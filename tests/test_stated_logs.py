"""What a log does not say of itself: stated on the command line, asked for in the terminal, remembered."""

import os
import pty
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import db
from instrumentgpt.__main__ import main
from instrumentgpt.commands.stating import answers
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.readings import read_as, recalled, remember
from instrumentgpt.instruments.tools.opened import open_log
from instrumentgpt.instruments.workspace import workspace

ROWS = [(2.0 * at, 37 + (at % 9) / 10, 20 + at % 5) for at in range(200)]


@pytest.fixture
def table(tmp_path):
    """Write rows of time, pv and output under `header` and return the file."""

    def written(header="time,temp,duty", name="run.csv", rows=ROWS):
        path = tmp_path / name
        path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]), encoding="utf-8")
        return path

    return written


def test_a_setpoint_given_as_a_value_is_judged_and_remembered_for_that_folder(table, capsys):
    path = table()
    assert main(["diagnose", "--setpoint", "37.4", str(path)]) == 0
    shown = capsys.readouterr()
    assert "the setpoint is 37.4, as was said" in shown.out and "--forget" in shown.err
    main(["diagnose", str(table(name="next.csv"))])
    assert "the setpoint is 37.4" in capsys.readouterr().out
    main(["diagnose", str(table("time,temp,other duty", "another.csv"))])
    assert "the setpoint is" not in capsys.readouterr().out
    main(["diagnose", "--forget", str(path)])
    main(["diagnose", str(path)])
    assert "the setpoint is" not in capsys.readouterr().out


def test_columns_are_given_by_head_and_the_unit_and_period_as_they_are(table, capsys):
    path = table("lever,temp,duty", rows=[(37.4, pv, output) for _, pv, output in ROWS])
    options = ["--setpoint", "lever", "--output", "duty", "--period", "2", "--unit", "f"]
    assert main(["diagnose", *options, str(path)]) == 0
    shown = capsys.readouterr().out
    assert "note: unit" not in shown and "period" not in shown


@pytest.mark.parametrize("wrong", [["--unit", "Rankine"], ["--period", "-1"]])
def test_a_unit_or_period_that_cannot_be_is_wrong_use(wrong, table, capsys):
    with pytest.raises(SystemExit):
        main(["diagnose", *wrong, str(table())])
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "typed", "stated"),
    [
        ("time,temp,duty", ["37.5"], Stated(setpoint=37.5)),
        ("time,temp,lever", ["lever"], Stated((("setpoint", "lever"),))),
        ("time,temp,duty", [""], None),
        ("n,temp,duty", ["", "soon", "0.5"], Stated(period=0.5)),
        ("time,room,set", ["c"], Stated(unit="°C")),
    ],
)
def test_what_is_missing_or_in_doubt_is_asked_for_once(header, typed, stated, table):
    first = [(9.0 if header.startswith("n,") else time, *cells) for time, *cells in ROWS]
    rows = [(time, 70.5, 70) for time, *_ in ROWS] if "room" in header else first
    asked, lines = [], iter(typed)

    def ask(question):
        asked.append(question)
        return next(lines)

    assert answers(read_log(table(header, rows=rows)), None, ask) == stated
    assert len(asked) == len(typed) and all(question.startswith("run.csv") for question in asked)


def test_a_person_at_a_terminal_is_asked_and_a_pipe_is_not(table):
    """The one question of `diagnose` on a terminal, answered with a value; the second time it is known."""
    path, root = table(), Path(__file__).parents[1]
    command = [sys.executable, "-m", "instrumentgpt", "diagnose", str(path)]
    for answer in (b"37.4\n", None):
        master, slave = pty.openpty()
        if answer:
            os.write(master, answer)
        running = subprocess.Popen(command, cwd=root, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        shown = b""
        while piece := _read(master):
            shown += piece
        assert running.wait(timeout=250) == 0
        os.close(master)
        assert b"the setpoint is 37.4" in shown
        assert (b"Which column is the setpoint" in shown) == (answer is not None)


def _read(master):
    try:
        return os.read(master, 1 << 16)
    except OSError:  # Linux tells the end of a terminal so
        return b""


def test_what_was_said_of_a_conversation_s_file_holds_for_its_tools_alone(table, tmp_path):
    path = table()
    with closing(db.connect(tmp_path / "kept.db")) as database:
        conversation, other = db.create_conversation(database), db.create_conversation(database)
        remember(database, conversation, read_as(path), Stated(setpoint=37.4))
        assert recalled(database, other, read_as(path)) is None
    opened = [
        open_log(
            workspace(
                cache=str(tmp_path),
                attachments=[str(path)],
                database=str(tmp_path / "kept.db"),
                conversation=one,
            ),
            "run.csv",
        )
        for one in (conversation, other)
    ]
    assert ["setpoint" in one.log.missing for one in opened] == [False, True]
