"""Logs are listed and fetched over HTTP: whole or not at all, once, and from nowhere else."""

import gzip
import os
from dataclasses import replace

import pytest

from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.fetch import FetchError, Limits, RemoteLog, fetch, list_logs
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.network import LISTING_BYTES
from instrumentgpt.instruments.reading.bounds import OversizedLog
from tests.log_servers import Web, web
from tests.waiting import at_once

NAME = "InstrumentDebug_2026-02-19_23-24-45.39.log"
CONTENT = os.urandom(700_000)
PATIENT = Limits(connect=60.0, silence=60.0, total=110.0)  # for all that is not about a limit


@pytest.fixture
def server():
    with web(Web({NAME: CONTENT})) as state:
        yield state


def device(state, **changes):
    return Device("zspr 060", "10.1.1.60", changes.get("logs", state.url))


def only(state):
    (log,) = list_logs(device(state), PATIENT)
    return log


def bodies(state):
    return [wanted for method, path, wanted in state.requests if method == "GET" and not path.endswith("/")]


def resumed_at(state):
    """The byte from which the last answer was asked for; 0: from the beginning."""
    return int(bodies(state)[-1].removeprefix("bytes=").rstrip("-") or 0)


def test_the_newest_log_comes_first_and_what_is_no_log_is_left_out(server):
    server.files |= {
        "InstrumentDebug_2026-02-20_01-00-00.00.log.gz": b"x",
        "InstrumentDebug_2025-12-31_23-59-59.99.log": b"x",
        "readme.md": b"x",
        ".hidden.log": b"x",
        "溫度 2026-02-21 00-00-00.csv": b"x",
    }
    names = [log.name for log in list_logs(device(server), PATIENT)]
    assert names == [
        "溫度 2026-02-21 00-00-00.csv",
        "InstrumentDebug_2026-02-20_01-00-00.00.log.gz",
        NAME,
        "InstrumentDebug_2025-12-31_23-59-59.99.log",
    ]


def test_a_name_without_a_time_is_as_old_as_its_file(server):
    server.files |= {"run.log": b"x"}
    newest, older = list_logs(device(server), PATIENT)
    assert (newest.name, newest.begun.year) == (NAME, 2026)
    assert (older.name, older.begun, older.modified.year) == ("run.log", None, 2025)


def test_a_log_is_fetched_whole_with_progress(server, tmp_path):
    seen = []
    path = fetch(only(server), tmp_path, lambda done, size: seen.append((done, size)), PATIENT)
    assert path == tmp_path / "zspr_060" / NAME
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_an_unchanged_log_is_not_read_again(server, tmp_path):
    log = only(server)
    first = fetch(log, tmp_path, None, PATIENT)
    asked = len(bodies(server))
    assert fetch(log, tmp_path, None, PATIENT) == first
    assert len(bodies(server)) == asked


def test_of_a_log_that_has_grown_only_the_new_end_is_read(server, tmp_path):
    log = only(server)
    fetch(log, tmp_path, None, PATIENT)
    server.files[NAME] += b"one more line\n"
    server.modified += 60
    path = fetch(log, tmp_path, None, PATIENT)
    assert path.read_bytes() == CONTENT + b"one more line\n"
    assert bodies(server)[-1] == f"bytes={len(CONTENT) - 4096}-"


def test_a_log_that_was_replaced_by_another_is_read_from_its_beginning(server, tmp_path):
    log = only(server)
    fetch(log, tmp_path, None, PATIENT)
    server.files[NAME] = CONTENT[::-1] + b"longer"
    server.modified += 60
    assert fetch(log, tmp_path, None, PATIENT).read_bytes() == CONTENT[::-1] + b"longer"
    server.files[NAME] = b"shorter"
    assert fetch(log, tmp_path, None, PATIENT).read_bytes() == b"shorter"


def some_is_here(tmp_path):
    """A function that says whether part of the log has been written, and can be gone on from."""
    part = tmp_path / "zspr_060" / f".{NAME}.part"
    return lambda: part.exists() and part.stat().st_size > 20_000


@pytest.mark.parametrize("cuts", [[300_000], [100_000, 250_000, 10], [0, 0]])
def test_a_download_cut_on_the_way_is_continued_where_it_broke(server, tmp_path, cuts):
    server.cuts = list(cuts)
    if cuts[0]:
        server.cut_when = some_is_here(tmp_path)
    assert fetch(only(server), tmp_path, None, PATIENT).read_bytes() == CONTENT
    if cuts[0]:
        assert 0 < resumed_at(server) < sum(cuts)


def test_a_server_without_ranges_is_read_from_the_beginning_again(server, tmp_path):
    server.ranges, server.cuts = False, [300_000]
    assert fetch(only(server), tmp_path, None, PATIENT).read_bytes() == CONTENT


def test_a_download_that_stays_cut_is_never_given_out_and_goes_on_with_the_next_fetch(server, tmp_path):
    log = only(server)
    server.cuts, server.cut_when = [400_000] + [4096] * 50, some_is_here(tmp_path)
    with pytest.raises(FetchError, match=r"zspr 060 \(10.1.1.60\): http://127.0.0.1:.*\. Check"):
        fetch(log, tmp_path, None, PATIENT)
    assert not (tmp_path / "zspr_060" / NAME).exists()
    server.cuts = []
    assert fetch(log, tmp_path, None, PATIENT).read_bytes() == CONTENT
    assert 0 < resumed_at(server) < 400_000


