"""Logs are fetched over SFTP from a host whose key is known, and from no other."""

import os
from dataclasses import replace

import pytest

from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.fetch import FetchError, Limits, fetch, list_logs
from tests.log_servers import sftp

NAME = "InstrumentDebug_2026-02-19_23-24-45.39.log"
CONTENT = os.urandom(900_000)
PATIENT = Limits(connect=60.0, silence=60.0, total=110.0)  # for all that is not about a limit


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "instrument" / "var" / "log"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(CONTENT)
    (folder / "run.csv").write_bytes(b"time,pv\n")
    (folder / "notes.md").write_bytes(b"x")
    (folder / "old.log").mkdir()
    os.utime(folder / "run.csv", (1_700_000_000, 1_700_000_000))
    return folder


def device_at(shell):
    url = f"sftp://127.0.0.1:{shell.port}/var/log"
    return Device("zspr 060", "10.1.1.60", url, user="service", key=shell.key, known_hosts=shell.known_hosts)


@pytest.fixture
def device(folder, tmp_path):
    with sftp(tmp_path / "instrument", tmp_path / "keys") as shell:
        yield device_at(shell)


def test_logs_are_listed_newest_first_with_size_and_time(device):
    logs = list_logs(device, PATIENT)
    assert [(log.name, log.size) for log in logs] == [(NAME, 900_000), ("run.csv", 8)]
    assert logs[1].modified.year == 2023


def test_a_log_is_fetched_once_and_then_only_what_is_new(device, folder, tmp_path):
    log = list_logs(device, PATIENT)[0]
    path = fetch(log, tmp_path / "cache", None, PATIENT)
    assert path.read_bytes() == CONTENT
    inode = path.stat().st_ino
    assert fetch(log, tmp_path / "cache", None, PATIENT).stat().st_ino == inode
    with (folder / NAME).open("ab") as file:
        file.write(b"a new line\n")
    assert fetch(log, tmp_path / "cache", None, PATIENT).read_bytes() == CONTENT + b"a new line\n"


def test_a_broken_copy_is_continued(device, tmp_path):
    part = tmp_path / "cache" / "zspr_060" / f".{NAME}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:500_000])
    seen = []
    path = fetch(
        list_logs(device, PATIENT)[0], tmp_path / "cache", lambda done, size: seen.append(done), PATIENT
    )
    assert path.read_bytes() == CONTENT
    assert min(seen) > 500_000


@pytest.mark.parametrize(
    ("faults", "silence"),
    [([("break", 400_000)], 60.0), ([("silence", 400_000)], 5.0), ([("break", 1), ("break", 1)], 60.0)],
)
def test_a_connection_that_breaks_or_falls_silent_is_made_again(folder, tmp_path, faults, silence):
    """A server that falls silent does so for two minutes, longer than the whole fetch may take."""
    with sftp(tmp_path / "instrument", tmp_path / "keys", faults) as shell:
        log = list_logs(device_at(shell), PATIENT)[0]
        path = fetch(log, tmp_path / "cache", None, replace(PATIENT, silence=silence))
    assert path.read_bytes() == CONTENT


def test_a_host_that_keeps_breaking_is_given_up_with_its_name(folder, tmp_path):
    with sftp(tmp_path / "instrument", tmp_path / "keys", [("break", 1)] * 20) as shell:
        log = list_logs(device_at(shell), PATIENT)[0]
        with pytest.raises(
            FetchError, match=r"zspr 060 \(10.1.1.60\): sftp://127.0.0.1:.* Check that 127.0.0.1"
        ):
            fetch(log, tmp_path / "cache", None, PATIENT)
    assert not (tmp_path / "cache" / "zspr_060" / NAME).exists()


def test_a_host_whose_key_is_not_known_is_refused(device, tmp_path):
    (tmp_path / "empty").write_text("")
    stranger = replace(device, known_hosts=str(tmp_path / "empty"))
    with pytest.raises(FetchError, match=r"the key of 127.0.0.1 is not known .*log in once with: ssh"):
        list_logs(stranger, PATIENT)


def test_without_a_known_hosts_file_of_its_own_the_user_s_decides(device):
    with pytest.raises(FetchError, match=r"the key of 127.0.0.1 is not known"):
        list_logs(replace(device, known_hosts=""), PATIENT)


def test_a_key_that_does_not_open_is_refused(device, tmp_path):
    with sftp(tmp_path / "instrument", tmp_path / "other_keys") as other, pytest.raises(FetchError) as caught:
        list_logs(replace(device, key=other.key), PATIENT)
    assert "access is refused" in str(caught.value)
    assert "set user and key" in str(caught.value)


def test_a_key_file_that_is_missing_is_named(device, tmp_path):
    with pytest.raises(FetchError, match="no_key"):
        list_logs(replace(device, key=str(tmp_path / "no_key")), PATIENT)


def test_a_missing_folder_says_where_to_correct_it(device):
    with pytest.raises(FetchError, match=r"there is no such folder or file\. Correct its entry"):
        list_logs(replace(device, logs=device.logs + "/none"), PATIENT)


def test_nobody_listening_is_said_with_the_host(device):
    with pytest.raises(FetchError, match=r"no connection to 127.0.0.1"):
        list_logs(replace(device, logs="sftp://127.0.0.1:9/var/log"), PATIENT)
