"""Every format reads its own samples, and nothing but them."""

import math

import pytest

from instrumentgpt.instruments.layouts import FOLDER, formats, load_format
from instrumentgpt.instruments.lines import VALUES, Rows, read_into
from instrumentgpt.instruments.logs import read_log

EXAMPLES = [(layout, example) for layout in formats().values() for example in layout.examples]


def stated(channel: int, values: tuple[float, ...]) -> dict[str, float]:
    known = {name: value for name, value in zip(VALUES, values, strict=True) if not math.isnan(value)}
    return {"channel": channel, **known}


@pytest.mark.parametrize(("layout", "example"), EXAMPLES, ids=lambda value: getattr(value, "name", ""))
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


@pytest.mark.parametrize("layout", formats().values(), ids=lambda layout: layout.name)
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
    from instrumentgpt.instruments.layouts import FIELDS, TIMES

    guide = (FOLDER.parents[2] / "docs" / "add-a-log-format.md").read_text(encoding="utf-8")
    assert [
        name for name in (*FIELDS, *TIMES) if f"`{name}`" not in guide and f"{{{name}}}" not in guide
    ] == []
