"""A device's JSON documents: listed after its logs, shown as values, compared value by value."""

import json

import pytest
from cases import each
from pages import PAGE_SECONDS, texts
from streamlit.testing.v1 import AppTest

from instrumentgpt.__main__ import main
from instrumentgpt.instruments.documents import ValueChange, changes_between, values_of
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.record import UnreadableLog
from instrumentgpt.instruments.tools.library import fetch_log, list_logs
from instrumentgpt.instruments.tools.pairs import compare_logs
from instrumentgpt.instruments.workspace import workspace
from instrumentgpt.ui.logs.place import DEVICE, LOG, OTHER

EARLIER = {"firmware": "2.4.1", "fans": [{"rpm": 2400}, {"rpm": 2380}], "pid": {"2": {"kp": 8.0}}}
LATER = {"firmware": "2.4.2", "fans": [{"rpm": 2400}, {"rpm": 2380}], "pid": {"2": {"kp": 8}}, "door": None}
CHANGED = [ValueChange("firmware", "2.4.1", "2.4.2"), ValueChange("door", "", "null")]
NAMES = "SystemHealth_2026-11-20.json", "SystemHealth_2026-11-21.json"
SAMPLES = [{"time": second, "setpoint": 40, "pv": 40 + second / 100} for second in range(30)]


@pytest.fixture
def lab(tmp_path, inventory):
    """The inventory of an oven with one log and two documents."""
    (tmp_path / "logs").mkdir()
    for name, content in zip(NAMES, (EARLIER, LATER), strict=True):
        (tmp_path / "logs" / name).write_text(json.dumps(content))
    rows = "".join(f"{row['time']},40,{row['pv']}\n" for row in SAMPLES)
    (tmp_path / "logs" / "run_2026-11-19.csv").write_text("time,setpoint,pv\n" + rows)
    inventory('[[device]]\nname = "oven 7"\nip = "10.9.0.7"\nlogs = "logs"\n')
    return tmp_path


@each(
    "content, count",
    [
        (EARLIER, 4),
        ({"state": {"ok": True}, "cpu": 31, "load": 2, "alarms": [{"time": 1}, {"time": 2}]}, 5),
        (SAMPLES, None),
        ({"oven": "7", "data": SAMPLES}, None),
        ({"time": [1, 2, 3], "pv": [40, 40, 41]}, None),
        ("no document", None),
    ],
)
def test_a_document_is_told_from_readings_over_time(tmp_path, content, count):
    path = tmp_path / "any.json"
    path.write_text(json.dumps(content))
    values = values_of(path)
    assert (values and len(values)) == count


def test_a_document_is_no_log_and_says_what_can_be_done_with_it(lab):
    with pytest.raises(UnreadableLog, match="4 values and no readings over time"):
        read_log(lab / "logs" / NAMES[0])


def test_what_changed_is_told_by_the_command_line_and_by_a_tool_with_the_newest_log_still_a_log(lab, capsys):
    files = [lab / "logs" / name for name in NAMES]
    assert changes_between(*map(values_of, files)) == CHANGED
    assert main(["compare", *map(str, files)]) == 0
    assert "firmware: 2.4.1 → 2.4.2." in capsys.readouterr().out
    place = workspace(cache=str(lab / "cache"))
    listed = list_logs(place, "oven 7")
    assert [row["name"] for row in listed["logs"]] == ["run_2026-11-19.csv"]
    assert listed["documents"] == [*reversed(NAMES)]
    assert fetch_log(place, "oven 7")["log"] == "run_2026-11-19.csv"
    for name in NAMES:
        fetch_log(place, "oven 7", name)
    told = compare_logs(place, NAMES[1], NAMES[0], "oven 7", "zh")
    assert [row["text"] for row in told["changes"]] == ["firmware：2.4.1 → 2.4.2。", "新增 door：null。"]


@pytest.mark.parametrize(("other", "rows"), [(None, 4), (NAMES[1], 2)])
def test_the_page_shows_its_values_or_what_changed(lab, monkeypatch, other, rows):
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(lab / "devices.toml"))

    def script():
        from instrumentgpt.ui.logs import page

        page.page()

    at = AppTest.from_function(script, default_timeout=PAGE_SECONDS)
    at.session_state[DEVICE], at.session_state[LOG], at.session_state[OTHER] = "oven 7", NAMES[0], other
    at.run()
    assert not at.exception and len(at.dataframe[0].value) == rows
    assert "firmware" in texts(at) + str(at.dataframe[0].value)
