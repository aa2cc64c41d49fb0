"""Any line of a log is read by seeking, and is the same line that reading from the start gives."""

import gzip
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from instrumentgpt.instruments.logs import read_lines
from instrumentgpt.instruments.reading.encodings import encoding_of
from instrumentgpt.instruments.reading.line_index import indexed_lines, line_index
from instrumentgpt.instruments.reading.sources import open_source, text_of
from instrumentgpt.instruments.reading.transcripts import DamagedLog


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "frames"


def write(folder, name="run.log", content=b"one\ntwo\nthree\n"):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def numbered(content):
    return [
        (number, text_of(line)) for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), 1)
    ]


@pytest.mark.parametrize("name", ["run.log", "run.log.gz"])
@pytest.mark.parametrize(
    "content",
    [
        b"one\ntwo\nthree\n",
        b"one\ntwo\nthree",
        b"\n\n\n",
        b"x",
        "溫度 25\r\nmore\r\n".encode(),
        b"bad \xb0\nnext\x00\n",
    ],
)
def test_indexed_lines_are_the_lines_of_the_file(tmp_path, cache, name, content):
    source = open_source(write(tmp_path / "logs", name, content))
    assert indexed_lines(line_index(source, cache), 1, 99) == numbered(content)


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=30))
def test_every_range_of_every_text_is_read_alike(tmp_path_factory, lines):
    folder, content = tmp_path_factory.mktemp("log"), b"\n".join(lines) + b"\n"
    assume(not encoding_of(content))  # its text is another than its bytes
    assume(not content.startswith(b"\x1f\x8b"))  # a packed file of which little is left
    try:
        source = open_source(write(folder, content=content))
        index = line_index(source, folder / "frames")
    except DamagedLog:  # it begins as a packed file does
        return
    for first in (1, 2, len(lines)):
        assert indexed_lines(index, first, first + 3) == numbered(content)[first - 1 : first + 3]


def test_a_log_of_many_strides_is_read_at_any_place(tmp_path, cache):
    content = b"".join(b"%07d %s\n" % (number, b"x" * 90) for number in range(1, 60_001))
    source = open_source(write(tmp_path / "logs", content=content))
    index = line_index(source, cache)
    assert len(index.lines) > 4
    for line in (1, 2, *index.lines[1:4], index.lines[2] - 1, 59_999, 60_000):
        ((number, text),) = indexed_lines(index, line, line)
        assert (number, int(text[:7])) == (line, line)
    assert index.total == 60_000


def test_a_rotated_set_is_one_log_even_where_a_part_lacks_its_last_line_end(tmp_path, cache):
    write(tmp_path / "logs", "run.log.1", b"a\nb")
    path = write(tmp_path / "logs", "run.log", b"c\nd\n")
    assert read_lines(path, 2, 3, cache) == [(2, "b"), (3, "c")]


def test_a_rotated_set_with_a_packed_part_is_one_log_too(tmp_path, cache):
    write(tmp_path / "logs", "run.log.1.gz", b"a\nb")
    path = write(tmp_path / "logs", "run.log", b"c\nd\n")
    assert read_lines(path, 1, 9, cache) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


@pytest.mark.parametrize(("first", "last"), [(4, 9), (0, 0), (3, 2), (-5, -1)])
def test_lines_that_a_log_does_not_have_are_none(tmp_path, cache, first, last):
    path = write(tmp_path / "logs")
    assert read_lines(path, first, last, cache) == []


def test_the_second_reading_uses_the_kept_index(tmp_path, cache):
    path = write(tmp_path / "logs")
    read_lines(path, 1, 1, cache)
    (kept,) = cache.glob("*.json")
    stored = json.loads(kept.read_text())
    kept.write_text(json.dumps({**stored, "total": 2}))
    assert read_lines(path, 1, 9, cache) == [(1, "one"), (2, "two")]


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"parts": 1}', "\x00"])
def test_a_damaged_index_is_made_anew(tmp_path, cache, damage):
    path = write(tmp_path / "logs")
    read_lines(path, 1, 1, cache)
    (kept,) = cache.glob("*.json")
    kept.write_text(damage)
    assert read_lines(path, 2, 2, cache) == [(2, "two")]


def test_an_unpacked_text_that_was_removed_is_made_anew(tmp_path, cache):
    path = write(tmp_path / "logs", "run.log.gz")
    read_lines(path, 1, 1, cache)
    (unpacked,) = cache.glob("*.txt")
    unpacked.unlink()
    assert read_lines(path, 2, 2, cache) == [(2, "two")]


def test_a_log_that_has_grown_has_its_new_lines(tmp_path, cache):
    path = write(tmp_path / "logs")
    read_lines(path, 1, 1, cache)
    with path.open("ab") as file:
        file.write(b"four\n")
    assert read_lines(path, 4, 4, cache) == [(4, "four")]


def test_progress_ends_at_the_whole_log(tmp_path, cache):
    shares = []
    line_index(open_source(write(tmp_path / "logs")), cache, shares.append)
    assert shares[-1] == 1.0
