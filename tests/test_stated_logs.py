"""What a log does not say of itself: stated on the command line, remembered."""

from contextlib import closing

import pytest

import db
from instrumentgpt.__main__ import main
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
    assert "--setpoint COLUMN" not in shown.out
    main(["diagnose", str(table(name="next.csv"))])
    assert "the setpoint is 37.4" in capsys.readouterr().out
    main(["diagnose", str(table("time,temp,other duty", "another.csv"))])
    assert "the setpoint is" not in capsys.readouterr().out
    main(["diagnose", "--forget", str(path)])
    main(["diagnose", str(path)])
    shown = capsys.readouterr().out
    assert "the setpoint is" not in shown and f"diagnose {path} --setpoint COLUMN" in shown


def test_columns_are_given_by_head_and_the_unit_and_period_as_they_are(table, capsys):
    path = table("wanted,temp,duty", rows=[(37.4, pv, output) for _, pv, output in ROWS])
    options = ["--setpoint", "wanted", "--output", "duty", "--period", "2", "--unit", "f"]
    assert main(["diagnose", *options, str(path)]) == 0
    shown = capsys.readouterr().out
    assert "note: unit" not in shown and "period" not in shown


@pytest.mark.parametrize("wrong", [["--unit", "Rankine"], ["--period", "-1"]])
def test_a_unit_or_period_that_cannot_be_is_wrong_use(wrong, table, capsys):
    with pytest.raises(SystemExit):
        main(["diagnose", *wrong, str(table())])
    assert "usage:" in capsys.readouterr().err


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
