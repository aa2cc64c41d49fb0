"""Files that hold far more text than they look: refused with the figure and the remedy, before it costs."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from instrument_lines import sample

from instrumentgpt.__main__ import main
from instrumentgpt.instruments.logs import read_lines, read_log
from instrumentgpt.instruments.reading import bounds
from instrumentgpt.instruments.reading.bounds import OversizedLog

ROOT = Path(__file__).parents[1]
LINES = "".join(f"{sample(number / 2)}\n" for number in range(2_000)).encode()
MIB = 1 << 20


def packed(path, beginning, block, count):
    """Write `beginning` and so many `block`s as members of one .gz, which costs as little as reading it."""
    path.write_bytes(gzip.compress(beginning) + gzip.compress(block) * count)
    return path


def sparse(path, beginning, size):
    path.write_bytes(beginning)
    os.truncate(path, size)
    return path


BOMBS = {
    "zeros.log.gz": lambda path: packed(path, b"", bytes(MIB), 3_000),
    "line ends.csv.gz": lambda path: packed(path, b"", b"\n" * MIB, 3_000),
    "one line again.log.gz": lambda path: packed(path, LINES, LINES[:80] * 10_000, 3_000),
    "log, then zeros.log.gz": lambda path: packed(path, LINES, bytes(MIB), 3_000),
    "log, then a hole.log": lambda path: sparse(path, LINES, 3_000_000_000),
    "hole.log": lambda path: sparse(path, b"", 3_000_000_000),
    "50 GB.log": lambda path: sparse(path, LINES, 50_000_000_000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_with_its_name_the_limit_and_a_remedy(tmp_path, name):
    bomb = BOMBS[name](tmp_path / name)
    told = r"(16|4,096|200).*(times|MB).*(unpack it yourself|Cut the part|cut that line)"
    with pytest.raises(OversizedLog, match=told) as refused:
        read_log(bomb)
    assert name in str(refused.value)
    with pytest.raises(OversizedLog):
        read_lines(bomb, 1, 10**9, cache=tmp_path / "frames")
    assert [path for path in (tmp_path / "frames").glob("*")] == []


def test_refusing_a_bomb_takes_little_memory(tmp_path):
    bomb = packed(tmp_path / "bomb.log.gz", b"", bytes(MIB), 3_000)
    code = (
        "import sys; from instrumentgpt.__main__ import main; code = main(['diagnose', sys.argv[1]]);"
        "print(code, *[line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line])"
    )
    command = [sys.executable, "-c", code, bomb]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
    exit_code, kibibytes = map(int, done.stdout.split())
    assert exit_code == 1 and "longer than 16 MB" in done.stderr
    assert kibibytes < 300_000


def test_what_a_log_may_be_can_be_set(tmp_path, monkeypatch, capsys):
    path = tmp_path / "run.log"
    path.write_bytes(LINES)
    size = len(LINES) / 1_000_000
    monkeypatch.setenv(bounds.MEGABYTES_VARIABLE, f"{size + 0.01}")
    assert main(["diagnose", str(path)]) == 0
    monkeypatch.setenv(bounds.MEGABYTES_VARIABLE, f"{size - 0.01}")
    assert main(["diagnose", str(path)]) == 1
    packed_log = packed(tmp_path / "other.log.gz", LINES, b"", 0)
    assert main(["diagnose", str(packed_log)]) == 1
    monkeypatch.setenv(bounds.MEGABYTES_VARIABLE, "much")
    assert main(["diagnose", str(path)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert ["Cut the part" in line for line in told] == [True, True, False]
    assert "'much', no number" in told[2]


def test_a_bomb_that_is_asked_about_is_refused_in_the_language_of_the_question(tmp_path, capsys, forked):
    bomb = packed(tmp_path / "run.log.gz", LINES, b"\n" * MIB, 100)
    assert main(["ask", "--agent", "offline", "這個記錄怎麼了？", str(bomb)]) == 0
    assert "記錄檔解壓後最多是 200 倍" in capsys.readouterr().out


def test_parts_are_counted_together(tmp_path, monkeypatch):
    for number in range(3):
        packed(tmp_path / f"{number}.log.gz", LINES, b"", 0)
    monkeypatch.setenv(bounds.MEGABYTES_VARIABLE, f"{len(LINES) * 2.5 / 1e6}")
    with pytest.raises(OversizedLog, match=tmp_path.name):
        read_log(tmp_path)


@pytest.mark.parametrize("block", [b"ok T:25.0 /0.0 B:25.0 /0.0\n" * 40, bytes(15_000_000)])
def test_a_dull_log_and_a_long_hole_of_a_power_cut_are_read(tmp_path, block):
    assert len(read_log(packed(tmp_path / "run.log.gz", LINES, block + b"\n" + LINES, 1)).samples) == 4_000


@pytest.mark.parametrize("device", ["/dev/zero", "pipe"])
def test_what_never_ends_is_no_log(tmp_path, device):
    path = tmp_path / device
    if device == "pipe":
        os.mkfifo(path)
    with pytest.raises(OversizedLog, match="Save it as a file"):
        read_log(path)


def test_no_real_log_comes_near_the_limits(shared_logs):
    ratios = []
    for path in [path for path in shared_logs.rglob("*.gz") if path.stat().st_size > 100_000]:
        ratios.append(len(gzip.decompress(path.read_bytes())) / path.stat().st_size)
    assert max(ratios) < bounds.MOST_RATIO / 5
