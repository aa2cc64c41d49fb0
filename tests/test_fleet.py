"""All instruments at a glance: what is new is judged once, kept, and told worst first."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import duckdb
import psutil
import pytest
from pages import PAGE_SECONDS, texts
from streamlit.testing.v1 import AppTest

import db
from instrumentgpt.fleet.inventory_file import copy_of, put_device, remove_device
from instrumentgpt.fleet.scan import scan
from instrumentgpt.fleet.standing import NotSent, Row, compare_with_alerts, rows_of, silences, tell
from instrumentgpt.instruments.devices import InventoryError, load_inventory
from instrumentgpt.moments import log_moment
from instrumentgpt.settings import DEMO_INVENTORY, database_path, home
from instrumentgpt.storage.alerts import open_alerts
from instrumentgpt.storage.cases import InShort
from instrumentgpt.storage.verdicts import Verdict, all_verdicts, store_verdicts, verdicts_of
from instrumentgpt.ui.device_form import in_words_of_form
from instrumentgpt.ui.instruments import BANDS, in_bands, last_case

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """Three devices with logs of their own: swinging, healthy, and one whose folder is not there."""
    lines = []
    for name, demo in (("oven 1", "zspr_053"), ("oven 2", "zspr_052"), ("oven 3", "none")):
        folder = tmp_path / name.replace(" ", "_")
        if demo != "none":
            shutil.copytree(DEMO / "logs" / demo, folder)
        number = name[-1]
        lines.append(f'[[device]]\nname = "{name}"\nip = "10.1.1.{number}"\nlogs = "{folder.name}"\n')
    (tmp_path / "lab.toml").write_text("\n".join(lines))
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(tmp_path / "lab.toml"))
    return tmp_path


def scanned(lab, **options):
    devices = load_inventory(lab / "lab.toml").devices
    return scan(database_path(), devices, home() / "cache", **{"jobs": 1, **options})


def told(lab):
    with closing(db.connect(database_path())) as database:
        return rows_of(database, load_inventory(lab / "lab.toml").devices)


def test_the_worst_comes_first_with_its_sentence_and_who_was_never_judged_last(lab):
    found = scanned(lab)
    first, second, last = told(lab)
    assert len(found.judged) == 4 and list(found.problems) == ["oven 3"]
    assert (first.device, first.state, first.fault, first.channel) == (
        "oven 1",
        "fault",
        "oscillation_tuning",
        2,
    )
    assert "swings by ±2.71 °C" in first.text_en and "振盪" in first.text_zh and first.line == 517
    assert (second.device, second.state, second.logs) == ("oven 2", "healthy", 2)
    assert (last.device, last.state) == ("oven 3", "unseen")
    assert log_moment(first.since) == "2026-02-20 08:49" and second.since is not None  # the onset
    assert second.ended - second.since > 86_400 > first.ended - first.since  # healthy for two logs


@pytest.mark.parametrize(
    ("days", "is_silent"),
    [
        ([280], True),
        ([6], False),  # one log alone: not before a week
        ([9, 30], False),  # three weeks lay between its logs
        ([22, 30], True),
        ([2, 3, 4, 5, 6], False),
        ([4, 5, 6, 7, 8], True),  # it is usual to write each day
    ],
)
def test_a_device_is_silent_after_longer_than_usual_with_few_logs_after_its_longest_pause(days, is_silent):
    now = 1_800_000_000.0
    with closing(db.connect(database_path())) as database:
        ends = [now - day * 86_400.0 for day in days]
        empty = ("healthy", "healthy", "none", 1, 1, "well", "好", "{}", "[]", now)
        store_verdicts(
            database, [Verdict("oven 7", f"{end}.log", 1, "", end - 60, end, *empty) for end in ends]
        )
        assert silences(database, now) == ({"oven 7": days[0] * 86_400.0} if is_silent else {})


def test_errors_are_drawn_in_bands_of_their_loop_so_that_a_quiet_row_looks_quiet():
    quiet, wild = (
        Row("oven", "oven", "", "fault", errors=(0.1, None, size), band=0.5) for size in (-0.2, 40)
    )
    assert in_bands(quiet) == [0.2, None, -0.4] and in_bands(wild) == [0.2, None, BANDS]


def test_a_device_tells_the_first_line_of_its_newest_cause_and_of_what_was_done():
    told = last_case(InShort(1, "- a loose thermocouple\n- an old one", "kp to 6"))
    assert told == "a loose thermocouple → kp to 6"
    assert last_case(InShort(0, "", "kp to 6")) == "kp to 6" and last_case(None) == ""


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"ip": "B12"}, "Address 'B12' is no IPv4 address. Write it like \"10.1.1.47\""),
        ({"logs": "ftp://10.1.1.4/x"}, "Folder 'ftp://10.1.1.4/x' starts with ftp://. Known: "),
        ({"ip": "10.1.1.2"}, "10.1.1.2 belongs to both oven 2 (10.1.1.2) and oven 4 (10.1.1.2). Change one"),
    ],
)
def test_the_form_of_a_device_tells_the_field_and_the_remedy_and_no_file(lab, fields, told):
    labels = {"ip": "Address", "logs": "Folder"}
    with pytest.raises(InventoryError) as caught:
        put_device(lab / "lab.toml", {"name": "oven 4", "ip": "10.1.1.4", "logs": "oven_2", **fields})
    english, chinese = (in_words_of_form(caught.value.message(one), "oven 4", labels) for one in ("en", "zh"))
    assert english.startswith(told) and "lab.toml" not in english + chinese
    assert re.search(r"[\u4e00-\u9fff]", chinese) and chinese.split()[0] == english.split()[0]


def test_only_what_is_new_or_changed_is_judged_again(lab):
    scanned(lab)
    log = max((lab / "oven_1").glob("*.log.gz"))
    os.utime(log, (time.time(), time.time()))
    shutil.copy(log, log.with_name("InstrumentDebug_2026-03-01_08-47-19.73.log.gz"))
    found = scanned(lab)
    assert sorted(one.log[:26] for one in found.judged) == [log.name[:26], "InstrumentDebug_2026-03-01"]
    assert found.unchanged == 3


def test_a_log_that_cannot_be_read_is_told_as_such_and_hides_no_other(lab):
    (lab / "oven_2" / "InstrumentDebug_2026-03-01_08-00-00.00.log").write_bytes(b"\x00\x01" * 500)
    scanned(lab)
    row = next(one for one in told(lab) if one.device == "oven 2")
    with closing(db.connect(database_path())) as database:
        states = [one.state for one in verdicts_of(database, "oven 2")]
    assert sorted(states) == ["healthy", "healthy", "unreadable"] and row.logs == 3


def test_a_worker_that_is_killed_costs_nothing(lab, monkeypatch):
    monkeypatch.setitem(
        sys.modules, "__main__", ModuleType("__main__")
    )  # a page's test may have left its own
    killed = []

    def kill_one(done, total):
        for child in psutil.Process().children(recursive=True) if not killed else ():
            with suppress(psutil.Error):
                if "spawn_main" in " ".join(child.cmdline()):
                    killed.append(child.pid)
                    child.send_signal(signal.SIGKILL)
                    return

    found = scanned(lab, jobs=2, on_progress=kill_one)
    assert killed and len(found.judged) == 4 and list(found.problems) == ["oven 3"]


def test_the_command_prints_a_line_a_device_and_writes_a_table_for_duckdb(lab):
    table = lab / "verdicts.parquet"
    command = [sys.executable, "-m", "instrumentgpt", "scan", "--jobs", "1", "--export", str(table)]
    done = subprocess.run(
        [*command, "--language", "zh"], capture_output=True, text=True, cwd=ROOT, timeout=250
    )
    assert done.returncode == 1 and "oven 3" in done.stderr  # its folder is not there
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["故障", "正常", "尚未判斷"]
    with closing(db.connect(database_path())) as database:
        assert duckdb.sql(f"SELECT count(*) FROM '{table}'").fetchall() == [(len(all_verdicts(database)),)]


def instruments_page():
    def script():
        from instrumentgpt.ui import instruments

        instruments.page()

    at = AppTest.from_function(script, default_timeout=PAGE_SECONDS).run()
    assert not at.exception
    return at


def test_the_page_shows_every_device_with_its_state_and_the_filter_narrows_it(lab):
    scanned(lab)

    at = instruments_page()
    assert "**1** Fault · **1** Healthy · **1** Not judged" in texts(at)
    assert list(at.dataframe[0].value["instrument"]) == [
        "oven 1 (10.1.1.1)",
        "oven 2 (10.1.1.2)",
        "oven 3 (10.1.1.3)",
    ]
    at.text_input[0].set_value("healthy").run()
    assert list(at.dataframe[0].value["instrument"]) == ["oven 2 (10.1.1.2)"]


@pytest.fixture
def receiver():
    """A server on loopback that keeps what is posted to it, as JSON."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"json://127.0.0.1:{server.server_port}/", got
        server.shutdown()


