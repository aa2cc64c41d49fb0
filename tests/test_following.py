"""A log that is still being written is followed: whole lines as they come, wherever it lies."""

from contextlib import closing, contextmanager

import pytest
from cases import each

from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.fetch import FetchError, list_logs
from instrumentgpt.instruments.following import Following
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.line_index import indexed_lines, line_index
from instrumentgpt.instruments.reading.sources import open_source
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.remotes import Limits
from instrumentgpt.instruments.shown import AUTO
from instrumentgpt.ui.logs.preparation import Live
from tests.log_servers import Web, sftp, web
from tests.waiting import HAPPENS, wait_for

NAME = "run.log"
PATIENT = Limits(connect=60.0, silence=60.0, total=110.0)
GET = "GET", f"/logs/{NAME}"
READING = (
    "[2026-01-01 00:%02d:%02d.000] [info] Temperature channel 1: setpoint: 55.00 °C, "
    "process value: 54.90 °C, output power: 45.9 %%, P: 1.17, I: 44.75, D: -0.00\n"
)
BEGINNING = b"".join(b"%06d line of the beginning\n" % number for number in range(400))


class Folder:
    """A folder of a device on this machine, whose log is written."""

    def __init__(self, path, device):
        self.path, self.device = path, device
        path.mkdir(parents=True, exist_ok=True)

    def write(self, content, mode="ab"):
        with (self.path / NAME).open(mode) as file:
            file.write(content)


class Site(Folder):
    """The same behind a web server, which also says when it was written."""

    def __init__(self, state):
        self.state, self.device = state, Device("oven 9", "10.1.1.9", state.url)

    def write(self, content, mode="ab"):
        self.state.files[NAME] = content if mode == "wb" else self.state.files.get(NAME, b"") + content
        self.state.modified += 1


@contextmanager
def served(kind, tmp_path):
    root = tmp_path / "instrument"
    root.mkdir(parents=True)
    if kind == "sftp":
        folder = Folder(root / "logs", None)
        with sftp(root, tmp_path / "keys") as shell:
            url = f"sftp://127.0.0.1:{shell.port}/logs"
            rights = {"user": "service", "key": shell.key, "known_hosts": shell.known_hosts}
            folder.device = Device("oven 9", "10.1.1.9", url, **rights)
            yield folder
    elif kind == "file":
        yield Folder(root, Device("oven 9", "10.1.1.9", root.as_uri()))
    else:
        with web(Web({}, ranges=kind == "http")) as state:
            yield Site(state)


@contextmanager
def followed(folder, tmp_path, limits=PATIENT):
    [log] = list_logs(folder.device, limits)
    with closing(Following(log, tmp_path / "cache", tmp_path / "frames", limits)) as following:
        yield following


def lines_of(following, first=1):
    return [text for _, text in indexed_lines(following.index, first, following.index.total)]


@each("kind", ["file", "http", "http without ranges", "sftp"])
def test_whole_lines_are_added_to_the_copy_as_they_are_written(kind, tmp_path):
    tmp_path /= kind
    with served(kind, tmp_path) as folder:
        folder.write(BEGINNING)
        with followed(folder, tmp_path) as following:
            assert following.look() and following.index.total == 400
            assert not following.look()
            folder.write(b"one more\nhalf a li")
            assert following.look() and lines_of(following, 400)[1:] == ["one more"]
            copy = following.source.path
            inode = copy.stat().st_ino
            folder.write(b"ne")
            assert not following.look()
            folder.write(b"\nand another\n")
            assert following.look() and lines_of(following, 402) == ["half a line", "and another"]
            assert copy.stat().st_ino == inode
            assert following.copy.has_ranges == (kind != "http without ranges")
        assert lines_of(following) == [
            text for _, text in indexed_lines(line_index(open_source(copy), tmp_path / "new"), 1, 403)
        ]


