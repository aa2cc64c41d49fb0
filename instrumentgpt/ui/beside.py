"""What an answer rests on: its tools and cost, and an earlier answer to the same question beside it."""

from collections import Counter
from collections.abc import Iterable, Sequence

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.memory.gate import Mark
from instrumentgpt.memory.sources import Kind
from instrumentgpt.storage.markers import rendered_parts
from instrumentgpt.storage.marks import marks_of_answer
from instrumentgpt.storage.runs import get_run, usage_of
from instrumentgpt.ui import connection, untrusted
from instrumentgpt.ui.language import say
from instrumentgpt.ui.progress import Progress
from instrumentgpt.ui.steps import tool_words

KINDS: dict[Kind, str] = {  # of marks → in words, in this order
    "computed": "{count} computed",
    "user": "{count} from you",
    "agent": "{count} from the agent's own programs",
    "unknown": "{count} not found",
}
LOOK_BACK = 40  # messages among which the same question is looked for


def draw_foot(database: Database, conversation_id: str, message: db.Message, progress: Progress) -> None:
    """Draw, once it is opened, what is told of the run: model, tools on offer, called and denied, cost."""
    with st.popover(say("Details"), type="tertiary", key=f"foot-{message.id}", on_change="rerun") as foot:
        if not foot.open:
            return
        is_ours = message.run_id and get_run(database, message.run_id).agent == "offline"
        if progress.session and progress.session.model and not is_ours:
            st.markdown(f"**{say('Model of the agent')}** {untrusted.label(progress.session.model)}")
        called = dict.fromkeys(step.name for step in progress.steps.values() if step.status != "denied")
        st.markdown(f"**{say('Tools called')}** {_listed(called)}")
        st.markdown(f"**{say('Not allowed')}** {_listed(progress.denied())}")
        ours = say("our {count} tools", count=len(TOOLS))
        offered = ours if is_ours else say("{ours}, and the agent’s own", ours=ours)
        st.markdown(f"**{say('On offer')}** {offered}")
        st.caption(_listed(TOOLS))
        usage = usage_of(database, conversation_id)
        taken = usage.get("inputTokens", 0) + usage.get("outputTokens", 0)
        money = f", {usage['costUSD']:.4f} USD" if usage.get("costUSD") else ""
        told = f"{taken:,.0f} tokens{money}" if taken else say("not told by the agent")
        st.markdown(f"**{say('This conversation')}** {told}")


def draw(
    database: Database,
    conversation_id: str,
    message: db.Message,
    kept: Sequence[db.Artifact],
) -> None:
    """Draw an earlier answer to the same question and `message` side by side, once that is opened."""
    other = _earlier_answer(database, conversation_id, message)
    if other is None:
        return
    shut = st.expander(
        say("Beside the earlier answer"), type="compact", key=f"beside-{message.id}", on_change="rerun"
    )
    with shut:
        if not shut.open:
            return
        for column, one in zip(st.columns(2), (other, message), strict=True):
            with column:
                agent = get_run(database, one.run_id).agent if one.run_id else ""
                st.markdown(f"**{connection.agent_words(agent)}**")
                ids = [artifact.id for artifact in kept]
                for part in rendered_parts(one.content, [name for name in ids if name in one.content]):
                    if not part.artifact_id:
                        untrusted.write(part.text, conversation_id)
                st.caption(counts(marks_of_answer(database, one.id)))


def counts(marks: Sequence[Mark] | None) -> str:
    """Return how many of an answer's numbers are of whom.

    >>> counts([Mark(0, 2, "computed"), Mark(3, 5, "unknown")]), counts(None)
    ('Numbers: 1 computed, 0 from you, 1 not found', 'Numbers: not looked up, all computed by our own tools')
    """
    if marks is None:  # of the offline analyst
        return say("Numbers: not looked up, all computed by our own tools")
    found = Counter(mark.kind for mark in marks)
    told = [say(KINDS[kind], count=found[kind]) for kind in KINDS if found[kind] or kind != "agent"]
    return say("Numbers: {counts}", counts=", ".join(told))


def _earlier_answer(database: Database, conversation_id: str, message: db.Message) -> db.Message | None:
    """Return the last complete answer before `message` to the same words, None if there is none."""
    before = db.list_messages(database, conversation_id, before=message.id, last=LOOK_BACK)
    asked = [place for place, one in enumerate(before) if one.role == "user"]
    if not asked:
        return None
    words = before[asked[-1]].content
    same = [place for place in asked[:-1] if before[place].content == words]
    answers = [before[place + 1] for place in same if before[place + 1].role == "assistant"]
    return answers[-1] if answers else None


def _listed(names: Iterable[str]) -> str:
    return untrusted.label(", ".join(map(tool_words, names)), 1_000) or say("none")
