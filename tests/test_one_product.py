"""What one mode learned is in every other mode's prompt: one value, one constraint, one rejection."""

import json
import re
from contextlib import closing

import pytest

import db
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import get_prompt, list_prompts
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("judged_before")

VALUE = "kp of zspr 053 channel 2 is 7"
CONSTRAINT = "Do not change the gains of zspr 053 before Friday."
REJECTED = "the fan of zspr 053 is worn"
QUESTION = "zspr 053 why does it swing?"
STEP = {"description": "Fetch", "step_type": "read", "subdomain": "logs", "group": 0}
THOUGHT = {"decision": "plan_direct", "goal": "look at it", "steps": [STEP]}
MODES = {"chat": "chat", "investigate": "think", "interview": "interview", "panel": "panel_plan"}


def test_what_was_learned_in_the_chat_is_in_the_prompt_of_every_mode(scripted, database, conversation):
    rejects = {"tool": "record_hypothesis", "text": REJECTED, "device": "zspr 053"}
    out = {"tool": "rule_out", "hypothesis": REJECTED, "because": "it turns", "device": "zspr 053"}
    scripted(
        {"question": "fan", "say": ["Looked at. ", rejects, out]},
        {"task": "think", "say": json.dumps(THOUGHT)},
        {"say": "Noted."},
    )
    for words in (VALUE, CONSTRAINT, "is the fan of zspr 053 worn?"):
        list(runs.consume(database_path(), conversation, words, mode="chat", agent="scripted"))
    for mode, task in MODES.items():
        path = database_path().with_name(f"{mode}.db")  # each goes on from the chat alone
        database.execute("VACUUM INTO ?", (str(path),))
        list(runs.consume(path, conversation, QUESTION, mode=mode, agent="scripted"))
        with closing(db.connect(path)) as asked:
            sent = [get_prompt(asked, conversation, row[0]) for row in list_prompts(asked, conversation)]
        prompt = [found.text for found in sent if found.task == task][-1]
        assert QUESTION in prompt, mode
        assert re.search(r"kp\b[^\n]{0,40}\b7\b", prompt), mode
        assert "before Friday" in prompt and "fan" in prompt, mode
