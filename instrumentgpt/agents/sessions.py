"""Going on with an agent's earlier session; when it is gone, asking once more without it, and saying so."""

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from instrumentgpt.agents.events import Done, Events, Failure, Outcome, Session, Text, Thinking, Tick, Tool
from instrumentgpt.agents.evidence import ASK_AGAIN
from instrumentgpt.agents.process import DOCTOR, Request

LOST: tuple[Outcome, ...] = ("error", "no-result", "died")  # how a run ends whose session is gone
TOLD = "The agent no longer has its earlier session: it is asked afresh, with what is remembered here."
REFUSED = "The agent's name for its session is none that can be gone on with"
# UUIDs and "ses_…" with 26 letters are what agents give; it becomes a word of a command line.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


def is_session_id(text: str) -> bool:
    """Return whether an agent may be told to go on with the session that it calls `text`.

    >>> [is_session_id(text) for text in ("85239fc7-3af0-4fe0-881c-918390268d82", "--yolo", "a" * 200)]
    [True, False, False]
    """
    return _ID.fullmatch(text) is not None


def taken_session(session: Session) -> tuple[Session, *tuple[Tick, ...]]:
    """Return what is taken of a session that an agent tells: one of an unusable id is told to be without."""
    if not session.session_id or is_session_id(session.session_id):
        return (session,)
    note = f"{REFUSED} ({len(session.session_id):,} characters): the next question is asked afresh."
    return replace(session, session_id=""), Tick(note)


def ask_resuming(ask: Callable[[Request], Events], request: Request) -> Events:
    """Yield the events of `ask(request)`; a session that cannot be resumed is given up, once, and told.

    It cannot if the run failed before its first word, for none of the reasons that have a remedy of their own
    (a login, a limit, the network): every agent says it in other words.
    """
    if request.resume and not is_session_id(request.resume):
        yield Tick(f"{REFUSED}: it is asked afresh, with what is remembered here.")
        request = replace(request, resume="")
    if not request.resume:
        yield from ask(request)
        return
    spoke, failure = False, Failure("error", "")
    with closing(ask(request)) as events:
        for event in events:
            spoke = spoke or isinstance(event, Text | Thinking | Tool)
            if isinstance(event, Failure) and not spoke:
                failure = event
                continue
            if isinstance(event, Done) and not spoke and _lost(event, failure):
                break
            if isinstance(event, Done) and failure.text:
                yield failure
            yield event
        else:
            return
    yield Tick(f"{TOLD} ({failure.text[:200]})" if failure.text else TOLD)
    yield from ask(replace(request, resume=""))


def _lost(done: Done, failure: Failure) -> bool:
    return done.outcome in LOST and failure.remedy in ("", ASK_AGAIN, DOCTOR)