def looked(lab, places=()):
    """Scan, compare and tell, as one look of `watch` does; return what came and what went."""
    scanned(lab)
    devices = load_inventory(lab / "lab.toml").devices
    with closing(db.connect(database_path())) as database:
        new, gone = compare_with_alerts(database, devices, time.time())
        tell(database, new, gone, places)
    return [(one.device, one.fault) for one in new], [(one.device, one.fault) for one in gone]


def test_a_fault_is_told_once_when_it_comes_and_once_when_it_goes_and_anew_when_it_returns(lab, receiver):
    place, got = receiver
    swings, calm = sorted((lab / "oven_1").glob("*.gz"), reverse=True)
    name = "InstrumentDebug_2026-03-0{}_08-00-00.00.log.gz"
    fault = ("oven 1", "oscillation_tuning")
    assert looked(lab, [place]) == ([fault], [])
    assert looked(lab, [place]) == ([], [])
    later(calm, lab / "oven_1" / name.format(1))
    assert looked(lab, [place]) == ([], [fault])
    later(swings, lab / "oven_1" / name.format(2))
    assert looked(lab, [place]) == ([fault], [])
    assert [one["title"].removeprefix("InstrumentGPT: ") for one in got] == ["1 new", "1 gone", "1 new"]
    assert "swings by ±2.71 °C" in got[0]["message"] and "&line=517" in got[0]["message"]


