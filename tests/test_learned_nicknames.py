"""A conversation learns what its users call a device: whole turns on a real database."""

from dataclasses import replace

import pytest
from exchanges import context_of, exchange
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db
from instrumentgpt.instruments.conversation import nicknamed
from instrumentgpt.instruments.devices import UnknownDevice, load_inventory, resolve
from instrumentgpt.instruments.tools.library import list_devices, list_logs
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.opening import open_turn
from instrumentgpt.settings import DEMO_INVENTORY, database_path
from instrumentgpt.storage.nicknames import item_of, list_nicknames
from instrumentgpt.storage.revisions import list_revisions, revise, undo_revision
from instrumentgpt.storage.runs import start_run

DEMO = load_inventory(DEMO_INVENTORY)
NAMES = 'The bigger furnace is zspr 052 (we call it "Tallinn"), the smaller one 054 is Narva.'
HAN = "053 是 A 區的超低溫冰箱，庫房叫它「北極」；054 是 B 區同型的，叫「南極」。"


def asked(database, conversation, question):
    """Return the turn of a question, before it is answered."""
    message = db.add_message(database, conversation, "user", question)
    return open_turn(database, start_run(database, conversation, "offline", "chat", message))


def devices_of(database, conversation, question):
    turn = asked(database, conversation, question)
    turn.save("ok")
    return [device.name for device in turn.devices]


def values(database, conversation):
    """Return (device, parameter) → value, the newest."""
    return {
        (row.fact.device, row.fact.parameter): row.fact.value for row in db.list_facts(database, conversation)
    }


@pytest.mark.parametrize(
    ("introduced", "question", "device"),
    [
        (NAMES, "Why does Tallinn overshoot?", "zspr 052"),
        (NAMES, "and narva?", "zspr 054"),
        (NAMES, "why is TALLINN's ramp slow?", "zspr 052"),
        (HAN, "北極為什麼半夜升溫？", "zspr 053"),
        (HAN, "輪到南極了，幫我看一下", "zspr 054"),
        (HAN, "南极现在几度", "zspr 054"),
        ("053 是 PEB hotplate（我們叫 HP3），", "HP3 又有一個小怪", "zspr 053"),
        ("call 051 Bertha from now on", "what is wrong with bertha?", "zspr 051"),
        ("the peptide oven is 051", "does the peptide oven swing?", "zspr 051"),
    ],
)
def test_a_question_by_a_nickname_is_about_its_device(database, conversation, introduced, question, device):
    exchange(database, conversation, introduced)
    exchange(database, conversation, "what is the status of zspr 055?")
    turn = asked(database, conversation, question)
    assert [one.name for one in turn.devices] == [device] and turn.state.device_name == device


def test_the_message_that_gives_the_nickname_counts_already(database, conversation):
    exchange(database, conversation, "We call 051 Bertha and 053 Hilda. Bertha kp is 0.12")
    assert values(database, conversation)["zspr 051", "kp"] == "0.12"


def test_a_nickname_of_one_conversation_is_unknown_in_another(database, conversation):
    exchange(database, conversation, NAMES)
    assert devices_of(database, db.create_conversation(database), "Why does Tallinn overshoot?") == []


def test_the_prompt_says_which_device_a_nickname_stands_for(database, conversation):
    exchange(database, conversation, NAMES, "| | Tallinn |\n|---|---|\n| kp | 0.12 |")
    context = context_of(exchange(database, conversation, "kp of Tallinn?"))
    assert "zspr 052" in context and "0.12" in context
    assert 'zspr 052 is called "bigger furnace", "Tallinn"' in context
    assert 'zspr 054 is called "Narva"' in context


def test_deleting_the_message_takes_the_nickname_back(database, conversation):
    exchange(database, conversation, NAMES)
    first = db.list_messages(database, conversation)[0]
    assert devices_of(database, conversation, "Tallinn?") == ["zspr 052"]
    db.delete_turn(database, first.id)
    assert devices_of(database, conversation, "Why does Tallinn overshoot?") == []
    assert list_nicknames(database, conversation) == []


def test_a_nickname_said_of_two_devices_is_neither_s_until_one_is_taken_back(database, conversation):
    exchange(database, conversation, "052 is Tallinn.")
    exchange(database, conversation, "054 is Tallinn.")
    assert devices_of(database, conversation, "Why does Tallinn overshoot?") == []
    exchange(database, conversation, "Tallinn is not 052.")
    assert devices_of(database, conversation, "Why does Tallinn overshoot?") == ["zspr 054"]


def test_a_forgotten_nickname_stays_forgotten_until_it_is_given_again(database, conversation):
    exchange(database, conversation, "call 051 Bertha from now on")
    [learned] = list_nicknames(database, conversation)
    revise(database, conversation, item_of(learned), "forget", learned.nickname)
    assert list_nicknames(database, conversation) == []
    exchange(database, conversation, "Bertha drifts, says the night shift")
    assert list_nicknames(database, conversation) == []
    [change] = list_revisions(database, conversation)
    undo_revision(database, change.id)
    assert [one.nickname for one in list_nicknames(database, conversation)] == ["Bertha"]
    revise(database, conversation, item_of(learned), "forget", learned.nickname)
    exchange(database, conversation, "we call 051 Bertha")
    assert [one.nickname for one in list_nicknames(database, conversation)] == ["Bertha"]


@pytest.mark.parametrize("device", ["Tallinn", "tallinn", "bigger furnace"])
def test_an_agent_s_tools_take_a_nickname_for_the_device(database, conversation, tmp_path, device):
    exchange(database, conversation, NAMES)
    where = Workspace(DEMO_INVENTORY, tmp_path, tmp_path, database=database_path(), conversation=conversation)
    assert list_logs(where, device)["label"] == "zspr 052 (10.1.1.47)"
    assert (
        "Tallinn"
        in next(row for row in list_devices(where)["devices"] if row["name"] == "zspr 052")["aliases"]
    )
    with pytest.raises(UnknownDevice, match="Tallinn"):
        list_logs(replace(where, conversation=db.create_conversation(database)), "Tallinn")


SAID = st.lists(
    st.sampled_from(
        [
            "052 is Tallinn.",
            "054 is Tallinn.",
            "call 053 tallinn from now on",
            "Tallinn is not 052.",
            "053 叫北極",
            "054 叫北极",
            "以後 051 才叫北極",
            "北極不是 053",
            "Tallinn is 054, not 052.",
        ]
    ),
    max_size=6,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(SAID, st.data())
def test_no_nickname_ever_resolves_to_two_devices(database, said, data):
    conversation = db.create_conversation(database)
    for message in said:
        exchange(database, conversation, message)
    if said and data.draw(st.booleans()):
        messages = [one for one in db.list_messages(database, conversation) if one.role == "user"]
        db.delete_turn(database, data.draw(st.sampled_from(messages)).id)
    inventory = nicknamed(database, conversation, DEMO)
    for nickname in ("Tallinn", "北極", "北极"):
        assert len(resolve(nickname, inventory).devices) <= 1
