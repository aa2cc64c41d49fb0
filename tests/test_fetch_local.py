"""Logs of local folders are copied too; copies are whole at every moment, whoever else fetches."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from instrumentgpt.instruments.devices import Device, load_inventory
from instrumentgpt.instruments.fetch import FetchError, Limits, fetch, list_logs
from instrumentgpt.instruments.lognames import LONGEST_NAME, safe_name
from instrumentgpt.settings import DEMO_INVENTORY
from tests.log_servers import Web, web
from tests.waiting import wait_for

NAME = "InstrumentDebug_2026-02-19_23-24-45.39.log"
ROOT = Path(__file__).parents[1]


@pytest.fixture
def device(tmp_path):
    folder = tmp_path / "日誌 logs"
    folder.mkdir()
    (folder / NAME).write_bytes(b"first line\n")
    return Device("zspr 060", "10.1.1.60", folder.as_uri())


def folder_of(device, tmp_path):
    return tmp_path / "日誌 logs"


def test_the_newest_log_of_the_demo_s_052_is_the_one_of_the_design(tmp_path):
    device = load_inventory(DEMO_INVENTORY).find("zspr 052")
    newest = list_logs(device)[0]
    assert newest.name == NAME
    copy = fetch(newest, tmp_path)
    assert copy.name == NAME
    assert copy.read_bytes() == (DEMO_INVENTORY.parent / "logs" / "zspr_052" / NAME).read_bytes()


@pytest.mark.parametrize("name", [f"zspr 05{digit}" for digit in range(6)])
def test_every_demo_device_has_two_logs_that_can_be_fetched(name, tmp_path):
    logs = list_logs(load_inventory(DEMO_INVENTORY).find(name))
    assert len(logs) == 2
    assert logs[0].begun > logs[1].begun
    assert fetch(logs[0], tmp_path).stat().st_size == logs[0].size


def test_folders_and_files_with_odd_names_are_found(device, tmp_path):
    (folder_of(device, tmp_path) / "a b#1%20?.log").write_bytes(b"odd\n")
    odd = next(log for log in list_logs(device) if log.name.startswith("a b"))
    assert fetch(odd, tmp_path / "cache").read_bytes() == b"odd\n"


def test_links_that_lead_out_of_the_folder_are_ignored(device, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    (folder_of(device, tmp_path) / "link.log").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(folder_of(device, tmp_path) / "pipe.log")
    assert [log.name for log in list_logs(device)] == [NAME]


def test_a_copy_survives_the_rotation_of_the_log(device, tmp_path):
    log = list_logs(device)[0]
    copy = fetch(log, tmp_path / "cache")
    (folder_of(device, tmp_path) / NAME).unlink()
    with pytest.raises(FetchError, match="there is no /"):
        fetch(log, tmp_path / "cache")
    assert copy.read_bytes() == b"first line\n"


def test_whoever_reads_the_copy_keeps_it_while_it_is_brought_up_to_date(device, tmp_path):
    log = list_logs(device)[0]
    with fetch(log, tmp_path / "cache").open("rb") as reader:
        with (folder_of(device, tmp_path) / NAME).open("ab") as file:
            file.write(b"second line\n")
        assert fetch(log, tmp_path / "cache").read_bytes() == b"first line\nsecond line\n"
        assert reader.read() == b"first line\n"


def test_a_growing_log_gives_a_beginning_of_it_and_never_a_mixture(device, tmp_path):
    source, stop = folder_of(device, tmp_path) / NAME, threading.Event()
    source.write_bytes(b"")

    def write():
        with source.open("ab", buffering=0) as file:
            for number in range(200_000):
                if stop.is_set():
                    break
                file.write(b"%07d\n" % number)

    writer = threading.Thread(target=write)
    writer.start()
    log = list_logs(device)[0]
    try:
        for _ in range(20):
            copy = fetch(log, tmp_path / "cache").read_bytes()
            lines = copy.split(b"\n")
            assert lines[:-1] == [b"%07d" % number for number in range(len(lines) - 1)]
    finally:
        stop.set()
        writer.join()


def test_a_missing_folder_says_where_to_correct_it(tmp_path):
    with pytest.raises(FetchError, match=r"there is no /.*/none\. Correct its entry in the inventory"):
        list_logs(Device("zspr 060", "10.1.1.60", (tmp_path / "none").as_uri()))


def test_a_cache_that_cannot_be_written_says_so(device, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(FetchError, match=r"zspr 060 \(10.1.1.60\): file://.*"):
        fetch(list_logs(device)[0], tmp_path / "cache")


FETCH = """
import sys
from pathlib import Path
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.fetch import fetch, list_logs
path = fetch(list_logs(Device("zspr 060", "10.1.1.60", sys.argv[1]))[0], Path(sys.argv[2]))
print(len(path.read_bytes()))
"""


def started(state, cache):
    return subprocess.Popen(
        [sys.executable, "-c", FETCH, state.url, str(cache)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_that_want_the_same_log_read_it_once(tmp_path):
    with web(Web({NAME: os.urandom(600_000)}, pause=0.05)) as state:
        both = [started(state, tmp_path) for _ in range(2)]
        assert [process.communicate(timeout=100)[0] for process in both] == ["600000\n", "600000\n"]
        assert (
            len([1 for method, path, _ in state.requests if method == "GET" and path.endswith(".log")]) == 1
        )


def test_a_process_killed_in_mid_download_leaves_nothing_in_the_way(tmp_path):
    content = os.urandom(600_000)
    with web(Web({NAME: content}, held_at=300_000)) as state:
        killed = started(state, tmp_path)
        part = tmp_path / "zspr_060" / f".{NAME}.part"
        wait_for(lambda: part.exists() and part.stat().st_size > 100_000)
        assert killed.poll() is None
        killed.kill()
        killed.communicate()
        assert not (tmp_path / "zspr_060" / NAME).exists()
        state.held_at = None
        log = list_logs(Device("zspr 060", "10.1.1.60", state.url))[0]
        assert fetch(log, tmp_path, None, Limits(total=100)).read_bytes() == content
        assert state.requests[-1][0] == "HEAD"
        assert any(wanted.startswith("bytes=") for *_, wanted in state.requests)


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "..",
        ".hidden",
        "a/b.log",
        "a\\b.log",
        "a\x00b.log",
        "a\nb.log",
        "<script>.log",
        "-rf.log",
        "~root.log",
        "溫" * 300 + ".log.gz",
        "x" * 5000 + ".log",
        "",
        "\udcff.log",
        "a|b;c`d`$(e).log",
        "\u202egol.exe.log",
    ],
)
def test_a_name_from_a_server_becomes_a_harmless_name_here(name, tmp_path):
    safe = safe_name(name)
    assert safe.isprintable() and len(safe.encode()) <= LONGEST_NAME
    assert not set(safe) & set("/\\<>|;`$\"'\u202e") and safe[0] not in ".-~"
    (tmp_path / safe).write_bytes(b"")
    assert (tmp_path / safe).parent == tmp_path and safe != name


def test_two_names_never_become_one():
    names = ["a/b.log", "a\\b.log", "a_b.log", "a:b.log", "溫" * 100 + "1.log", "溫" * 100 + "2.log"]
    assert len({safe_name(name) for name in names}) == len(names)