def later(log, copy):
    """Write a copy of a log whose lines are of March, not of February."""
    text = gzip.decompress(log.read_bytes()).replace(b"[2026-02-", b"[2026-03-")
    day = copy.name[24:26].encode()
    copy.write_bytes(gzip.compress(re.sub(rb"\[2026-03-\d\d", b"[2026-03-" + day, text)))


def test_what_could_not_be_delivered_is_told_with_the_next_look(lab, receiver):
    place, got = receiver
    with pytest.raises(NotSent, match="tried again"):
        looked(lab, ["json://127.0.0.1:9/"])
    assert looked(lab, [place]) == ([("oven 1", "oscillation_tuning")], []) and len(got) == 1


def test_a_device_that_stops_writing_is_told_as_silent(lab):
    log = min((lab / "oven_2").glob("*.log*"))
    for day in range(1, 7):
        copy = log.with_name(f"InstrumentDebug_2026-01-0{day}_08-00-00.00.{log.name.partition('.')[2][3:]}")
        shutil.copy(log, copy)
        os.utime(copy, (time.time() - (20 - day) * 86_400,) * 2)
    for other in (lab / "oven_2").glob("*2026-02*"):
        other.unlink()
    assert (("oven 2", "silent")) in looked(lab)[0]


def test_an_alert_is_acknowledged_on_the_page_and_a_false_one_counted_for_its_device(lab):
    looked(lab)
    at = instruments_page()
    assert "oven 1: Channel 2: pv swings" in texts(at).replace("\\", "")
    next(button for button in at.button if button.label == "False alarm").click().run()
    assert "False alarms in the last seven days: oven 1 ×1" in texts(at)
    assert "pv swings" not in texts(at)
    with closing(db.connect(database_path())) as database:
        assert [one.verdict for one in open_alerts(database)] == ["false"]


def test_a_device_is_added_and_changed_and_the_files_comments_and_paths_stay(lab):
    path = lab / "lab.toml"
    path.write_text("# ovens of room 3\n" + path.read_text())
    put_device(path, {"name": "oven 4", "ip": "10.1.1.4", "logs": "oven_2", "aliases": ["左邊烤箱"]})
    put_device(path, {"name": "oven 9", "model": "", "aliases": []}, "oven 4")
    [*_, added] = load_inventory(path).devices
    assert (added.name, added.logs, added.aliases) == ("oven 9", (lab / "oven_2").as_uri(), ())
    assert path.read_text().startswith("# ovens of room 3\n") and 'logs = "oven_1"' in path.read_text()


def test_a_device_that_cannot_be_used_is_refused_with_the_remedy_and_nothing_is_written(lab):
    before = (lab / "lab.toml").read_text()
    with pytest.raises(InventoryError, match=r"lab.toml: 10.1.1.1 belongs to both oven 1"):
        put_device(lab / "lab.toml", {"name": "oven 4", "ip": "10.1.1.1", "logs": "oven_2"})
    assert (lab / "lab.toml").read_text() == before


def test_what_is_shipped_is_copied_before_it_is_changed(tmp_path):
    own = copy_of(DEMO_INVENTORY, tmp_path / "devices.toml")
    put_device(own, {"model": "ZSPR-5"}, "zspr 052")
    remove_device(own, "zspr 050")
    shipped, changed = load_inventory(DEMO_INVENTORY), load_inventory(own)
    assert changed.find("zspr 052").model == "ZSPR-5" and len(changed.devices) == len(shipped.devices) - 1
    assert [one.logs for one in changed.devices] == [one.logs for one in shipped.devices[1:]]
    assert own.read_text().startswith("# Six instruments")
