"""A conversation branched from a turn: what was said until then, the same memory, and its own way on."""

import pytest
from exchanges import exchange
from pages import button, page

import db
import memory
from instrumentgpt.storage.artifacts import add_artifact
from instrumentgpt.storage.connection import UnknownConversation
from instrumentgpt.storage.conversations import pin_conversation
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.runs import list_runs
from instrumentgpt.turn.rebuild import branch

pytestmark = pytest.mark.usefixtures("ovens")
FOUND = '{"log": "a.log", "device": "oven 7", "findings": [{"text": "pv swings", "evidence": [{"line": 7}]}]}'


def known(database, conversation):
    state = db.get_memory(conversation, database)[1]
    held = revised_memory(database, conversation, memory.DiagnosticState.deserialize(state))
    return state, sorted((row.kind, row.sentence, row.fact.parameter, row.fact.value) for row in held.facts)


def test_a_branch_has_the_messages_charts_and_memory_up_to_its_turn_and_goes_its_own_way(
    database, conversation
):
    exchange(
        database, conversation, "oven 7 為什麼溫度波動？ kp is 8.5", "Root cause: the fan is dirty", FOUND
    )
    question, answer = db.list_messages(database, conversation)
    chart = add_artifact(
        database, conversation, answer.run_id, answer.id, "plotly", "oven 7", "swings", b'{"data": []}'
    )
    marked = f"\n\n<!-- PLOTLY_CHART:{chart} -->"
    database.execute("UPDATE all_messages SET content = content || ? WHERE id = ?", (marked, answer.id))
    database.conn.commit()
    before = known(database, conversation)
    exchange(database, conversation, "and oven 8?", "Hypothesis: the sensor is loose")
    untouched = known(database, conversation)

    made = branch(database, conversation, question.id)
    first, second = db.list_messages(database, made)
    (copied,) = db.list_artifacts(database, second.id)
    assert first.content == question.content and copied.id != chart
    assert f"PLOTLY_CHART:{copied.id}" in second.content and chart not in second.content
    assert db.get_artifact(database, made, copied.id).content == b'{"data": []}'
    assert known(database, made) == before
    assert db.get_conversation(database, made).branched_from == answer.id
    assert [run.status for run in list_runs(database, made)] == ["ok"]

    exchange(database, made, "kp is 6 now")
    assert known(database, conversation) == untouched and len(db.list_messages(database, conversation)) == 4
    db.delete_conversation(database, conversation)
    assert len(db.list_messages(database, made)) == 4
    with pytest.raises(UnknownConversation):
        branch(database, made, 10**6)


def test_pinned_conversations_stand_first_and_tags_find_them(database):
    first, second = (db.create_conversation(database, title) for title in ("oven", "pump"))
    pin_conversation(database, first, True)
    db.rename_conversation(database, first, "oven", "acceptance, Friday")
    assert [one.id for one in db.list_conversations(database)] == [second, first]
    assert [one.id for one in db.list_conversations(database, pinned_first=True)] == [first, second]
    assert [one.id for one in db.list_conversations(database, "friday")] == [first]
    db.rename_conversation(database, first, "oven 7")
    pin_conversation(database, first, False)
    assert db.get_conversation(database, first).tags == "acceptance, Friday"
    assert [one.id for one in db.list_conversations(database, pinned_first=True)] == [second, first]


def test_an_answer_branches_with_one_click_and_the_branch_leads_back(database, conversation):
    exchange(database, conversation, "why does oven 7 swing?", "Root cause: the fan is dirty")
    at = page(conversation)
    button(at, "_Go on from here in a conversation of its own; this one stays_").click().run()
    made = at.query_params["conv"]
    assert made not in ([conversation], conversation)
    button(at, "Branched from why does oven 7 swing?").click().run()
    assert conversation in at.query_params["conv"]
