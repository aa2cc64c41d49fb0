"""A deleted turn is nowhere, and undone it is back with all that hung on it, also after a restart."""

import io
import json
import re
import zipfile
from contextlib import closing

import pytest
from exchanges import context_of, exchange
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db
import memory
from instrumentgpt.memory.revisions import Item
from instrumentgpt.memory.summary import parse
from instrumentgpt.modes.investigate.decisions import MODE, ModeState, Note, Pending
from instrumentgpt.modes.state import read_state, save_state
from instrumentgpt.settings import database_path
from instrumentgpt.storage.answers import Offer, list_offers, store_offers
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import turn_at
from instrumentgpt.storage.entities import Sighting, list_entities, note_entities
from instrumentgpt.storage.export import exported
from instrumentgpt.storage.history import history
from instrumentgpt.storage.panels import latest_panel, list_steps, propose_panel
from instrumentgpt.storage.revised_memory import list_nicknames, listing
from instrumentgpt.storage.revisions import (
    RefusedRevision,
    delete_turn,
    forget_deleted,
    list_deleted,
    list_revisions,
    redo_revision,
    revise,
    undo_revision,
)
from instrumentgpt.storage.runs import (
    append_events,
    finish_run,
    keep_prompt,
    list_prompts,
    list_runs,
    read_events,
    start_run,
)

pytestmark = pytest.mark.usefixtures("ovens")

READ = {
    "log": "run.log",
    "findings": [{"text": "pv swings by 3.2 °C", "evidence": [{"line": 18204}]}],
    "root_causes": [{"text": "the zirconia probe is cracked"}],
    "channels": [{"kp": 0.09}],
}
TURNS = (
    ("oven 7 為什麼溫度波動？", "I looked.", json.dumps(READ)),
    ("We call oven 7 Tallinn. Do not restart it before Friday.", "Hypothesis: the fan is dirty"),
    ("no, kp is 0.12", "Ruled out: the fan is dirty\n\n風扇轉速是 4017 rpm。"),
    ("and oven 8?", "Key findings:\n- its door seal leaks\n\nkp: 0.31", json.dumps({"log": "eight.log"})),
    ("back to Tallinn", "Key findings:\n- pv swings by 3.2 °C\n- the lid hums"),
)
KEPT_APART = ("revisions", "sqlite_sequence", "agent_sessions", "_sqlite_migrations")


def whole(database):
    """Return all that readers see, but the record of changes, when they were made, and the summary.

    The summary is as the next prompt makes it.
    """
    sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT GLOB '*_terms*'"
    names = [name for (name,) in rows(database, sql) if name not in KEPT_APART and name[:4] != "all_"]
    found = {name: sorted(map(repr, rows(database, f"SELECT * FROM {name}"))) for name in names}
    kept = rows(database, "SELECT id, title, diagnostic_state FROM conversations ORDER BY id")
    return {**found, "conversations": [(*row, summary_of(database, row[0])) for row in kept]}


def summary_of(database, conversation):
    """Return the summary that the next prompt of the conversation has."""
    case = memory.Case("", memory.DiagnosticState())
    stored = db.get_memory(conversation, database)[0]
    return memory.compose(case, history(database, conversation), stored).summary


@pytest.fixture
def conversation(database):
    made = db.create_conversation(database)
    for turn in TURNS:
        exchange(database, made, *turn)
    return made


def question(database, conversation, turn):
    """Return the id of a turn's question."""
    asked = [one for one in db.list_messages(database, conversation) if one.role == "user"]
    return asked[turn - 1].id


def undo_last(database, conversation):
    undo_revision(database, list_deleted(database, conversation)[-1].id)


@pytest.mark.parametrize("turn", range(1, len(TURNS) + 1))
def test_undone_it_is_whole_again_with_its_number_and_all_that_hung_on_it(database, conversation, turn):
    before = whole(database)
    delete_turn(database, question(database, conversation, turn))
    assert whole(database) != before
    undo_last(database, conversation)
    assert whole(database) == before
    assert rows(database, "PRAGMA foreign_key_check") == []


