"""Damaged, odd and split logs: read as far as they go, nothing lost in silence, or refused with a reason."""

import gzip
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from instrument_lines import event, sample

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.logs import UnreadableLog, read_log
from instrumentgpt.instruments.reading.sources import EmptyLog

LINES = [
    sample(number / 2, channel=number % 2 + 1) if number % 3 else event(number / 2) for number in range(60)
]


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_truncated_gz_is_read_to_where_it_is_cut_and_says_so(folder):
    lines = [sample(number / 2) for number in range(20_000)]
    packed = gzip.compress("\n".join(lines).encode())
    log = read_log(write(folder / "run.log.gz", packed[: len(packed) // 2]))
    assert 5_000 < len(log.samples) < 15_000
    assert any("cut off or damaged" in note and "run.log.gz" in note for note in log.notes)


def test_bytes_that_are_no_utf8_cost_nothing(folder):
    content = "\n".join(LINES).encode().replace(b"client", b"cli\xb0nt", 1)
    log = read_log(write(folder / "run.log", content))
    assert len(log.samples) == 40
    assert "cli\ufffdnt" in log.events["text"].iloc[0]


def test_zero_bytes_of_a_power_cut_cost_nothing(folder):
    lines = [*LINES[:30], "\0" * 500 + LINES[31], *LINES[32:]]  # instead of two lines, one an event
    assert len(read_log(write(folder / "run.log", "\n".join(lines))).samples) == 40


def test_a_byte_order_mark_and_windows_line_ends_cost_nothing(folder):
    log = read_log(write(folder / "run.log", "\ufeff" + "\r\n".join(LINES[1:])))
    assert len(log.samples) == 40
    assert "\r" not in "".join(log.events["text"])


def test_a_last_line_without_its_end_is_read_if_whole_and_broken_if_not(folder):
    assert len(read_log(write(folder / "whole.log", "\n".join(LINES))).samples) == 40
    cut = read_log(write(folder / "cut.log", "\n".join(LINES)[:-12]))
    assert (len(cut.samples), cut.broken.count) == (39, 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "is a picture"),
        (bytes(5000), "is no text"),
        (b"hello\nworld\n", "fits none of the"),
        (b"\xff\xfeh\x00e\x00", "fits none of the"),
    ],
)
def test_what_is_no_log_is_refused_with_the_reason(content, words, folder):
    with pytest.raises(UnreadableLog, match=words):
        read_log(write(folder / "some.log", content))


def test_a_refusal_names_the_formats_tried_the_nearest_one_and_the_way_out(folder):
    with pytest.raises(UnreadableLog) as refused:
        read_log(write(folder / "run.log", event(0, "[Fan] rpm=3491") + "\n"))
    text = str(refused.value)
    assert "instrument-debug, kiln, klipper, marlin, pid-stages, key-value" in text
    assert "Nearest is instrument-debug: line 1 is “[2026-03-04 17:50:13.786][info] [Fan] rpm=3491”" in text
    assert "docs/add-a-log-format.md" in text


def test_a_file_that_is_not_there_is_the_system_s_own_error(folder):
    with pytest.raises(FileNotFoundError):
        read_log(folder / "none.log")


def test_an_empty_folder_is_refused(folder):
    with pytest.raises(EmptyLog):
        read_log(folder)


def test_the_events_of_a_damaged_log_hold_its_broken_lines(folder):
    log = read_log(write(folder / "run.log", "\n".join([LINES[1], LINES[2][:70], LINES[4]])))
    assert log.events["line"].tolist() == [2]


def split(folder, content: bytes, cuts: list[int], packed: bool) -> None:
    """Write `content` as run.log and its rotated parts, the oldest with the greatest number."""
    bounds = [0, *cuts, len(content)]
    parts = [content[start:end] for start, end in pairwise(bounds)]
    for age, part in enumerate(reversed(parts)):
        name = "run.log" if age == 0 else f"run.log.{age}"
        if packed and age:
            (folder / f"{name}.gz").write_bytes(gzip.compress(part))
        else:
            (folder / name).write_bytes(part)


def line_ends(content: bytes) -> list[int]:
    return [at + 1 for at, letter in enumerate(content) if letter == 10]


@settings(deadline=None, max_examples=25)
@given(st.sets(st.integers(0, 58), max_size=12), st.booleans())
def test_rotated_parts_are_one_log(tmp_path_factory, numbers, packed):
    folder = tmp_path_factory.mktemp("rotated")
    content = ("\n".join(LINES) + "\n").encode()
    split(folder, content, [line_ends(content)[number] for number in sorted(numbers)], packed)
    whole = tmp_path_factory.mktemp("whole") / "run.log"
    whole.write_bytes(content)
    expected, log = read_log(whole), read_log(folder / "run.log")
    pd.testing.assert_frame_equal(log.samples, expected.samples)
    pd.testing.assert_frame_equal(log.events, expected.events)
    pd.testing.assert_frame_equal(read_log(folder).samples, expected.samples)


def test_a_folder_of_dated_logs_is_one_log_in_the_order_of_their_names(folder):
    half = len(LINES) // 2
    write(folder / "run_2026-03-05.log", "\n".join(LINES[half:]) + "\n")
    write(folder / "run_2026-03-04.log", "\n".join(LINES[:half]) + "\n")
    log = read_log(folder)
    assert log.samples["time"].is_monotonic_increasing and len(log.samples) == 40
    assert "run_2026-03-04.log, run_2026-03-05.log" in log.notes[0]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 60), st.text(max_size=30)), max_size=15))
