"""What an expert said, with who said it and by which tools; what it must never claim is struck out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.panel.contracts import Claim, Contribution, as_json
from instrumentgpt.modes.panel.experts import Expert

STRUCK = {"en": "(struck)", "zh": "（刪除）"}


@dataclass(frozen=True)
class Said:
    """One contribution of one expert in one round.

    tools   names of the tools that it called
    struck  what was taken out of its words, and why
    """

    expert: str
    round: int
    contribution: Contribution
    tools: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()


def screened(
    contribution: Contribution, expert: Expert, candidates: Sequence[str], language: Language
) -> tuple[Contribution, tuple[str, ...]]:
    """Return the contribution without what `expert` must never claim, and a note for each thing struck.

    A vote for, and a ruling out of, a candidate outside the expert's field do not count either.
    """
    notes: list[str] = []
    claims = tuple(_clean_claims(contribution.claims, expert, language, notes))
    words = {
        name: _clean(getattr(contribution, name), expert, language, notes)
        for name in ("position", "condition", "measurement", "changed_because")
    }
    rejects = []
    for one in contribution.rejects:
        if one.cause in candidates and not expert.may_speak_on(one.cause):
            notes.append(_outside(expert, one.cause, language))
        elif _clean(one.because, expert, language, notes) == one.because:
            rejects.append(one)
    cause = contribution.cause
    if cause and not (cause in candidates and expert.may_speak_on(cause)):
        notes.append(_outside(expert, cause, language))
        cause = ""
    update = {**words, "claims": claims, "rejects": tuple(rejects), "cause": cause}
    return contribution.model_copy(update=update), tuple(dict.fromkeys(notes))


def within_the_log(
    contribution: Contribution, lines: int, language: Language
) -> tuple[Contribution, tuple[str, ...]]:
    """Return the contribution without lines that the log, of so many `lines`, does not have, and notes."""
    beyond = [
        item.line for claim in contribution.claims for item in claim.evidence if (item.line or 0) > lines
    ]
    beyond += [row.line for row in contribution.rejects if (row.line or 0) > lines]
    if not beyond:
        return contribution, ()
    claims = tuple(
        claim.model_copy(update={"evidence": tuple(i for i in claim.evidence if (i.line or 0) <= lines)})
        for claim in contribution.claims
    )
    rejects = tuple(
        row.model_copy(update={"line": None}) if (row.line or 0) > lines else row
        for row in contribution.rejects
    )
    told_ = ", ".join(f"{line:,}" for line in beyond if line)
    note = (
        f"第 {told_} 行：記錄只有 {lines:,} 行"
        if language == "zh"
        else f"line {told_}: the log has {lines:,}"
    )
    return contribution.model_copy(update={"claims": claims, "rejects": rejects}), (note,)


def latest(said: Sequence[Said]) -> dict[str, Said]:
    """Return expert → what it said last."""
    return {one.expert: one for one in said}


def evidence_of(contribution: Contribution) -> frozenset[str]:
    """Return what the contribution rests on, so that what is new in a later round can be seen."""
    lines = {f"{item.log}:{item.line}" for claim in contribution.claims for item in claim.evidence}
    reasons = {one.because for one in contribution.rejects}
    return frozenset({*lines, *reasons, *(claim.text for claim in contribution.claims)})


def told(said: Said) -> dict[str, Any]:
    """Return it as JSON-ready data."""
    return {
        "expert": said.expert,
        "round": said.round,
        **as_json(said.contribution),
        "tools": list(said.tools),
        "struck": list(said.struck),
    }


def untold(data: Mapping[str, Any]) -> Said:
    """Return what `told` made into data."""
    contribution = Contribution.model_validate(data)
    return Said(data["expert"], data["round"], contribution, tuple(data["tools"]), tuple(data["struck"]))


def _clean_claims(
    claims: Sequence[Claim], expert: Expert, language: Language, notes: list[str]
) -> Iterator[Claim]:
    for claim in claims:
        if _clean(claim.text, expert, language, notes) == claim.text:
            yield claim


def _clean(text: str, expert: Expert, language: Language, notes: list[str]) -> str:
    """Return `text` with what matches a pattern of must_never_claim replaced by a mark."""
    for never in expert.never:
        for pattern in never.patterns:
            if found := pattern.search(text):
                notes.append(_never(found[0], never.words[language], language))
                text = pattern.sub(STRUCK[language], text)
    return text


def _never(words: str, why: str, language: Language) -> str:
    said = " ".join(words.split())
    return f"「{said}」：不得主張{why}" if language == "zh" else f"“{said}”: it must never claim {why}"


def _outside(expert: Expert, cause: str, language: Language) -> str:
    name, field_ = expert.name(language), expert.words[language].field
    if language == "zh":
        return f"「{cause}」：不屬於{name}的領域（{field_}）"
    return f"“{cause}”: not in the field of {name} ({field_})"