def test_it_comes_back_after_a_restart_as_well(database, conversation):
    before = whole(database)
    delete_turn(database, question(database, conversation, 1))
    with closing(db.connect(database_path())) as again:
        undo_last(again, conversation)
        assert whole(again) == before


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_several_come_back_in_any_order(database, data):
    conversation = db.create_conversation(database)
    for turn in data.draw(st.lists(st.sampled_from(TURNS), min_size=2, max_size=5)):
        exchange(database, conversation, *turn)
    before = whole(database)
    for _ in range(data.draw(st.integers(1, 3))):
        if messages := db.list_messages(database, conversation):
            delete_turn(database, data.draw(st.sampled_from(messages)).id)
    gone = [one.id for one in list_deleted(database, conversation)]
    for one in data.draw(st.permutations(gone)):
        undo_revision(database, one)
    assert whole(database) == before
    db.delete_conversation(database, conversation)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turn=st.integers(1, 4), later=st.lists(st.sampled_from(TURNS[2:]), min_size=1, max_size=2))
def test_it_comes_back_in_its_place_though_others_were_asked_since(database, turn, later):
    conversation = db.create_conversation(database)
    for one in TURNS[:4]:
        exchange(database, conversation, *one)
    hanging = hung_on(database, conversation, turn)
    delete_turn(database, question(database, conversation, turn))
    for one in later:
        exchange(database, conversation, *one)
    undo_last(database, conversation)
    assert hung_on(database, conversation, turn) == hanging
    exchange(database, conversation, "and now?")
    exchange(database, conversation, "sure?")
    held = parse(db.get_memory(conversation, database)[0])
    ids = [one.id for one in db.list_messages(database, conversation)]
    assert all(sum(entry.holds(name) for entry in held) <= 1 for name in ids)
    db.delete_conversation(database, conversation)


def hung_on(database, conversation, turn):
    """Return the rows of a turn, and which turn the page says it is."""
    of = turn_at(database, question(database, conversation, turn))
    tables = ("messages", "facts", "nicknames", "state_items", "offers")
    column = {"messages": "id"}
    return {
        table: rows(
            database,
            f"SELECT * FROM {table} WHERE {column.get(table, 'message_id')} IN ({','.join('?' * len(of))})",
            of,
        )
        for table in tables
    }


WORDS = ("zirconia", "3.2", "Tallinn", "before Friday", "lid hums", "18204")


def test_while_it_is_deleted_nothing_tells_it(database, conversation):
    for turn in (1, 1):
        delete_turn(database, question(database, conversation, turn))
    delete_turn(database, question(database, conversation, 3))  # it repeats what the first found
    prompt = exchange(database, conversation, "what of the zirconia probe and the fan of oven 7?")
    told = prompt.partition("?")[2]
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    known = listing(database, conversation, state)
    packed = exported(database, conversation)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    db.delete_turn(database, db.list_messages(database, conversation)[-1].id)
    for words in WORDS:
        assert words not in told, words
        assert words not in repr(known.sections), words
        assert words not in db.get_memory(conversation, database)[0]
        assert not [hit for hit in db.search(database, words) if words in hit.text]
        if words != "zirconia":  # it stands in the question above
            told_in = re.compile(rf"(?<![\d.]){re.escape(words)}(?!\d)")  # not in the figures of a time
            assert not [name for name, text in files.items() if told_in.search(text)], words
    assert list_nicknames(database, conversation) == {}
    assert known.forgotten == 0
    assert db.get_conversation(database, conversation).title.startswith("no, kp")


def test_a_later_prompt_that_told_it_is_not_exported_until_it_is_back(database, conversation):
    sent = {"run_id": "r", "task": "chat", "agent": "offline", "budget": 8000}
    keep_prompt(database, conversation, question(database, conversation, 3), "Tallinn was told", **sent)
    delete_turn(database, question(database, conversation, 2))
    keep_prompt(database, conversation, question(database, conversation, 2), "sent afterwards", **sent)

    def prompts():
        with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
            return [archive.read(name) for name in archive.namelist() if name.startswith("prompts/")]

    assert prompts() == [b"sent afterwards"]
    assert len(list_prompts(database, conversation)) == 2
    undo_last(database, conversation)
    assert prompts() == [b"Tallinn was told", b"sent afterwards"]


