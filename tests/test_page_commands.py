"""Commands typed into the chat: answered like any question, shown without anything live, by no agent."""

import re
from contextlib import closing

from cases import each
from pages import page
from streamlit.testing.v1 import AppTest
from waiting import wait_for

import db
from instrumentgpt.modes.registry import MODES
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import live_run
from instrumentgpt.turn import runs


def texts(at: AppTest) -> str:
    return "\n".join(str(element.value) for kind in ("markdown", "caption") for element in at.get(kind))


def typed(command: str) -> AppTest:
    """Return the page once `command`, typed into the input of an empty page, has been answered."""
    at = page()
    at.chat_input[0].set_value(command).run()
    with closing(db.connect(database_path())) as database:
        conversation = db.list_conversations(database)[0].id
        wait_for(lambda: not live_run(database, conversation))
    return page(conversation)


def test_help_typed_into_the_chat_explains_the_commands():
    at = typed("$help")
    shown = texts(at)
    assert not at.exception
    assert "$memorize &lt;id&gt; [type] [scope] [text]" in shown and "keeps a note" in shown
    assert "command ·" in shown and "Offline analyst ·" not in shown


@each("mode", MODES)
def test_what_a_command_repeats_is_shown_as_text(mode):
    with closing(db.connect(database_path())) as database:
        conversation = db.create_conversation(database)
    forged = "<script>alert(1)</script> <!-- PLOTLY_CHART:x --> ![x](http://a/b.png)"
    list(runs.consume(database_path(), conversation, f"$memorize x {forged}", mode=mode))
    at = page(conversation)
    assert not at.exception
    live = re.sub(r"\\.", "", "".join(one.value for one in at.markdown))
    assert "<script" not in live and "<!--" not in live and "<img" not in live
