"""What an answer rests on: its tools and cost, and an earlier answer to the same question beside it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.memory.filtering import rendered_parts
from instrumentgpt.memory.gate import Kind, Mark
from instrumentgpt.storage.answers import marks_of_answer
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
SOURCES = {  # kind of mark on a number → what is told of it
    "unknown": "nobody computed this",
    "user": "from you",
    "computed": "from: {source}",
    "agent": "from the agent's own program: {source}",
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
        our_tools = say("our {count} tools", count=len(TOOLS))
        offered = our_tools if is_ours else say("{ours}, and the agent’s own", ours=our_tools)
        st.markdown(f"**{say('On offer')}** {offered}")
        st.caption(_listed(TOOLS))
        usage = usage_of(database, conversation_id)
        st.markdown(f"**{say('This conversation')}** {spent(usage) or say('not told by the agent')}")


def token_count(usage: Mapping[str, float]) -> float:
    """Return the tokens that went in and came out."""
    return usage.get("inputTokens", 0) + usage.get("outputTokens", 0)


def spent(usage: Mapping[str, float]) -> str:
    """Return tokens and money as far as the agent tells them, "" if it tells neither.

    >>> spent({"inputTokens": 1_240, "outputTokens": 84, "costUSD": 0.0026}), spent({})
    ('1,324 tokens, 0.0026 USD', '')
    """
    parts = [f"{token_count(usage):,.0f} tokens"] if token_count(usage) else []
    return ", ".join([*parts, *([money(usage["costUSD"])] if usage.get("costUSD") else [])])


def money(dollars: float) -> str:
    """Return an amount as the page tells it: an answer costs less than a cent."""
    return f"{dollars:.4f} USD"


def annotated(
    message: db.Message, marks: Sequence[Mark], conversation_id: str
) -> tuple[str, tuple[untrusted.Note, ...]]:
    """Return the words of an answer with a sign around each of its numbers, and what is told of each."""
    content = untrusted.marked(message.content, [(mark.start, mark.end) for mark in marks])
    is_marked = content != message.content
    return content, tuple(_note(mark, conversation_id) for mark in marks) if is_marked else ()


def _note(mark: Mark, conversation_id: str) -> untrusted.Note:
    """Return what is told of a number: where it is from, or that nobody computed it."""
    source = say(SOURCES[mark.kind], source=tool_words(mark.source))
    if mark.kind == "unknown":
        return untrusted.Note(source, untrusted.MISSING)
    query = untrusted.evidence_query(mark.log, mark.line, conversation_id) if mark.line else ""
    return untrusted.Note(source, "color: inherit; text-decoration: none" if query else "", query)


def draw(
    database: Database, conversation_id: str, message: db.Message, stored: Sequence[db.Artifact]
) -> None:
    """Draw an earlier answer to the same question and `message` side by side, once that is opened."""
    earlier = _earlier_answer(database, conversation_id, message)
    if earlier is None:
        return
    shut = st.expander(
        say("Beside the earlier answer"), type="compact", key=f"beside-{message.id}", on_change="rerun"
    )
    with shut:
        if not shut.open:
            return
        for column, answer in zip(st.columns(2), (earlier, message), strict=True):
            with column:
                agent = get_run(database, answer.run_id).agent if answer.run_id else ""
                st.markdown(f"**{connection.agent_words(agent)}**")
                ids, marks = [artifact.id for artifact in stored], marks_of_answer(database, answer.id)
                content, notes = annotated(answer, marks or (), conversation_id)
                for part in rendered_parts(content, [name for name in ids if name in answer.content]):
                    if not part.artifact_id:
                        untrusted.write(part.text, conversation_id, notes=notes)
                st.caption(counts(marks))


def counts(marks: Sequence[Mark] | None) -> str:
    """Return how many of an answer's numbers are of whom.

    >>> counts([Mark(0, 2, "computed"), Mark(3, 5, "unknown")]), counts(None)
    ('Numbers: 1 computed, 0 from you, 1 not found', 'Numbers: not looked up, all computed by our own tools')
    """
    if marks is None:  # of the offline analyst
        return say("Numbers: not looked up, all computed by our own tools")
    numbers = Counter(mark.kind for mark in marks)
    texts = [say(KINDS[kind], count=numbers[kind]) for kind in KINDS if numbers[kind] or kind != "agent"]
    return say("Numbers: {counts}", counts=", ".join(texts))


def _earlier_answer(database: Database, conversation_id: str, message: db.Message) -> db.Message | None:
    """Return the last complete answer before `message` to the same words, None if there is none."""
    earlier = db.list_messages(database, conversation_id, before=message.id, last=LOOK_BACK)
    places = [place for place, other in enumerate(earlier) if other.role == "user"]
    if not places:
        return None
    question = earlier[places[-1]].content
    same_places = [place for place in places[:-1] if earlier[place].content == question]
    answers = [earlier[place + 1] for place in same_places if earlier[place + 1].role == "assistant"]
    return answers[-1] if answers else None


def _listed(names: Iterable[str]) -> str:
    return untrusted.label(", ".join(map(tool_words, names)), 1_000) or say("none")