def test_a_deleted_turn_takes_the_proposal_that_it_made_along_and_brings_it_back(database, conversation):
    notes = Note(1, "asked"), Note(3, "x"), Note(5, "proposed")
    state = ModeState(Pending("proposal", "shall I?", "compare"), notes)
    save_state(database, conversation, MODE, state)
    stored = read_state(database, conversation, MODE, ModeState)
    there, gone = stored.of_turns([1, 3, 5]), stored.of_turns([1, 3])
    assert there == state
    assert gone.pending is None and gone.recent_notes() == ["asked", "x"]
    later = stored.after(7, "asked on", None)
    assert later.of_turns([1, 3, 5, 7]).recent_notes() == ["proposed", "asked on"]


def test_what_a_mode_keeps_of_a_deleted_turn_is_not_exported(database, conversation):
    db.save_mode_state(database, conversation, "investigate", {"notes": [{"message": 1, "text": "Tallinn"}]})

    def states():
        with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
            return json.loads(archive.read("conversation.json"))["mode_states"]

    assert len(states()) == 1
    delete_turn(database, question(database, conversation, 2))
    assert states() == []
    undo_last(database, conversation)
    assert len(states()) == 1


def test_its_runs_charts_offers_prompts_panel_and_refs_come_back(database, conversation):
    asked = db.add_message(database, conversation, "user", "plot it")
    run = start_run(database, conversation, "offline", "panel", asked)
    append_events(database, run, ['{"type": "Tick", "note": "a step"}'])
    panel = propose_panel(database, conversation, "plot it", "offline", {"a": 1}, {"b": 2})
    chart = db.add_artifact(database, conversation, run, None, "plotly", "t", "a", b'{"data": []}')
    answer = db.finish_turn(database, conversation, run, "done", outcome="ok")
    store_offers(database, answer, [Offer("Yes", "yes")])
    note_entities(database, conversation, asked, [Sighting("chart", "t", {"id": chart})])
    sent = keep_prompt(
        database, conversation, asked, "told", run_id=run, task="chat", agent="offline", budget=1
    )
    before = whole(database)
    delete_turn(database, asked)
    assert db.get_artifact(database, conversation, chart) is None
    assert (list_offers(database, answer), latest_panel(database, conversation)) == ([], None)
    assert "chart_1" not in [one.ref for one in list_entities(database, conversation)]
    assert sent not in [number for number, *_ in list_prompts(database, conversation)]
    undo_last(database, conversation)
    assert whole(database) == before
    assert db.get_artifact(database, conversation, chart).content == b'{"data": []}'
    assert latest_panel(database, conversation).id == panel
    assert list_steps(database, panel) == [] and list_runs(database, conversation)[0].question_message_id


def test_a_thing_that_was_touched_again_meanwhile_belongs_to_its_first_turn_again(database, conversation):
    asked = db.add_message(database, conversation, "user", "which log?")
    note_entities(database, conversation, asked, [Sighting("log", "a", {"name": "a"})])
    delete_turn(database, asked)
    later = db.add_message(database, conversation, "user", "that log")
    note_entities(database, conversation, later, [Sighting("log", "a", {"name": "a"})])
    undo_last(database, conversation)
    assert [one.first for one in list_entities(database, conversation) if one.label == "a"] == [asked]


def test_undone_it_can_be_deleted_again_from_the_same_change(database, conversation):
    first = question(database, conversation, 1)
    delete_turn(database, first, "10.0.0.9")
    [change] = list_deleted(database, conversation)
    assert (change.old, change.changed_by) == ("oven 7 為什麼溫度波動？", "10.0.0.9")
    gone = whole(database)
    undo_revision(database, change.id)
    assert list_deleted(database, conversation) == []
    redo_revision(database, change.id)
    assert whole(database) == gone
    undo_revision(database, change.id)
    delete_turn(database, first)
    with pytest.raises(RefusedRevision, match="deleted already"):
        redo_revision(database, change.id)
    assert [one.undone_at is None for one in list_revisions(database, conversation)] == [False, True]


def device_in_question(database, conversation):
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    return state.device_name, sorted(db.device_states(database, conversation))


@pytest.fixture
def of_two(database):
    """A conversation of three turns: on oven 7, on oven 8, and one that names none."""
    made = db.create_conversation(database)
    for words in ("oven 7: why?", "and oven 8?", "is it hot?"):
        exchange(database, made, words)
    return made