def test_unrelated_lines_change_nothing_but_line_numbers(tmp_path_factory, strangers):
    folder = tmp_path_factory.mktemp("strangers")
    lines = list(LINES)
    for place, text in strangers:
        lines.insert(place, event(place / 2, "[Main] " + "".join(text.split())))
    expected = read_log(write(folder / "plain.log", "\n".join(LINES))).samples
    found = read_log(write(folder / "mixed.log", "\n".join(lines))).samples
    pd.testing.assert_frame_equal(
        found.drop(columns=["line", "time"]), expected.drop(columns=["line", "time"])
    )


@settings(deadline=None, max_examples=150)
@given(st.one_of(st.binary(max_size=400), st.text(max_size=400).map(str.encode)))
@example(b"PK\x03\x04")
@example(b"PAR1")
@example(b"\x1f\x8b")
def test_no_content_crashes_the_reader(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "any.log"
    path.write_bytes(content)
    try:
        log = read_log(path)
    except InstrumentGPTError:  # of what is no log, or damaged, and says so
        return
    assert len(log.samples) + len(log.events) + log.broken.count >= 0


TABLE = st.lists(
    st.lists(
        st.one_of(
            st.floats(allow_nan=True).map(str),
            st.integers(-(10**20), 10**20).map(str),
            st.sampled_from(
                ["time", "pv", "setpoint", "NAN", "", "12:00:01", "2026-03-04 17:50:13", "ON", "3,5", "T1"]
            ),
        ),
        min_size=2,
        max_size=4,
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=200)
@example([["0.0", "2.0", "1"], ["1.0", "1.0", "0.0"]], ",")  # shorter than a lag
@example([["pv", "T1"], *[["1.6e-221", "2.5e-221"]] * 9, ["0.0", "0.0"]], ",")  # as of a damaged file
@given(TABLE, st.sampled_from([",", ";", "\t", " ", "|"]))
def test_no_table_crashes_the_reader_or_loses_a_row(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.mktemp("table") / "any.csv"
    path.write_text("\n".join(delimiter.join(row) for row in rows), encoding="utf-8")
    try:
        log = read_log(path)
    except UnreadableLog:
        return
    headers = int("header)" in log.format and "no header" not in log.format)
    blank = {number for number, row in enumerate(rows, start=1) if not delimiter.join(row).strip()}
    again = sum(int(note.split()[4].strip(",")) for note in log.notes if note.startswith("headers that come"))
    told = {*log.samples["line"], *log.events["line"]}  # a remark in a row is both
    found = len(told | blank) + headers + again
    several = log.format.startswith("table (named values")  # lines may be one row
    assert found == log.lines or (several and found < log.lines)
    assert log.broken.count <= len(log.events)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 59), st.integers(0, 80)), max_size=10))
def test_rows_and_broken_lines_are_all_lines_meant_as_samples(tmp_path_factory, cuts):
    lines = list(LINES)
    for number, length in cuts:
        lines[number] = lines[number][:length]
    path = write(tmp_path_factory.mktemp("cut") / "run.log", "\n".join(lines))
    meant = sum("[TempCtrl] id=" in line for line in lines)
    try:
        log = read_log(path)
    except UnreadableLog:
        assert meant == 0
        return
    assert len(log.samples) + log.broken.count == meant
