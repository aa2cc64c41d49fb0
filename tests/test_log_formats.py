"""Every format reads its own samples, and nothing but them."""

import math
import os
import re

import pytest
from cases import each

from instrumentgpt.instruments.logs import UnreadableLog, read_log
from instrumentgpt.instruments.reading.layouts import FOLDER, formats, load_format
from instrumentgpt.instruments.reading.lines import VALUES, Rows, read_into
from instrumentgpt.instruments.reading.textlogs import format_problems
from instrumentgpt.settings import CHECKOUT, home

EXAMPLES = [(layout, example) for layout in formats().values() for example in layout.examples]


def stated(channel: int, values: tuple[float, ...]) -> dict[str, float]:
    known = {name: value for name, value in zip(VALUES, values, strict=True) if not math.isnan(value)}
    return {"channel": channel, **known}


@each("layout, example", EXAMPLES)
def test_an_example_is_read_as_its_format_says(layout, example):
    rows = Rows()
    read_into(rows, [(1, example["line"].encode())], layout)
    found = [stated(channel, values) for channel, values in zip(rows.channel, rows.values, strict=True)]
    assert found == [pytest.approx(sample, abs=0.005) for sample in example.get("samples", [])]
    if "gains" in example:
        assert [stated(channel, values) for _, channel, values in rows.gains] == [example["gains"]]
    assert rows.broken_count == 0


@pytest.mark.parametrize(("layout", "example"), EXAMPLES, ids=lambda value: getattr(value, "name", ""))
def test_a_file_of_one_example_is_recognised_as_its_format(layout, example, tmp_path):
    if "samples" not in example:
        pytest.skip("an example of gains or of an event: no sample to recognise a file by")
    (tmp_path / "one.log").write_text(example["line"] + "\n", encoding="utf-8")
    assert read_log(tmp_path / "one.log").format.split(" (")[0] == layout.name


@each("layout", formats().values())
def test_every_sample_pattern_of_a_format_has_an_example(layout):
    shown = Rows()
    read_into(shown, [(1, example["line"].encode()) for example in layout.examples], layout)
    assert set(shown.scales) == {pattern.name for pattern in layout.samples}


@pytest.mark.parametrize(
    "example",
    [example for _, example in EXAMPLES if "event" in example],
    ids=lambda example: example["event"]["text"],
)
def test_an_example_of_an_event_is_taken_apart(example, tmp_path):
    layout, sample = next(
        (layout, one) for layout, one in EXAMPLES if "samples" in one and example in layout.examples
    )
    (tmp_path / "run.log").write_text(f"{sample['line']}\n{example['line']}\n", encoding="utf-8")
    event = read_log(tmp_path / "run.log").events.iloc[0]
    assert {name: event[name] for name in example["event"]} == example["event"], layout.name


def test_a_new_format_is_one_file(tmp_path):
    (tmp_path / "mine.toml").write_text(
        'title = "Mine"\n[[prefix]]\nline = "{time} "\ntime = "clock"\n'
        '[[samples]]\nname = "loop"\nline = "L{channel} is {pv} wants {setpoint}"\n'
        '[[examples]]\nline = "05:04:52 L2 is 36.9 wants 37.0"\n',
        encoding="utf-8",
    )
    layout = load_format(tmp_path / "mine.toml")
    rows = Rows()
    read_into(rows, [(1, layout.examples[0]["line"].encode())], layout)
    assert (rows.channel, rows.values[0][:2]) == ([2], (37.0, 36.9))


def test_the_guide_names_every_placeholder_and_every_kind_of_time():
    from instrumentgpt.instruments.reading.layouts import FIELDS, TIMES

    guide = (FOLDER.parents[2] / "docs" / "add-a-log-format.md").read_text(encoding="utf-8")
    assert [
        name for name in (*FIELDS, *TIMES) if f"`{name}`" not in guide and f"{{{name}}}" not in guide
    ] == []


def test_named_values_with_a_duty_of_0_to_1_are_told_in_percent(tmp_path):
    (tmp_path / "run.log").write_text(
        "2026-03-04 17:50:13 target=37.0 temp=36.9 duty=0.45\n", encoding="utf-8"
    )
    log = read_log(tmp_path / "run.log")
    assert (log.samples["output"].iloc[0], log.guessed) == (45.0, {"output": "a duty of 0 to 1"})