def test_a_device_that_only_deleted_turns_spoke_of_is_in_question_no_more(database, of_two):
    before = whole(database)
    asked = []
    for turn in (2, 2, 1):
        asked.append(device_in_question(database, of_two))
        delete_turn(database, question(database, of_two, turn))
    assert asked == [("oven 8", ["oven 7"]), ("oven 7", []), ("oven 7", [])]
    assert device_in_question(database, of_two) == (None, [])
    for _ in range(3):
        undo_last(database, of_two)
    assert whole(database) == before


@pytest.mark.parametrize("turns, named", [((2, 2), "oven 7"), ((3, 2, 1), "")])
def test_the_next_prompt_is_not_about_a_device_that_was_deleted(database, of_two, turns, named):
    for turn in turns:
        delete_turn(database, question(database, of_two, turn))
    prompt = exchange(database, of_two, "what of kp?")
    assert "oven 8" not in prompt and "10.9.0.8" not in prompt
    assert (named in prompt) if named else ("oven" not in prompt)
    undo_revision(database, list_deleted(database, of_two)[0].id)
    assert device_in_question(database, of_two)[0] == (named or None)


def test_who_asked_on_without_the_turn_stays_at_the_device_and_finds_the_other_filed(database):
    conversation = db.create_conversation(database)
    found = json.dumps({"log": "eight.log", "findings": [{"text": "its seal leaks"}]})
    exchange(database, conversation, "oven 7: why?")
    exchange(database, conversation, "and oven 8?", "The seal.", found)
    delete_turn(database, question(database, conversation, 2))
    exchange(database, conversation, "is it hot?")
    undo_last(database, conversation)
    assert device_in_question(database, conversation) == ("oven 7", ["oven 7", "oven 8"])
    assert "its seal leaks" in context_of(exchange(database, conversation, "oven 8 again"))


CAUSE = "Root cause: kp is a third too high."


def test_what_was_said_of_no_device_while_its_turn_was_deleted_is_said_of_the_device_that_is_back(database):
    conversation = db.create_conversation(database)
    found = json.dumps({"log": "eight.log", "findings": [{"text": "its seal leaks"}]})
    exchange(database, conversation, "oven 8: why?", "The seal.", found)
    delete_turn(database, question(database, conversation, 1))
    exchange(database, conversation, "is it hot?", CAUSE)
    exchange(database, conversation, "is it?", CAUSE)
    before = whole(database)
    delete_turn(database, question(database, conversation, 1))
    undo_last(database, conversation)
    assert whole(database) == before
    undo_last(database, conversation)
    state = memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert (state.device_name, state.status) == ("oven 8", "resolved")
    assert (state.findings, state.root_causes) == (["its seal leaks"], ["kp is a third too high"])


def test_what_was_said_before_any_device_was_named_goes_with_its_turn(database):
    conversation = db.create_conversation(database)
    exchange(database, conversation, "why does it swing?", CAUSE)
    exchange(database, conversation, "oven 8?")
    before = whole(database)
    delete_turn(database, question(database, conversation, 1))
    assert "a third too high" not in db.get_memory(conversation, database)[1]
    undo_last(database, conversation)
    assert whole(database) == before


def test_what_only_a_deleted_turn_ruled_out_is_open_again_until_it_is_back(database, conversation):
    def hypotheses():
        return memory.DiagnosticState.deserialize(db.get_memory(conversation, database)[1]).hypotheses

    before, there = whole(database), hypotheses()
    delete_turn(database, question(database, conversation, 3))
    assert "the fan is dirty" not in there and "the fan is dirty" in hypotheses()
    exchange(database, conversation, "is it hot?", "Hypothesis: the lid is loose")
    undo_last(database, conversation)
    assert hypotheses() == [*there, "the lid is loose"]
    delete_turn(database, question(database, conversation, 6))
    assert whole(database)["conversations"] == before["conversations"]


@pytest.mark.parametrize("change", [undo_revision, redo_revision])
def test_nothing_is_brought_back_or_taken_while_an_answer_is_written(database, conversation, change):
    first = question(database, conversation, 1)
    delete_turn(database, first)
    [made] = list_deleted(database, conversation)
    if change is redo_revision:
        undo_revision(database, made.id)
    asked = db.add_message(database, conversation, "user", "and now?")
    run = start_run(database, conversation, "offline", "chat", asked)
    before = whole(database)
    for refused in (lambda: change(database, made.id), lambda: delete_turn(database, asked)):
        with pytest.raises(db.RunInProgress, match="Press Stop first"):
            refused()
    assert whole(database) == before
    finish_run(database, run, "ok")
    change(database, made.id)


