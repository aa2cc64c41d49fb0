"""Of which device words are that name none: what was spoken of last, in questions and in answers."""

import pytest
from exchanges import context_of, exchange
from instrumentgpt.storage.said import parts_of
from instrumentgpt.text.said.affinity import taken_up

from instrumentgpt.storage.history import places


def devices_of(database, conversation, words):
    """Return the devices of the newest part that says `words`, the likeliest first."""
    placed = places(database, conversation)
    parts = parts_of(database, conversation, placed[0], placed=placed)
    return next(one.devices for one in reversed(parts) if words in one.text)


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        ([("how is it?", "Done. 053: ti = 36 s."), ("and now 40", "ok")], "and now 40"),
        ([("make it 36", "Done. 053: ti = 36 s.")], "make it 36"),
        ([("改成 36", "✅ 053 ti = 36 s。"), ("太積極。折衷 40", "好")], "折衷 40"),
        ([("改成 36", "✅ 053 ti = 36 s。"), ("再低一點？", "那就 30。")], "那就 30"),
    ],
)
def test_an_answer_that_names_one_device_says_what_is_spoken_of(database, conversation, talk, words):
    exchange(database, conversation, "051: why does it swing?", "Its kp is high.")
    for question, answer in talk:
        exchange(database, conversation, question, answer)
    assert devices_of(database, conversation, words)[0] == "zspr 053"


def test_what_an_answer_says_aside_of_another_device_moves_nothing(database, conversation):
    exchange(database, conversation, "052: why does it swing?", "Its kp is high.")
    exchange(database, conversation, "kp is 0.12 now", "Noted; that is what 053 has, too.")
    assert devices_of(database, conversation, "kp is 0.12 now")[0] == "zspr 052"


def test_a_device_that_a_question_names_counts_before_what_its_answer_names(database, conversation):
    exchange(database, conversation, "051: why does it swing?", "As on 053 last week: kp is high.")
    exchange(database, conversation, "then 0.1 it is", "Noted.")
    assert devices_of(database, conversation, "0.1 it is")[0] == "zspr 051"


def test_of_several_devices_in_a_question_its_answer_tells_which_is_meant(database, conversation):
    exchange(database, conversation, "051 is fine now. Next 053: it swings.", "053 has kp 9.")
    exchange(database, conversation, "make it 5", "Noted.")
    assert devices_of(database, conversation, "make it 5")[0] == "zspr 053"


def test_an_answer_that_names_several_devices_moves_nothing(database, conversation):
    exchange(database, conversation, "051: why does it swing?", "051 has kp 9, 052 has 4, 053 has 3.")
    exchange(database, conversation, "make it 5", "Noted.")
    assert devices_of(database, conversation, "make it 5")[0] == "zspr 051"


def test_words_of_an_earlier_subject_bring_its_device_back(database, conversation):
    exchange(
        database,
        conversation,
        "053 drifts, the wafer pyrometer reads low",
        "The viewport window of 053 may be coated, check its purge regulator.",
    )
    exchange(database, conversation, "051: what is the bath at?", "The bath of 051 is at 5.0.")
    exchange(
        database,
        conversation,
        "the viewport window is coated indeed",
        "Then the purge regulator of the viewport is next.",
    )
    assert devices_of(database, conversation, "coated indeed")[0] == "zspr 053"


def test_words_that_name_no_device_are_perhaps_of_the_others_spoken_of_lately(database, conversation):
    exchange(database, conversation, "054: why does it swing?", "Its kp is high.")
    exchange(database, conversation, "for reference, 055 sits at 9.4", "Good.")
    exchange(database, conversation, "the damper sticks as well", "Then free the damper.")
    assert devices_of(database, conversation, "the damper sticks") == ("zspr 055", "zspr 054")
    assert devices_of(database, conversation, "free the damper") == ("zspr 055", "zspr 054")
    context = context_of(exchange(database, conversation, "054: does the damper stick?"))
    assert "Said of zspr 055, perhaps zspr 054:\n  - turn 3, user: “the damper sticks as well”" in context
    assert "damper" not in context_of(exchange(database, conversation, "050: does the damper stick?"))


def test_a_brief_question_that_names_its_device_is_answered_on_that_one_alone(database, conversation):
    exchange(database, conversation, "054: why does it swing?", "Its kp is high.")
    exchange(database, conversation, "and 055?", "The belt of the blower slips.")
    assert devices_of(database, conversation, "belt of the blower") == ("zspr 055",)
    assert "blower" not in context_of(exchange(database, conversation, "054: what about the blower?"))


def test_an_answer_that_begins_with_a_device_leaves_no_doubt(database, conversation):
    exchange(database, conversation, "054 and 055 both swing", "I see.")
    exchange(database, conversation, "make it 36", "Done. 055: ti = 36 s.")
    assert devices_of(database, conversation, "make it 36") == ("zspr 055",)


def test_with_one_device_there_is_nothing_to_doubt(database, conversation):
    exchange(database, conversation, "054: why does it swing?", "Its kp is high.")
    exchange(database, conversation, "the damper sticks", "I see.")
    assert devices_of(database, conversation, "the damper sticks") == ("zspr 054",)


def test_a_word_or_two_bring_nothing_back():
    parts = [("oven", ("window", "purge", "wafer")), ("bath", ("level", "oil"))]
    assert taken_up("the window", parts, "bath") == "bath"
    assert taken_up("window, purge and wafer", parts, "bath") == "oven"
    assert taken_up("", parts, "bath") == "bath"
    assert taken_up("window", [], "bath") == "bath"
