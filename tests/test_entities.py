"""Refs of a conversation: how they are given, flagged, touched, and what survives."""

from contextlib import closing

import pytest
from cases import each

import db
from instrumentgpt.settings import database_path
from instrumentgpt.storage.entities import (
    Sighting,
    list_entities,
    mark_created,
    note_entities,
    retain_entities,
    touch_entities,
)
from instrumentgpt.turn import runs
from instrumentgpt.turn.entities import log_label, one_line, refs_in, seen_in

pytestmark = pytest.mark.usefixtures("judged_before")

LOG = "InstrumentDebug_2026-02-20_08-47-19.73.log"
FOUND = {
    "device": "zspr 053",
    "log": LOG,
    "findings": [
        {"class": "oscillation_tuning", "title": "Oscillation", "channel": 2, "text": "swings"},
        {"class": "healthy", "title": "Healthy", "channel": 1, "text": "holds"},
        {"class": "ambient_disturbance", "title": "Room", "channel": None, "text": "door"},
    ],
}


@pytest.fixture
def question(database, conversation):
    return db.add_message(database, conversation, "user", "why?")


def refs(database, conversation):
    return [one.ref for one in list_entities(database, conversation)]


def log(name, flag=""):
    return Sighting("log", name, {"device": "", "log": name}, flag)


def report(name):
    return Sighting("report", name, {"artifact": name}, "unsaved", generated=True)


def test_003_06_refs_are_sequential_per_type(database, conversation, question):
    seen = [log("a"), Sighting("loop", "1", {"channel": 1}), log("b"), report("r"), report("s")]
    noted = note_entities(database, conversation, question, seen)
    assert [one.ref for one in noted] == ["log_1", "loop_1", "log_2", "gen_report_1", "gen_report_2"]


def test_003_06_the_same_thing_keeps_its_ref_for_the_conversation(database, conversation, question):
    note_entities(database, conversation, question, [log("a"), log("b")])
    later = db.add_message(database, conversation, "user", "and now?")
    assert [one.ref for one in note_entities(database, conversation, later, [log("b"), log("c")])] == [
        "log_2",
        "log_3",
    ]
    assert refs(database, conversation) == ["log_1", "log_2", "log_3"]


def test_003_06_refs_survive_a_reload(database, conversation, question):
    note_entities(database, conversation, question, [log("a"), report("r")])
    with closing(db.connect(database_path())) as again:
        assert refs(again, conversation) == ["log_1", "gen_report_1"]
        assert note_entities(again, conversation, question, [log("b")])[0].ref == "log_2"


def test_003_06_a_ref_is_never_reused_though_its_turn_is_deleted(database, conversation, question):
    other = db.add_message(database, conversation, "user", "another")
    note_entities(database, conversation, question, [log("kept")])
    note_entities(database, conversation, other, [log("a")])
    db.delete_turn(database, other)
    assert refs(database, conversation) == ["log_1"]
    assert note_entities(database, conversation, question, [log("b")])[0].ref == "log_3"


def test_a_thing_whose_first_turn_was_deleted_comes_back_under_its_ref(database, conversation, question):
    gone = db.add_message(database, conversation, "user", "x")
    note_entities(database, conversation, gone, [log("a")])
    db.delete_turn(database, gone)
    again = note_entities(database, conversation, question, [log("a")])
    assert [one.ref for one in again] == refs(database, conversation) == ["log_1"]


def test_003_06_a_generated_thing_keeps_its_name_when_it_is_saved(database, conversation, question):
    note_entities(database, conversation, question, [report("r")])
    mark_created(database, conversation, "gen_report_1")
    (saved,) = list_entities(database, conversation)
    assert (saved.ref, saved.flag, saved.generated) == ("gen_report_1", "created", True)
    (again,) = note_entities(database, conversation, question, [report("r")])
    assert again.flag == "created"


def test_refs_of_one_conversation_say_nothing_of_another(database, conversation, question):
    other = db.create_conversation(database)
    asked = db.add_message(database, other, "user", "x")
    note_entities(database, conversation, question, [log("a")])
    assert note_entities(database, other, asked, [log("b")])[0].ref == "log_1"
    db.delete_conversation(database, conversation)
    assert refs(database, conversation) == [] and refs(database, other) == ["log_1"]


