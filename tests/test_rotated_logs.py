"""A device that begins a new file while it runs: what the last file showed is not lost with it."""

import gzip
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from cases import each

import db
from instrumentgpt.fleet.scan import scan
from instrumentgpt.fleet.standing import rows_of
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.tools.library import fetch_log
from instrumentgpt.instruments.workspace import workspace
from instrumentgpt.settings import database_path
from tests.offline_case import asked

LOGS = Path(__file__).parents[1] / "demo" / "logs"
STAMP = "[%Y-%m-%d %H:%M:%S.%f"


@pytest.fixture
def rotated(tmp_path):
    """Return a function of (demo device, lines of its newest log that are in a file of their own)."""

    def cut(demo: str, count: int) -> Path:
        name = sorted(path.name for path in (LOGS / demo).glob("*.gz"))[-1]
        lines = gzip.decompress((LOGS / demo / name).read_bytes()).decode().splitlines(keepends=True)
        place = len(lines) - count
        begun = datetime.strptime(lines[min(place, len(lines) - 1)].partition("]")[0], STAMP)
        folder = tmp_path / f"{demo} {count}"
        folder.mkdir(exist_ok=True)
        (folder / name.removesuffix(".gz")).write_text("".join(lines[:place]), encoding="utf-8")
        newest = folder / f"InstrumentDebug_{begun:%Y-%m-%d_%H-%M-%S}.99.log"
        newest.write_text("".join(lines[place:]), encoding="utf-8")
        inventory = folder.with_suffix(".toml")
        inventory.write_text(f'[[device]]\nname = "oven"\nip = "10.1.1.9"\nlogs = "{folder.name}"\n')
        return inventory

    return cut


def standing(inventory, tmp_path):
    devices = load_inventory(inventory).devices
    scan(database_path(), devices, tmp_path / "cache", jobs=1)
    with closing(db.connect(database_path())) as database:
        [row] = rows_of(database, devices)
    return row


@each("count", [0, 4, 200])
@each("question, told", [("why does the oven swing?", "too short"), ("oven 為什麼溫度波動？", "太短")])
def test_a_newest_log_that_has_only_begun_gives_way_to_the_one_before_and_is_named(
    tmp_path, rotated, count, question, told
):
    answer = asked(question, tmp_path, inventory=str(rotated("zspr_053", count)))
    assert "±2.71 °C" in answer.text and told in answer.text and ".99.log" in answer.text


@pytest.mark.parametrize("count", [0, 200])
def test_instruments_tell_the_fault_of_the_log_before_one_that_has_only_begun(tmp_path, rotated, count):
    row = standing(rotated("zspr_053", count), tmp_path)
    assert (row.state, row.fault, row.logs) == ("fault", "oscillation_tuning", 2)
    assert ".99" not in row.log and "±2.71 °C" in row.text_en


def test_a_log_that_is_named_is_fetched_however_short_it_is(tmp_path, rotated):
    inventory = rotated("zspr_053", 200)
    place = workspace(str(inventory), str(tmp_path / "cache"))
    [newest] = [path.name for path in tmp_path.rglob("*.99.log")]
    assert fetch_log(place, "oven")["only_begun"] == newest
    assert fetch_log(place, "oven", newest)["log"] == newest


def test_a_short_newest_log_that_can_be_judged_is_the_one_that_is_told(tmp_path, rotated):
    answer = asked("why does the oven swing?", tmp_path, inventory=str(rotated("zspr_053", 1600)))
    assert ".99.log" in answer.text and "too short" not in answer.text and "swings by" in answer.text
