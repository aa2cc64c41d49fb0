"""The demo's logs: reproducible, small, in every message shape, and each with its own condition."""

import gzip
import re
from itertools import pairwise
from pathlib import Path

from cases import each

from demo.simulate import SHAPES, demo_scenarios, log_lines, write_demo, write_log
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import DEMO_INVENTORY

DEMO_LOGS = DEMO_INVENTORY.parent / "logs"
SCENARIOS = demo_scenarios()


def content(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def newest(device):
    return max((s for s in SCENARIOS.values() if s.device == device), key=lambda scenario: scenario.start)


def test_the_committed_logs_are_what_the_scenarios_give_byte_for_byte(tmp_path):
    written = write_demo(tmp_path)
    committed = sorted(DEMO_LOGS.rglob("*.log*"))
    assert [path.relative_to(DEMO_LOGS) for path in committed] == sorted(
        path.relative_to(tmp_path) for path in written
    )
    for path in committed:
        assert content(path) == content(tmp_path / path.relative_to(DEMO_LOGS)), (
            f"{path.name}: run `make demo`"
        )


def test_the_demo_is_small():
    assert sum(path.stat().st_size for path in DEMO_LOGS.rglob("*.log*")) < 3_000_000


def test_every_device_of_the_demo_has_an_older_and_a_newer_log():
    for device in load_inventory(DEMO_INVENTORY).devices:
        folder = Path(device.logs.removeprefix("file://"))
        assert len(list(folder.glob("InstrumentDebug_*.log*"))) == 2, device.label


def test_the_scenarios_are_those_of_the_inventory_and_use_every_shape():
    devices = {(device.name, device.ip) for device in load_inventory(DEMO_INVENTORY).devices}
    assert {(scenario.device, scenario.ip) for scenario in SCENARIOS.values()} == devices
    assert {scenario.shape for scenario in SCENARIOS.values()} == set(SHAPES)


@each("name", SCENARIOS)
def test_lines_come_in_order_of_time_and_begin_with_the_name_s_time(name):
    lines = list(log_lines(SCENARIOS[name]))
    stamps = [line[1:24] for line in lines]
    assert stamps == sorted(stamps)
    day, clock = re.search(r"_(\S+)_(\S+)\.log", name).groups()
    hour, minute, second = clock.split("-")
    assert stamps[0].startswith(f"{day} {hour}:{minute}:{second}")


def test_another_seed_is_another_log_of_the_same_condition(tmp_path):
    scenario = newest("zspr 053")
    one, same, two = (write_log(tmp_path / f"{seed}.log", scenario, seed) for seed in (5302, None, 2))
    assert one.read_bytes() == same.read_bytes()
    assert one.read_bytes() != two.read_bytes()


def test_054_reads_61_9_and_29_4_on_the_next_line():
    pv = [line.split(";")[3] for line in log_lines(newest("zspr 054")) if "] TC;1;" in line]
    drops = [pair for pair in pairwise(pv) if float(pair[0]) - float(pair[1]) > 20]
    assert len(drops) == 5
    assert drops[0][0].startswith("61.9")
    assert drops[0][1] == "29.40"