def test_a_clock_that_counts_from_the_start_gets_its_date_from_the_line_that_tells_it(tmp_path):
    stats = "Stats {}.9: extruder: target=220 temp=150.7 pwm=1.000"
    start = "Start printer at Fri May 13 10:11:12 2022 (1652436672.1 400.0)"
    (tmp_path / "klippy.log").write_text(
        "\n".join([start, stats.format(400), stats.format(401)]), encoding="utf-8"
    )
    log = read_log(tmp_path / "klippy.log")
    assert log.clock(1.0) == "2022-05-13 10:11:14.000"
    assert log.channel_names == {1: "extruder"}


def test_only_the_last_stage_of_a_cycle_counts(tmp_path):
    stages = ["[05:04:52] x [PID DEBUG] a | final=-20.00", "[05:04:52] x [PID DEBUG] b | final=-1.98"]
    (tmp_path / "run.log").write_text("\n".join(stages), encoding="utf-8")
    log = read_log(tmp_path / "run.log")
    assert (log.samples["output"].tolist(), log.missing) == ([-1.98], ("setpoint", "pv"))


def test_a_report_without_times_asks_for_the_period(tmp_path):
    (tmp_path / "run.log").write_text(" T:22.1 /245.0 @:127\n T:23.1 /245.0 @:127\n", encoding="utf-8")
    assert read_log(tmp_path / "run.log").missing == ("period",)
    log = read_log(tmp_path / "run.log", period=2.0)
    assert (log.missing, log.samples["time"].tolist()) == ((), [0.0, 2.0])


OWN = """title = "Oven of the north lab"
[[samples]]
line = "Q {channel} W{setpoint} X{pv} Y{output}"
[[examples]]
line = "Q 1 W55.0 X54.9 Y8.6"
samples = [{ channel = 1, setpoint = 55.0, pv = 54.9, output = OUTPUT }]
"""


@pytest.fixture
def north(tmp_path):
    """Return a log that only a format of the user's own reads, and the folder for such formats."""
    (home() / "formats").mkdir(parents=True)
    lines = (f"Q {channel} W55.0 X54.{row} Y8.{row}" for row in range(9) for channel in (1, 2))
    (tmp_path / "run.log").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "run.log", home() / "formats"


def test_a_format_of_the_users_own_is_read_from_the_home_folder_as_soon_as_it_lies_there(north, tmp_path):
    log, folder = north
    assert read_log(log, cache=tmp_path / "frames").layout != "north"
    (folder / "north.toml").write_text(OWN.replace("OUTPUT", "8.6"), encoding="utf-8")
    read = read_log(log, cache=tmp_path / "frames")
    assert read.layout == "north" and read.samples["output"].tolist()[:4] == [8.0, 8.0, 8.1, 8.1]
    assert format_problems() == []
    other = OWN.replace("OUTPUT", "8.6").replace("X{pv} Y{output}", "X{output} Y{pv}")
    (folder / "north.toml").write_text(other, encoding="utf-8")
    os.utime(folder / "north.toml", ns=(1, 1))
    assert read_log(log, cache=tmp_path / "frames").samples["pv"].tolist()[:4] == [8.0, 8.0, 8.1, 8.1]
    assert "its example" in format_problems()[0] and "Correct" in format_problems()[0]


def test_the_examples_of_the_how_to_are_formats_that_read_their_lines(north):
    _, folder = north
    text = (CHECKOUT / "docs" / "add-a-log-format.md").read_text(encoding="utf-8")
    for number, example in enumerate(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)):
        (folder / f"example{number}.toml").write_text(example, encoding="utf-8")
    assert number == 2 and format_problems() == []


@each(
    "text, what",
    [
        ('title = "x"', "it lacks 'samples'"),
        ("title = ", "is no format"),
        (
            'title = "x"\nexamples = []\n[[samples]]\nline = "{temp}"',
            "it lacks 'temp', or that is no placeholder",
        ),
        ('title = "x"\nexamples = []\n[[samples]]\nfind = "(("', "is no format"),
        ('title = "x"\nexamples = 3\nsamples = 4', "is no format"),
    ],
)
def test_a_format_that_is_none_is_told_and_reads_nothing_while_other_logs_are_read(
    text, what, north, tmp_path
):
    log, folder = north
    log.write_text("hello\nworld\n", encoding="utf-8")
    (folder / "bad.toml").write_text(text, encoding="utf-8")
    assert [what in problem and "docs/add-a-log-format.md" in problem for problem in format_problems()] == [
        True
    ]
    with pytest.raises(UnreadableLog, match=r"bad\.toml is no format"):
        read_log(log)
    (tmp_path / "table.csv").write_text("time,pv\n1,20.5\n2,20.6\n3,20.7\n", encoding="utf-8")
    assert len(read_log(tmp_path / "table.csv").samples) == 3