def test_what_a_person_changed_in_it_counts_again(database, conversation):
    finding = Item("oven 7", "findings", "pv swings by 3.2 °C")
    revise(database, conversation, finding, "edit", "pv swings by 3.2 °C", "pv swings at night")
    delete_turn(database, question(database, conversation, 5))
    delete_turn(database, question(database, conversation, 1))
    undo_last(database, conversation)
    assert "pv swings at night" in context_of(exchange(database, conversation, "oven 7?"))


NEWER, OLDER = "2026-02-19 23:54:44", "2026-02-12 10:00:00"


def channels(log, kp, clock):
    rows = [{"channel": 1, "kp": kp, "last": {"line": 7, "clock": clock}}]
    return json.dumps({"summary": "", "log": log, "device": "oven 7", "unit": "°C", "channels": rows})


@pytest.mark.parametrize(
    "again, meanwhile",
    [(channels("old.log", 7.0, OLDER), "7"), (channels("new.log", 9.0, NEWER), "9")],
    ids=["an older log", "the same log again"],
)
def test_what_tools_read_meanwhile_is_no_newer_than_the_reading_that_is_back(database, again, meanwhile):
    conversation = db.create_conversation(database)

    def read(question, *results):
        return context_of(
            exchange(database, conversation, question, "Done.", *results, tool="channel_metrics")
        )

    read("oven 7?", channels("new.log", 9.0, NEWER))
    read("no, kp is 15")
    delete_turn(database, question(database, conversation, 1))
    read("and now on oven 7?", again)
    assert f"kp (比例增益): {meanwhile} (" in read("kp of oven 7?")
    undo_last(database, conversation)
    assert "kp (比例增益): 15 (" in read("kp of oven 7?")


def test_deleted_for_good_nothing_of_it_is_left(database, conversation):
    run = start_run(database, conversation, "offline", "chat", question(database, conversation, 1))
    append_events(database, run, ['{"type": "Tick", "note": "a step"}'])
    db.finish_turn(database, conversation, run, "x", outcome="ok")
    last = db.list_messages(database, conversation)[-1].id
    delete_turn(database, last)
    forget_deleted(database, list_deleted(database, conversation)[-1].id)
    assert list_revisions(database, conversation) == []
    assert rows(database, "SELECT * FROM deleted_messages") == [] and read_events(database, run) == []


def test_deleted_for_good_its_words_are_in_nothing_that_is_kept_of_others(database, conversation):
    sent = {"run_id": "r", "task": "chat", "agent": "offline", "budget": 8000}
    for turn in (1, 3, 4):
        asked = question(database, conversation, turn)
        keep_prompt(database, conversation, asked, "the zirconia probe is cracked", **sent)
    for turn in (3, 1, 2):  # those deleted before and after it
        delete_turn(database, question(database, conversation, turn))
    delete_turn(database, question(database, conversation, 2))  # it repeats a finding
    first = next(one for one in list_deleted(database, conversation) if "oven 7" in one.old)
    forget_deleted(database, first.id)
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_terms_*'"
    kept = repr([rows(database, f"SELECT * FROM {table}") for (table,) in rows(database, sql)])
    assert "zirconia" not in kept and not re.search(r"(?<![\w.])18204(?!\w)", kept)
    assert rows(database, "SELECT * FROM all_prompts") == []
    gone = [one.id for one in list_deleted(database, conversation)]
    assert len(gone) == 3
    for one in gone:
        undo_revision(database, one)
    asked = [one.content for one in db.list_messages(database, conversation) if one.role == "user"]
    assert asked == [words for words, *_ in TURNS[1:]]
    assert "zirconia" not in exchange(database, conversation, "what of oven 7?")


def test_a_turn_that_is_back_is_not_deleted_for_good(database, conversation):
    delete_turn(database, question(database, conversation, 1))
    [made] = list_deleted(database, conversation)
    undo_revision(database, made.id)
    before = whole(database)
    forget_deleted(database, made.id)
    assert whole(database) == before and len(list_revisions(database, conversation)) == 1