@pytest.mark.parametrize(
    "before, after, flag",
    [
        ("", "read:summary", "read:summary"),
        ("read:summary", "read:full", "read:full"),
        ("read:full", "read:summary", "read:full"),
        ("read:summary", "", "read:summary"),
    ],
)
def test_003_04_a_flag_only_grows(database, conversation, question, before, after, flag):
    note_entities(database, conversation, question, [log("a", before)])
    assert note_entities(database, conversation, question, [log("a", after)])[0].flag == flag


def test_003_04_flags_are_set_by_what_the_tools_did():
    told = {
        "fetch_log": {"device": "zspr 053", "log": LOG, "label": "zspr 053 (10.1.1.112)"},
        "diagnose_log": FOUND,
        "plot_log": {"log": LOG, "device": "zspr 053"},
    }
    flags = {name: [(one.type, one.flag) for one in seen_in(name, result)] for name, result in told.items()}
    assert flags == {
        "fetch_log": [("device", ""), ("log", "")],
        "diagnose_log": [
            ("log", "read:summary"),
            ("loop", "read:summary"),
            ("finding", "read"),
            ("finding", "read"),
        ],
        "plot_log": [("log", "read:full")],
    }


def test_a_finding_and_its_loop_are_known_and_a_healthy_channel_is_neither():
    labels = [one.label for one in seen_in("diagnose_log", FOUND) if one.type != "log"]
    assert labels == [
        "channel 2 of zspr 053",
        "Oscillation · channel 2 of zspr 053",
        "Room · zspr 053",
    ]


@each("result", [{}, {"log": 3}, {"findings": "none"}, {"findings": [1, {}]}, {"devices": [None]}])
@each("tool", ["diagnose_log", "survey_devices", "fetch_log", "shell"])
def test_what_an_agent_made_up_touches_nothing(tool, result):
    assert list(seen_in(tool, result)) == []


@each(
    "text, found",
    [
        ("compare log_1 with log_2", ["log_1", "log_2"]),
        ("看log_1和gen_report_2", ["log_1", "gen_report_2"]),
        ("`finding_12`, (loop_3).", ["finding_12", "loop_3"]),
        ("blog_1 log_0 log_01 log_1a log_x log-1 LOG_1 gen_log", []),
        ("gen_report_1", ["gen_report_1"]),
        ("log_1 log_1", ["log_1"]),
    ],
)
def test_a_ref_is_named_as_a_whole_word(text, found):
    assert refs_in(text) == found


def test_a_ref_that_is_named_is_touched(database, conversation, question):
    note_entities(database, conversation, question, [log("a"), log("b")])
    later = db.add_message(database, conversation, "user", "log_1?")
    touch_entities(database, conversation, later, ["log_1", "log_99"])
    assert [one.last for one in list_entities(database, conversation)] == [later, question]


def test_only_what_has_a_reason_is_retained(database, conversation, question):
    note_entities(database, conversation, question, [log("a"), log("b")])
    retain_entities(database, conversation, {"log_1": "in view"})
    retain_entities(database, conversation, {"log_2": "asked for"})
    assert [one.retained for one in list_entities(database, conversation)] == ["", "asked for"]


@each("told", ["a\nb", "`x`", "<note>", "</session_context>", "x" * 500, "[x](http://e)", "\x1b[31m"])
def test_a_label_is_one_harmless_line(told):
    shown = one_line(told)
    assert len(shown) <= 80 and not set("\n`<[\x1b") & set(shown)


def test_a_log_is_called_by_its_device_and_time_or_by_its_name():
    assert log_label("zspr 053", LOG) == "zspr 053 · 2026-02-20 08:47"
    assert log_label("", "x.csv") == "x.csv" and log_label("zspr 053", "x.csv") == "zspr 053 · x.csv"


def test_an_ask_turn_gives_what_it_touched_its_refs(database, conversation):
    events = list(runs.consume(database_path(), conversation, "zspr 053 為什麼振盪？", agent="offline"))
    assert events[-1].outcome == "ok"
    known = {one.ref: one for one in list_entities(database, conversation)}
    assert set(known) == {"device_1", "log_1", "loop_1", "finding_1", "chart_1"}
    assert known["log_1"].flag == "read:full" and known["finding_1"].flag == "read"
    db.save_note(database, "door", "opened at 9", scope=conversation)
    list(runs.consume(database_path(), conversation, "what did we find so far? see chart_1", agent="offline"))
    known = {one.ref: one for one in list_entities(database, conversation)}
    assert known["note_1"].label == "door" and known["chart_1"].last > known["finding_1"].first
