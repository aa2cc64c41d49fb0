"""How a run ended, judged from what can be seen: the stream, the exit code, stderr and the clocks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from instrumentgpt.agents.events import Done, Failure, Outcome
from instrumentgpt.agents.programs import agent_table

ASK_AGAIN = "Ask again, or choose another agent on the Settings page."

LAST_WORDS = 1000  # characters of stderr that are shown


@dataclass(frozen=True)
class Sign:
    """Words in an agent's error text that tell what is wrong, and what to do about it."""

    pattern: re.Pattern[str]
    outcome: Outcome
    remedy: str


def signs_of(name: str) -> tuple[Sign, ...]:
    """Return the signs of the agent `name` (programs.toml), then those of every agent.

    The words must stand alone, in any case of letters.

    >>> [found.outcome for found in signs_of("codex") if found.pattern.search("401 Unauthorized")]
    ['not-logged-in']
    >>> [bool(signs_of("")[0].pattern.search(text)) for text in ("Rate limit hit", "pirate limits")]
    [True, False]
    """
    rows = [*agent_table().get(name, {}).get("signs", ()), *agent_table()["every"]["signs"]]
    patterns = (re.compile(rf"(?<!\w)(?:{row['says']})(?!\w)", re.IGNORECASE) for row in rows)
    return tuple(Sign(said, row["outcome"], row["remedy"]) for said, row in zip(patterns, rows, strict=True))


COMMON_SIGNS = signs_of("")


@dataclass(frozen=True)
class Evidence:
    """What was seen of a run besides its stream; `clock` is the limit that ran out, in words, or ""."""

    exit_code: int | None = None  # None: it did not leave by itself
    stderr: str = ""
    stopped: bool = False
    clock: str = ""


def failure_of(text: str, signs: Iterable[Sign]) -> Failure:
    """Return the failure that `text` tells: of the first of `signs` that fits it, else an error.

    >>> failure_of("429 too many requests", COMMON_SIGNS).remedy.split(":")[0]
    "The account's limit is reached"
    """
    fitting = next((sign for sign in signs if sign.pattern.search(text)), None)
    if fitting is None:
        return Failure("error", text, ASK_AGAIN)
    return Failure(fitting.outcome, text, fitting.remedy)


def judge(done: Done, evidence: Evidence, signs: Iterable[Sign]) -> tuple[Failure | None, Outcome]:
    """Return how the run ended, and the failure to show if the stream itself named none.

    A stream that reached its end decides alone: being stopped or killed after it is still what it says.
    """
    if done.outcome != "no-result":
        return None, done.outcome
    if evidence.stopped:
        return None, "cancelled"
    failure = _without_result(done, evidence, tuple(signs))
    return failure, failure.outcome


def _without_result(done: Done, evidence: Evidence, signs: tuple[Sign, ...]) -> Failure:
    outcome: Outcome
    words = evidence.stderr.strip()[-LAST_WORDS:]
    failure = failure_of(words, signs) if words else None
    if failure and failure.outcome in ("not-logged-in", "untrusted"):
        return failure
    if evidence.clock:
        outcome, text = "timeout", evidence.clock
    elif evidence.exit_code == 0:
        outcome, text = "no-result", f"The agent exited with code 0, but {_spoken(done)}."
    elif evidence.exit_code is not None and evidence.exit_code < 0:
        outcome, text = "died", f"The agent was killed by signal {-evidence.exit_code}."
    elif failure:
        return failure
    elif evidence.exit_code is None:
        outcome, text = "no-result", f"The agent ended its answer, but {_spoken(done)}."
    else:
        outcome, text = "error", f"The agent exited with code {evidence.exit_code} and {_spoken(done)}."
    return Failure(outcome, text + (f" Its last words: {words}" if words else ""), ASK_AGAIN)


def _spoken(done: Done) -> str:
    return "stopped in mid-answer" if done.text else "said nothing"
