"""A reader is told how far it is, and reads no more than the log had when it was opened."""

import gzip

import pytest
from instrument_lines import event, sample

from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.sources import chunks, open_source

LINES = "\n".join(sample(number / 2) if number % 2 else event(number / 2) for number in range(3000)) + "\n"


@pytest.mark.parametrize("packed", [False, True])
def test_progress_grows_to_all_of_the_log(packed, tmp_path):
    name = "run.log.gz" if packed else "run.log"
    content = LINES.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if packed else content)
    shares = []
    read_log(tmp_path / name, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)


def test_lines_written_after_opening_are_for_the_next_reading(tmp_path):
    path = tmp_path / "run.log"
    path.write_text(LINES, encoding="utf-8")
    source = open_source(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(sample(5000) + "\n")
    assert sum(chunk.content.count(b"\n") for chunk in chunks(source)) == 3000


def test_chunks_end_at_line_ends_and_count_lines(tmp_path):
    path = tmp_path / "run.log"
    path.write_text(LINES + "last", encoding="utf-8")
    found = list(chunks(open_source(path), chunk_bytes=1000))
    assert b"".join(chunk.content for chunk in found) == (LINES + "last").encode()
    assert found[-1].first_line == 3001
    assert all(chunk.content.endswith(b"\n") for chunk in found[:-1])