@each("kind", ["file", "http", "http without ranges", "sftp"])
@pytest.mark.parametrize("new", [b"begun anew\n", BEGINNING[::-1] + b"longer\n"], ids=["shorter", "longer"])
def test_a_log_that_was_cut_off_or_replaced_begins_a_new_copy_and_the_old_one_is_kept(kind, new, tmp_path):
    tmp_path /= kind
    with served(kind, tmp_path) as folder:
        folder.write(BEGINNING)
        with followed(folder, tmp_path) as following:
            following.look()
            folder.write(new, "wb")
            assert following.look()
            assert following.source.path.read_bytes() == new
            assert following.before.read_bytes() == BEGINNING
            assert lines_of(following)[-1] == new.splitlines()[-1].decode()
            folder.write(b"and goes on\n")
            assert following.look() and lines_of(following)[-1] == "and goes on"
            folder.write(b"anew, and anew\n", "wb")
            with pytest.raises(
                FetchError, match=r"replaced twice within 10 s.* Look at it without following"
            ):
                following.look()


def test_of_a_grown_log_the_web_server_is_asked_for_the_end_alone_and_of_an_unchanged_one_for_nothing(
    tmp_path,
):
    with served("http", tmp_path) as folder:
        folder.write(BEGINNING)
        with followed(folder, tmp_path) as following:
            following.look()
            folder.write(b"one more\n")
            following.look()
            following.look()
    asked = [wanted for method, path, wanted in folder.state.requests if (method, path) == GET]
    assert asked == ["", f"bytes={len(BEGINNING) - 4096}-"]


def test_a_server_that_fails_says_so_and_is_followed_on_when_it_is_back(tmp_path):
    with served("http", tmp_path) as folder:
        folder.write(BEGINNING)
        with followed(folder, tmp_path) as following:
            following.look()
            folder.state.status = 503
            with pytest.raises(FetchError, match=r"oven 9 \(10.1.1.9\): http.*503"):
                following.look()
            folder.state.status = 0
            folder.write(b"back\n")
            assert following.look() and lines_of(following)[-1] == "back"


def test_what_is_no_text_of_lines_is_not_followed(tmp_path):
    with served("file", tmp_path) as folder, pytest.raises(FetchError, match="is no plain text"):
        folder.write("time;pv\n1;20\n".encode("utf-16"))
        with followed(folder, tmp_path) as following:
            following.look()


def test_the_lines_that_are_there_are_read_as_a_log_while_more_are_written(tmp_path):
    with served("file", tmp_path) as folder:
        folder.write("".join(READING % divmod(second, 60) for second in range(300)).encode())
        with followed(folder, tmp_path) as following:
            following.look()
            folder.write((READING % (5, 0) + READING[:60]).encode())
            assert following.look()
            log = read_log(following.source)
    assert (len(log.samples), log.lines, log.broken.count) == (301, 301, 0)


def test_a_thread_judges_what_comes_while_the_page_watches_and_ends_when_it_does_not(tmp_path):
    with served("file", tmp_path) as folder:
        folder.write("".join(READING % divmod(second, 60) for second in range(300)).encode())
        [log] = list_logs(folder.device)
        live = Live(Following(log, tmp_path / "cache", tmp_path / "frames"), Stated(), AUTO)
        live.watch()
        shown = wait_for(lambda: live.preparation)
        assert shown.live and shown.diagnosis.findings and shown.index.total == 300
        folder.write((READING % (5, 0)).encode())
        wait_for(lambda: live.watch() or live.preparation.index.total == 301)
        assert len(live.preparation.log.samples) == 301
        live.until = 0.0
        live.thread.join(HAPPENS)
        assert not live.thread.is_alive()
        folder.write(b"no log of a kind\n" * 3, "wb")
        live.watch()
        wait_for(lambda: live.preparation.problem)
        assert live.preparation.index.total == 3
        live.until = 0.0
        live.thread.join(HAPPENS)