def test_a_part_left_by_something_else_does_not_get_into_the_log(server, tmp_path):
    (tmp_path / "zspr_060").mkdir()
    (tmp_path / "zspr_060" / f".{NAME}.part").write_bytes(os.urandom(500_000))
    assert fetch(only(server), tmp_path, None, PATIENT).read_bytes() == CONTENT


def test_a_silent_server_is_given_up_within_the_limit(server, tmp_path):
    log = only(server)
    server.held_at = 0
    short = Limits(connect=1.0, silence=0.3, attempts=2)  # over after 0.8 s; the server is silent for ever
    with at_once(), pytest.raises(FetchError, match=r"no answer within 1 s. Check that 127.0.0.1 is on"):
        fetch(log, tmp_path, None, short)


def test_a_slow_server_is_stopped_at_the_total_limit_and_continued_later(server, tmp_path):
    log = only(server)
    server.pause = 0.1
    with pytest.raises(FetchError, match=r"of 0.7 MB came in 0.5 s. Ask again: it goes on from there"):
        fetch(log, tmp_path, None, replace(PATIENT, total=0.5))
    server.pause = 0.0
    assert fetch(log, tmp_path, None, PATIENT).read_bytes() == CONTENT
    assert resumed_at(server) > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"status": 404}, "there is no such folder or file. Correct its entry"),
        ({"status": 403}, r"access is refused \(HTTP 403\)"),
        ({"status": 500}, "HTTP 500"),
        ({"redirect": "http://10.9.9.9/logs/"}, "sends us on to http://10.9.9.9, which is not the folder"),
        ({"redirect": "https://127.0.0.1/logs/"}, "sends us on to https://127.0.0.1"),
    ],
)
def test_what_the_server_answers_is_said_with_a_remedy(server, tmp_path, changes, message):
    log = only(server)
    for name, value in changes.items():
        setattr(server, name, value)
    with pytest.raises(FetchError, match=message):
        list_logs(device(server), PATIENT)
    with pytest.raises(FetchError, match=message):
        fetch(log, tmp_path, None, PATIENT)
    assert not list(tmp_path.rglob("*.log"))


def test_a_redirect_on_the_same_host_is_followed(server):
    server.redirect = "/logs/"
    with pytest.raises(FetchError, match="it leads round and round"):
        list_logs(device(server), PATIENT)


def test_nobody_there_is_said_with_the_host():
    gone = Device("zspr 060", "10.1.1.60", "http://127.0.0.1:9/logs")
    with pytest.raises(FetchError, match=r"no connection to 127.0.0.1 .* Check that 127.0.0.1 is on"):
        list_logs(gone, PATIENT)


def test_a_server_that_hides_the_length_is_refused(server, tmp_path):
    log = only(server)
    server.length = False
    with pytest.raises(FetchError, match="does not say how long it is"):
        fetch(log, tmp_path, None, PATIENT)


def test_a_log_over_the_size_limit_is_refused(server, tmp_path):
    with pytest.raises(FetchError, match=r"has 0.7 MB, over the limit of 0.5 MB"):
        fetch(only(server), tmp_path, None, Limits(size=500_000))


def test_a_folder_without_end_is_refused_before_it_fills_the_memory(server):
    server.listing = "x" * (LISTING_BYTES + 1)
    with pytest.raises(FetchError, match="longer than 8 MB"):
        list_logs(device(server), PATIENT)


def test_a_bomb_that_a_server_sends_is_fetched_as_it_is_and_refused_by_its_reader(server, tmp_path):
    server.files[NAME] = gzip.compress(b"\n" * 80_000_000)
    path = fetch(only(server), tmp_path, None, PATIENT)
    assert path.stat().st_size == len(server.files[NAME]) < 100_000
    with pytest.raises(OversizedLog, match="at most 200 times"):
        read_log(path)


def test_links_that_leave_the_folder_and_strange_names_are_ignored(server):
    server.listing = "".join(
        f'<a href="{link}">x</a>'
        for link in (
            "../other.log",
            "/etc/a.log",
            "http://10.9.9.9/logs/b.log",
            "//10.9.9.9/c.log",
            "%2e%2e%2fd.log",
            "..%5ce.log",
            "sub/f.log",
            "g%0a.log",
            "h%00.log",
            "javascript:i.log",
            "?C=N;O=D",
            "file:///j.log",
            NAME,
            "%3Cb%3Ek.log",
        )
    )
    names = [log.name for log in list_logs(device(server), PATIENT)]
    assert set(names) <= {NAME, "<b>k.log", "javascript:i.log"}
    assert NAME in names
    assert all(path.startswith("/logs/") for _, path, _ in server.requests)


@pytest.mark.parametrize("url", ["http://10.9.9.9/x.log", "{0}/../x.log", "{0}/%2e%2e%2fx.log", "{0}s/x.log"])
def test_nothing_outside_the_folder_is_fetched(server, tmp_path, url):
    log = RemoteLog(device(server), "x.log", url.format(server.url), None, None, None)
    with pytest.raises(FetchError, match="does not lie in"):
        fetch(log, tmp_path, None, PATIENT)
    assert server.requests == []


def test_a_name_with_markup_gets_a_harmless_copy(server, tmp_path):
    server.files = {"<b>k|.log": b"line\n"}
    path = fetch(only(server), tmp_path, None, PATIENT)
    assert path.read_bytes() == b"line\n"
    assert not set("<>|") & set(path.name)


def test_an_empty_log_is_fetched_as_an_empty_file(server, tmp_path):
    server.files[NAME] = b""
    assert fetch(only(server), tmp_path, None, PATIENT).read_bytes() == b""
