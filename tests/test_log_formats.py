"""Every format reads its own samples, and nothing but them."""

import math

import pytest
from cases import each

from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.layouts import FOLDER, formats, load_format
from instrumentgpt.instruments.reading.lines import VALUES, Rows, read_into

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
