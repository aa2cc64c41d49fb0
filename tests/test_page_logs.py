"""The Logs page without a browser: what it lets in from an address, and what it says."""

import re
from pathlib import Path

import pandas as pd
import pytest
from cases import each
from pages import PAGE_SECONDS, texts
from streamlit.testing.v1 import AppTest

import db
import memory
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.memory.revisions import Item
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.revisions import revise
from instrumentgpt.storage.runs import start_run
from instrumentgpt.ui.logs import actions
from instrumentgpt.ui.logs.chart import counts, strip_in_words
from instrumentgpt.ui.logs.lines import Filters, event_rows
from instrumentgpt.ui.logs.place import DEVICE, LOG, Place, axis_of, line_at, moment_at, time_of, within

DEMO = Path(__file__).parents[1] / "demo" / "logs" / "zspr_050"
OVEN = Device("zspr 050", "10.1.1.85", "file:///x")
OTHER = Device("zspr 051", "10.1.1.46", "file:///y")


@pytest.fixture(scope="module")
def log():
    return read_log(max(DEMO.glob("*.log.gz")))


def logs_page():
    from instrumentgpt.ui.logs import page

    page.page()


def pin(database, conversation, device=OVEN, text="Pinned line 7: door open"):
    return actions.pin(database, conversation, device, "run.log", 7, text)


def test_the_address_of_a_line_is_quoted_whatever_the_log_is_called():
    assert Place("a/b", "x&line=2 <b>.log", 3).address() == (
        "/logs?device=a%2Fb&log=x%26line%3D2%20%3Cb%3E.log&line=3"
    )


def test_a_moment_leads_to_its_line_and_the_line_back_to_the_moment(log):
    row = log.samples.iloc[len(log.samples) // 2]
    line = line_at(log, float(row["time"]))
    assert time_of(log, line) == pytest.approx(float(row["time"]), abs=1e-6)


@pytest.mark.parametrize("time", [0.0, 61.5, 1800.0])
def test_a_place_on_the_axis_is_told_as_a_date_or_a_number(log, time):
    clock = axis_of(log)
    told = (log.start + pd.Timedelta(seconds=time)).isoformat(sep=" ")
    assert moment_at(clock, told) == pytest.approx(time, abs=1e-3)
    assert moment_at(clock, clock.at(time)) == pytest.approx(time, abs=1e-3)


def test_what_is_no_place_on_the_axis_is_refused(log):
    with pytest.raises(ValueError, match="Invalid isoformat"):
        moment_at(axis_of(log), "<script>")


def test_a_window_keeps_only_its_samples_and_an_empty_one_changes_nothing(log):
    part = within(log, (60.0, 120.0))
    assert 0 < len(part.samples) < len(log.samples)
    assert part.samples["time"].between(60.0, 120.0).all()
    assert within(log, (1e9, 2e9)) is log


def test_the_strip_counts_every_event_line_once(log):
    _, found = counts(log)
    assert sum(int(number.sum()) for number in found.values()) == len(log.events)
    assert f"{int(found['errors'].sum()):,} errors" in strip_in_words(log)


def test_event_lines_of_the_whole_log_are_found_by_words_that_are_no_pattern(log):
    rows, found = event_rows(log, Filters(("errors",)), None)
    assert found == len(rows) > 0
    assert {row.kind for row in rows} == {"errors"}
    assert event_rows(log, Filters(words="(["), None) == ([], 0)


def test_a_pin_is_a_finding_from_the_user_with_its_line(database):
    conversation = pin(database, None)
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert state.findings == ["Pinned line 7: door open"]
    assert (state.device_ip, state.downloaded_logs) == (OVEN.ip, ["run.log"])
    found = {item.field: item for item in db.list_state_items(database, conversation)}
    assert (found["findings"].source, found["findings"].line, found["findings"].log) == ("user", 7, "run.log")


def test_a_pin_twice_is_one_finding(database):
    conversation = pin(database, None)
    pin(database, conversation)
    assert len(db.list_state_items(database, conversation)) == 2


def test_a_pin_that_was_forgotten_is_remembered_when_it_is_pinned_again(database):
    conversation = pin(database, None)
    [text] = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1]).findings
    revise(database, conversation, Item(OVEN.name, "findings", text), "forget", text)
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert revised_memory(database, conversation, state).state.findings == []
    pin(database, conversation)
    assert revised_memory(database, conversation, state).state.findings == [text]


def test_a_pin_of_another_device_leaves_the_state_in_force_alone(database):
    conversation = pin(database, None)
    before = db.get_memory(conversation, database)
    pin(database, conversation, OTHER, "Pinned line 9: fan")
    assert db.get_memory(conversation, database) == before
    assert "Pinned line 9: fan" in db.device_states(database, conversation)[OTHER.name]


def test_nothing_is_pinned_while_an_answer_is_written(database):
    conversation = pin(database, None)
    question = db.add_message(database, conversation, "user", "why?")
    start_run(database, conversation, "offline", "chat", question)
    with pytest.raises(actions.CannotPin, match="Pin when it is finished"):
        pin(database, conversation, text="another")


@each(
    "device, log",
    [("zspr 052", "../../../instrumentgpt.db"), ("../..", "etc/passwd"), ("", "/etc/passwd")],
)
def test_no_address_opens_any_other_file(device, log):
    at = AppTest.from_function(logs_page, default_timeout=PAGE_SECONDS)
    for name, value in {"device": device, "log": log, "line": "1"}.items():
        at.query_params[name] = value
    at.run()
    assert re.search("is not (there|in the inventory|of a device)", at.warning[0].value)
    assert at.selectbox(key=LOG).value.startswith("InstrumentDebug") and "root:" not in texts(at)


def test_the_page_follows_the_conversation_to_its_log_until_another_is_picked(database):
    log = "InstrumentDebug_2026-02-16_11-20-41.17.log"
    state = memory.DiagnosticState(device_name="zspr 053", last_log_file=log)
    conversation = db.create_conversation(database)
    db.update_memory(conversation, "", state.serialize(), database)
    at = AppTest.from_function(logs_page, default_timeout=PAGE_SECONDS)
    at.query_params["conv"] = conversation
    assert at.run().selectbox(key=DEVICE).value == "zspr 053"
    assert at.selectbox(key=LOG).value == log
    assert at.selectbox(key=DEVICE).select("zspr 051").run().selectbox(key=DEVICE).value == "zspr 051"
    state.device_name, state.last_log_file = "zspr 054", None
    db.update_memory(conversation, "", state.serialize(), database)
    assert at.run().selectbox(key=DEVICE).value == "zspr 054"
