"""What an expert said, with who said it and by which tools; votes outside its field do not count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.panel.contracts import Contribution, as_json
from instrumentgpt.modes.panel.experts import Expert
from instrumentgpt.modes.panel.wording import say


@dataclass(frozen=True)
class Said:
    """One contribution of one expert in one round.

    tools   names of the tools that it called
    struck  what was taken out of its contribution, and why
    """

    expert: str
    round: int
    contribution: Contribution
    tools: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()


def screened(
    contribution: Contribution, expert: Expert, candidates: Sequence[str], lines: int, language: Language
) -> tuple[Contribution, tuple[str, ...]]:
    """Return the contribution without what cannot count, and a note for each thing struck.

    A vote for, or a ruling out of, what is outside the expert's field does not count, nor does a line that
    the log, of so many `lines`, does not have.
    """

    def is_there(line: int | None) -> bool:
        return line is None or line <= lines

    named = [contribution.cause, *(row.cause for row in contribution.rejects if row.cause in candidates)]
    outside = [cause for cause in named if cause and not (cause in candidates and expert.may_speak_on(cause))]
    told = {"name": expert.name(language), "field": expert.words[language].field}
    notes = [say("struck_field", language, cause=cause, **told) for cause in dict.fromkeys(outside)]
    quoted = [item.line for claim in contribution.claims for item in claim.evidence]
    beyond = [line for line in [*quoted, *(row.line for row in contribution.rejects)] if not is_there(line)]
    if beyond:
        listed = ", ".join(f"{line:,}" for line in beyond)
        notes.append(say("struck_line", language, listed=listed, lines=lines))
    claims = [
        claim.model_copy(update={"evidence": tuple(item for item in claim.evidence if is_there(item.line))})
        for claim in contribution.claims
    ]
    rejects = [
        row if is_there(row.line) else row.model_copy(update={"line": None})
        for row in contribution.rejects
        if row.cause not in outside
    ]
    cause = "" if contribution.cause in outside else contribution.cause
    update = {"claims": tuple(claims), "rejects": tuple(rejects), "cause": cause}
    return contribution.model_copy(update=update), tuple(notes)


def latest(said: Sequence[Said]) -> dict[str, Said]:
    """Return expert → what it said last."""
    return {row.expert: row for row in said}


def evidence_of(contribution: Contribution) -> frozenset[str]:
    """Return what the contribution rests on, so that what is new in a later round can be seen."""
    lines = {f"{item.log}:{item.line}" for claim in contribution.claims for item in claim.evidence}
    reasons = {row.because for row in contribution.rejects}
    return frozenset({*lines, *reasons, *(claim.text for claim in contribution.claims)})


def told(said: Said) -> dict[str, Any]:
    """Return it as JSON-ready data."""
    beside = {"tools": list(said.tools), "struck": list(said.struck)}
    return {"expert": said.expert, "round": said.round, **as_json(said.contribution), **beside}


def untold(data: Mapping[str, Any]) -> Said:
    """Return what `told` made into data."""
    contribution = Contribution.model_validate(data)
    return Said(data["expert"], data["round"], contribution, tuple(data["tools"]), tuple(data["struck"]))
