"""The commands as a person or a script uses them."""

import argparse
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each

from demo.simulate import demo_scenarios, write_log
from instrumentgpt.__main__ import COMMANDS, main, parser
from instrumentgpt.commands import arguments

ROOT = Path(__file__).parents[1]
DOCS = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def oscillating(tmp_path_factory) -> Path:
    scenario = next(one for one in demo_scenarios().values() if "oscillates" in one.condition)
    return write_log(tmp_path_factory.mktemp("logs") / "zspr_053" / "run.log.gz", scenario)


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "instrumentgpt", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def flags(command: str) -> list[str]:
    one = argparse.ArgumentParser()
    arguments.add_options(one, command)
    shown = [action for action in one._actions if action.help != argparse.SUPPRESS]
    return [flag for action in shown for flag in action.option_strings if flag not in ("-h", "--help")]


@each("command", COMMANDS)
def test_every_command_and_flag_is_in_the_documentation(command):
    (section,) = re.findall(rf"^## {command}\n(.*?)(?=^## |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert f"(#{command})" in DOCS
    assert [flag for flag in flags(command) if flag not in section] == []


@each("command", COMMANDS)
def test_the_documentation_names_no_flag_that_is_not_there(command):
    (section,) = re.findall(rf"^## {command}\n(.*?)(?=^## |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"^\| `(--[\w-]+)", section, re.MULTILINE))
    assert named <= set(flags(command))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([command, "--help"])
    assert ended.value.code == 0
    assert COMMANDS[command].split()[0] in capsys.readouterr().out


HEAVY = {"scipy", "plotly", "pydantic", "mcp", "jinja2", "streamlit", "aiohttp", "asyncssh"}
HEAVIEST = HEAVY | {"pandas", "numpy", "sqlite_utils", "psutil"}


@pytest.mark.parametrize(
    "arguments, unwanted",
    [(["--help"], HEAVIEST), (["ask", "--help"], HEAVIEST), (["diagnose", "LOG"], HEAVY)],
    ids=["help", "help of a command", "diagnose"],
)
def test_a_command_imports_only_what_it_needs(arguments, unwanted, tmp_path):
    """What `scipy.special` and the analyst's patterns cost was most of `diagnose` on a small log."""
    log = write_log(tmp_path / "run.log", next(iter(demo_scenarios().values())))
    told = [str(log) if word == "LOG" else word for word in arguments]
    code = """if True:
        import sys
        from instrumentgpt.__main__ import main
        try:
            main(sys.argv[1:])
        finally:
            print(*sys.modules)"""
    done = subprocess.run(
        [sys.executable, "-c", code, *told], capture_output=True, text=True, cwd=ROOT, timeout=250
    )
    assert unwanted & set(done.stdout.splitlines()[-1].split()) == set(), done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["paint"],
        ["diagnose"],
        ["diagnose", "x.log", "--columns", "time"],
        ["diagnose", "x.log", "--period", "0"],
        ["plot", "x.log"],
        ["ask", "q", "--continue", "--conversation", "x"],
    ],
)
def test_wrong_use_exits_with_2_and_says_what_is_right(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_diagnose_tells_people_the_finding_its_lines_and_what_to_do(oscillating, capsys):
    assert main(["diagnose", str(oscillating)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("zspr_053/run.log:")
    for part in (
        "HIGH, certain  oscillation_tuning, channel 2, since",
        "pv swings by",
        "L 4,",
        "ruled out:",
        "next:",
    ):
        assert part in out


def test_diagnose_prints_one_json_object_a_line_likeliest_cause_first(oscillating, capsys):
    assert main(["diagnose", "--json", str(oscillating)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [row["class"] for row in rows if "class" in row]
    assert found == ["oscillation_tuning", "healthy", "healthy", "healthy"]
    first = rows[0]
    assert (first["log"], first["channel"], first["severity"]) == ("zspr_053/run.log", 2, "high")
    assert isinstance(first["onset"], float) and first["summary"].startswith("Channel 2")
    assert (first["confidence"], "kp halved" in first["next_test"]) == ("certain", True)
    assert {"line", "values"} == set(first["evidence"][0])


def test_a_log_that_cannot_be_read_costs_that_log_only(oscillating, tmp_path, capsys):
    bad = tmp_path / "bad.log"
    bad.write_text("dear diary\n", encoding="utf-8")
    assert main(["diagnose", str(tmp_path / "none.log"), str(bad), str(oscillating)]) == 1
    out, err = capsys.readouterr()
    assert "oscillation_tuning" in out
    assert "none.log" in err and "bad.log" in err and "Traceback" not in err


def test_plot_writes_a_page_that_needs_no_network(oscillating, tmp_path, capsys):
    target = tmp_path / "run.html"
    assert main(["plot", str(oscillating), "-o", str(target), "--channel", "2"]) == 0
    page = target.read_text(encoding="utf-8")
    assert "Plotly.newPlot" in page and not re.search(r"<script[^>]+src=", page)
    assert "run.log" in capsys.readouterr().out


def test_plot_names_the_channels_there_are(oscillating, tmp_path, capsys):
    assert main(["plot", str(oscillating), "-o", str(tmp_path / "x.html"), "--channel", "9"]) == 1
    assert "It has: 1, 2, 3, 4" in capsys.readouterr().err


@pytest.mark.parametrize(("chart", "traces"), [("loop", 3), ("error", 1)])
def test_plot_draws_the_chart_that_is_named(oscillating, tmp_path, capsys, chart, traces):
    target = tmp_path / "run.json"
    assert main(["plot", str(oscillating), "-o", str(target), "--channel", "2", "--chart", chart]) == 0
    figure = json.loads(target.read_text(encoding="utf-8"))
    assert sum(trace["mode"] == "lines" for trace in figure["data"]) == traces


def test_plot_names_the_charts_there_are(oscillating, tmp_path, capsys):
    assert main(["plot", str(oscillating), "-o", str(tmp_path / "x.html"), "--chart", "pie"]) == 1
    assert "There are: loop, error" in capsys.readouterr().err


def test_devices_are_listed_with_their_newest_log(capsys):
    assert main(["devices"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert len(lines) == 6
    assert any("zspr 052 (10.1.1.47)" in line and "2026-02-19_23-24-45.39.log" in line for line in lines)


@pytest.fixture
def oven(tmp_path, monkeypatch):
    """Return the folder of the one device of the inventory, with a table that has no setpoint in it."""
    (tmp_path / "devices.toml").write_text('[[device]]\nname = "oven 1"\nlogs = "logs"\n', encoding="utf-8")
    (tmp_path / "logs").mkdir()
    rows = [f"09:{row:02d}:00,{40 + row % 7 / 10},{20 + row % 5},{row % 2}" for row in range(40)]
    rows.insert(9, "09:08:30,40.2")
    text = "\n".join(["time,Oven Temp (C),Knob (%),Door", *rows])
    (tmp_path / "logs" / "run.csv").write_text(text, encoding="utf-8")
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(tmp_path / "devices.toml"))
    return tmp_path / "logs"


def test_a_named_device_is_told_with_what_its_newest_log_was_understood_as(oven, capsys):
    assert main(["devices", "oven 1"]) == 0
    out = capsys.readouterr().out
    for part in ("40 rows, one each 60 s", "pv “Oven Temp (C)” (°C)", "no setpoint", "“Door”"):
        assert part in out, out
    assert "1 line not understood, such as L 11 “09:08:30,40.2”: 2 cells, not 4" in out
    assert 'devices "oven 1" --setpoint COLUMN' in out
    assert main(["devices", "oven 1", "--language", "zh"]) == 0
    assert "哪一欄是設定值" in capsys.readouterr().out


def test_what_a_log_does_not_say_is_told_to_devices_and_remembered_for_its_device(oven, capsys):
    assert main(["devices"]) == 0
    assert "Which column is the setpoint" in capsys.readouterr().out
    assert main(["devices", "oven 1", "--setpoint", "40.3"]) == 0
    capsys.readouterr()
    assert main(["devices"]) == 0
    assert "Which column is the setpoint" not in capsys.readouterr().out
    assert main(["devices", "--setpoint", "40.3"]) == 1
    assert "Name it" in capsys.readouterr().err


def test_a_device_whose_newest_log_cannot_be_read_is_told_and_the_command_fails(oven, capsys):
    (oven / "run.csv").write_text("hello\nworld\n", encoding="utf-8")
    assert main(["devices"]) == 1
    assert "run.csv: fits none of the" in capsys.readouterr().out


def test_a_log_that_is_only_half_read_says_so_when_it_is_diagnosed(oven, capsys):
    assert main(["diagnose", str(oven / "run.csv")]) == 0
    assert "1 line not understood, such as L 11" in capsys.readouterr().out


def test_a_device_whose_folder_is_away_is_listed_and_the_command_fails(tmp_path, monkeypatch, capsys):
    inventory = tmp_path / "devices.toml"
    inventory.write_text('[[device]]\nname = "oven 1"\nip = "10.0.0.1"\nlogs = "nowhere"\n', encoding="utf-8")
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(inventory))
    assert main(["devices", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]


def test_doctor_says_what_works_and_what_is_optional(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for part in ("Python", "packages", "database", "inventory", "zspr 050 (10.1.1.85)", "Offline analyst"):
        assert part in out


def test_doctor_fails_with_the_remedy_where_something_needed_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(tmp_path / "none.toml"))
    assert main(["doctor"]) == 1
    assert "→" in capsys.readouterr().out


def test_a_reader_that_has_seen_enough_is_no_error(oscillating):
    process = start("diagnose", "--json", *[oscillating] * 5)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(250) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_ctrl_c_ends_quietly(oscillating):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
    try:
        process = start("diagnose", "--json", *[oscillating] * 200)
    finally:
        signal.signal(signal.SIGINT, before)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=250)
    assert (process.returncode, errors) == (130, b"")


@pytest.mark.parametrize(("language", "words"), [("en", "7 segments, the worst first"), ("zh", "7 個區段")])
def test_a_log_of_days_is_told_in_a_table_of_segments_and_what_changes(tmp_path, capsys, language, words):
    rows = ["time_s,setpoint,temperature,output"]
    for n in range(7 * 1440):
        rows.append(f"{n * 60},37.0,{37 + 0.02 * (n % 3):.2f},{40 + n / 1440 + n % 2:.1f}")
    log = tmp_path / "week.csv"
    log.write_text("\n".join(rows))
    assert main(["diagnose", "--language", language, str(log)]) == 0
    printed = capsys.readouterr().out
    assert words in printed
    assert "+0.99" in printed or "+1" in printed
    assert main(["diagnose", "--json", str(log)]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sum("segment" in row for row in told) == 7
    assert [row["trend"]["quantity"] for row in told if "trend" in row] == ["duty"]
