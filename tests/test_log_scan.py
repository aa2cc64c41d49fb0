"""The vectorised scan gives, bit for bit, what the plain reader gives."""

import numpy as np
import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from instrument_lines import SHAPES, event, sample

from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.layouts import formats
from instrumentgpt.instruments.reading.lines import Rows, read_into
from instrumentgpt.instruments.reading.parallel import scanned
from instrumentgpt.instruments.reading.scan import plan_of, samples_of, scan
from instrumentgpt.instruments.reading.sources import open_source
from instrumentgpt.instruments.reading.words import Text, numbers_at

LAYOUT = formats()["instrument-debug"]
NUMBERS = st.one_of(
    st.floats(-2000, 2000).map(lambda value: f"{value:.3f}"),
    st.floats(-1e9, 1e9).map(repr),
    st.integers(-(10**9), 10**9).map(str),
    st.sampled_from(["nan", "null", "-0.00", "+5", "5.", ".5", "1e3", "", "--", "0.30000000000000004", "7 "]),
)
CHANNELS = st.one_of(st.integers(1, 16).map(str), st.sampled_from(["", "-1", "1.5", "99999", "a"]))


@st.composite
def messages(draw):
    shape = draw(st.sampled_from(sorted(SHAPES)))
    line = sample(draw(st.floats(0, 1e6)), shape)
    for old in ("55.010", "55.01", "55.00", "55.0", "8.6"):
        if draw(st.booleans()):
            line = line.replace(old, draw(NUMBERS), 1)
    if draw(st.integers(0, 4)) == 0:
        line = (
            line.replace("1", draw(CHANNELS), 1) if draw(st.booleans()) else line[: draw(st.integers(0, 90))]
        )
    if draw(st.integers(0, 9)) == 0:
        line = line.replace("debug", draw(st.sampled_from(["critical", "notification", "d1", "", "trace"])))
    if draw(st.integers(0, 9)) == 0:
        line = (
            line.replace(".", ",", 1)
            if draw(st.booleans())
            else line.replace("-03-", "/03/").replace(" ", "T", 1)
        )
    return line


LINES = st.lists(
    st.one_of(
        messages(),
        st.builds(event, st.floats(0, 1e6)),
        st.sampled_from(["[TempCtrl] params id=1 kp=2 ki=3 kd=4", "TC;id;sp;pv;out"]).map(
            lambda text: event(5, text)
        ),
        st.text(max_size=40).map(lambda text: text.replace("\n", "")),
    ),
    max_size=30,
)


def plainly(content: bytes) -> tuple[Rows, int]:
    lines = content.split(b"\n")
    lines = lines[:-1] if lines[-1] == b"" else lines
    rows = Rows()
    read_into(rows, enumerate(lines, 1), LAYOUT)
    return rows, len(lines)


@settings(deadline=None, max_examples=300)
@given(LINES, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_the_scan_reads_what_the_plain_reader_reads(lines, line_end, closed):
    content = line_end.join(line.encode("utf-8", "replace") for line in lines) + (line_end if closed else b"")
    rows = Rows()
    found, count = scan(Text.of(content), 1, LAYOUT, rows)
    expected, expected_count = plainly(content)
    wanted = samples_of(expected)
    assert count == expected_count
    for name in ("line", "raw", "channel", "values"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), strict=True)
    assert str(rows.gains) == str(expected.gains)
    assert (rows.broken, rows.broken_count) == (expected.broken, expected.broken_count)


@settings(deadline=None, max_examples=300)
@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_a_number_found_by_words_is_the_float_that_python_reads(numbers):
    content = " ".join(numbers).encode()
    starts = np.cumsum([0] + [len(number) + 1 for number in numbers[:-1]])
    found = numbers_at(Text.of(content), starts)
    for number, value, ok, end, start in zip(
        numbers, found.values(), found.ok, found.end, starts, strict=True
    ):
        if ok:
            spelled = content[start:end]
            assert number.encode().startswith(spelled)
            assert float(spelled).hex() == float(value).hex()


@each("number", ["36.98", "-0.02", "7", "1234567.123456", "-403.06", "0.29930"])
def test_ordinary_numbers_need_no_plain_reader(number):
    found = numbers_at(Text.of(number.encode() + b" "), np.array([0]))
    assert found.ok.all() and found.end[0] == len(number)


def test_a_well_written_log_leaves_nothing_to_the_plain_reader():
    content = "\n".join(sample(second, shape) for second in range(50) for shape in SHAPES).encode()
    rows = Rows()
    found, _ = scan(Text.of(content), 1, LAYOUT, rows)
    assert (len(found.line), rows.line) == (300, [])


@pytest.mark.parametrize("block", [200, 1000, 4096])
def test_where_blocks_are_cut_does_not_matter(block, tmp_path):
    lines = [
        sample(number / 4, channel=number % 4 + 1) if number % 3 else event(number / 4)
        for number in range(200)
    ]
    (tmp_path / "run.log").write_text("\n".join([*lines, "x" * 9000, sample(60)]), encoding="utf-8")
    source = open_source(tmp_path / "run.log")
    parts = list(scanned(source, LAYOUT, {}, [], block_bytes=block))
    before = np.cumsum([0] + [count for _, _, count in parts])
    found = np.concatenate(
        [samples.line + first for (samples, _, _), first in zip(parts, before, strict=False)]
    )
    assert len(parts) > 3
    assert found.tolist() == read_log(tmp_path / "run.log").samples["line"].tolist()
    assert before[-1] == 202


def test_formats_of_fixed_messages_are_scanned_and_others_are_not():
    planned = {layout.name for layout in formats().values() if plan_of(layout)}
    assert planned == {"instrument-debug"}
