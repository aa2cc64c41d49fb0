"""A plain yes or no answers what the last answer asked, whichever mode is chosen by then."""

import pytest

import db
from instrumentgpt.settings import database_path
from instrumentgpt.storage.answers import store_offers
from instrumentgpt.storage.runs import list_runs
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("judged_before")

PANEL = [db.Offer("Start the panel", "yes", "panel"), db.Offer("Drop it", "no", "panel")]
SAVE = [db.Offer("Save gen_report_1", "Save gen_report_1", "investigate")]
DEVICE = [db.Offer("zspr 051", "what is wrong with zspr 051?", "investigate")]
OWN = [db.Offer("Yes", "yes", "interview"), *PANEL]


def mode_of_answer(database, offers, said, mode):
    conversation = db.create_conversation(database)
    db.add_message(database, conversation, "user", "why?")
    store_offers(database, db.add_message(database, conversation, "assistant", "Shall I go ahead?"), offers)
    for _ in runs.consume(database_path(), conversation, said, mode=mode, agent="offline"):
        pass
    return list_runs(database, conversation)[0].mode


@pytest.mark.parametrize(
    "offers, said, mode, answered",
    [
        (PANEL, "yes", "chat", "panel"),
        (PANEL, "好", "investigate", "panel"),
        (PANEL, "no", "chat", "panel"),
        (SAVE, "yes, please", "chat", "investigate"),
        (SAVE, "no", "chat", "chat"),
        (OWN, "yes", "interview", "interview"),
        (DEVICE, "yes", "chat", "chat"),
        (PANEL, "yes, but what about kp?", "chat", "chat"),
        ([], "yes", "panel", "panel"),
    ],
)
def test_a_plain_reply_goes_to_the_mode_that_asked(database, offers, said, mode, answered):
    assert mode_of_answer(database, offers, said, mode) == answered
