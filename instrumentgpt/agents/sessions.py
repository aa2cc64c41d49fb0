"""Going on with an agent's earlier session; when it is gone, asking once more without it, and saying so."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from instrumentgpt.agents.events import Done, Events, Failure, Outcome, Text, Thinking, Tick, Tool
from instrumentgpt.agents.evidence import ASK_AGAIN
from instrumentgpt.agents.process import Request

LOST: tuple[Outcome, ...] = ("error", "no-result", "died")  # how a run ends whose session is gone
TOLD = "The agent no longer has its earlier session: it is asked afresh, with what is remembered here."


def ask_resuming(ask: Callable[[Request], Events], request: Request) -> Events:
    """Yield the events of `ask(request)`; a session that cannot be resumed is given up, once, and told.

    It cannot if the run failed before its first word, for none of the reasons that have a remedy of their own
    (a login, a limit, the network): every agent says it in other words.
    """
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
    return done.outcome in LOST and failure.remedy in ("", ASK_AGAIN)
