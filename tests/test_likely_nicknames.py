"""Names that stand beside a device and are its nicknames once a user says them elsewhere: real turns."""

from cases import SHARE, each, rated
from exchanges import exchange
from instrumentgpt.text.nicknames.likely import likely_in_question
from instrumentgpt.text.nicknames.use import OwnWords, times_said

import db
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.opening import open_turn
from instrumentgpt.settings import DEMO_INVENTORY
from instrumentgpt.storage.nicknames import list_nicknames
from instrumentgpt.storage.runs import start_run

NAMES = tuple(device.own_names for device in load_inventory(DEMO_INVENTORY).devices)
BELLY = 'zspr 052 heats the source ("the nose") and zspr 054 runs the growth zone ("the belly").'


def asked_about(database, conversation, question):
    """Return the names of the devices that a question is about."""
    message = db.add_message(database, conversation, "user", question)
    turn = open_turn(database, start_run(database, conversation, "offline", "chat", message))
    turn.save("ok")
    return [device.name for device in turn.devices]


def called(database, conversation):
    return {(one.device[-3:], one.nickname) for one in list_nicknames(database, conversation)}


@each(
    "said, names",
    [
        (BELLY, {("052", "nose"), ("054", "belly")}),
        ("052 (everyone here says Olga) is warm", {("052", "Olga")}),
        ("053 at 10.1.1.112 cools it, we say “the walrus”.", {("053", "walrus")}),
        ("051 is the turbo on the still line, gladys.", {("051", "gladys")}),
        ("053, the meter on the line to the tank. that's the sniffer", {("053", "sniffer")}),
        ("- 051 at 10.1.1.46, runs the valve. everybody calls her Olga", {("051", "Olga")}),
        ("052 = our dip fridge, 053 = Righty", {("052", "dip fridge"), ("053", "Righty")}),
        ("051是舊的那台大家叫阿嬤，054新買的叫小白", {("051", "阿嬤"), ("054", "小白")}),
        ("大爐=050 二號爐=052", {("050", "大爐"), ("052", "二號爐")}),
        ("053 是加熱盤 暱稱Aixi", {("053", "Aixi")}),
        ("zspr 053 接 still,大家都喊「蒸餾頭」", {("053", "蒸餾頭")}),
        (
            "051 是大箱(可以走進去),052 是桌上型小箱",
            {("051", "大箱"), ("052", "小箱"), ("052", "桌上型小箱")},
        ),
        ("一號釜(50L)的夾套控溫是 zspr 050", {("050", "一號釜"), ("050", "號釜")}),
    ],
    SHARE,
)
def test_what_stands_beside_a_device_may_be_its_name(said, names):
    assert {(one.device[-3:], one.nickname) for one in likely_in_question(said, NAMES)} == names


@rated("likely_nicknames")
def test_what_is_said_of_a_device_is_no_name(said):
    assert likely_in_question(said, NAMES) == []


@rated("likely_nicknames")
def test_a_name_is_said_as_a_word_of_its_own(nickname, text, times):
    assert times_said(nickname, OwnWords(text)) == times


def test_a_likely_name_is_a_nickname_from_when_a_user_says_it(database, conversation):
    exchange(database, conversation, BELLY)
    assert called(database, conversation) == set()
    assert asked_about(database, conversation, "is the belly hot?") == ["zspr 054"]
    assert called(database, conversation) == {("054", "belly")}


def test_an_answer_alone_names_no_device(database, conversation):
    exchange(database, conversation, "how are they?", "051 (Gladys) is fine, 052 = Olga too.")
    exchange(database, conversation, "good", "Gladys and Olga will stay so.")
    assert called(database, conversation) == set()


def test_a_likely_name_goes_with_its_message_and_with_the_one_that_said_it(database, conversation):
    exchange(database, conversation, BELLY)
    exchange(database, conversation, "is the belly hot?")
    gave, _, said, _ = (one.id for one in db.list_messages(database, conversation))
    db.delete_turn(database, said)
    assert called(database, conversation) == set()
    exchange(database, conversation, "the belly again")
    assert called(database, conversation) == {("054", "belly")}
    db.delete_turn(database, gave)
    assert called(database, conversation) == set()


def test_a_name_that_two_devices_may_have_is_neither_s(database, conversation):
    exchange(database, conversation, '052 heats the left side ("the box"), 054 the right one ("the box").')
    assert asked_about(database, conversation, "is the box hot?") == []
