"""What a user states without asking: values and wishes, which go with every later question."""

import re
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import device_label
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase, quoted
from instrumentgpt.text.facts import Fact, facts_in
from instrumentgpt.text.wishes import wishes_in

STATED = ("act", "metrics", "unknown")  # what a statement may be taken for: "kp is 0.08", "do not restart it"
WISHED = ("act", "unknown")
_ORDER = re.compile(
    r"^\W*(?:please\W+)?(?:set|change|write|put)\b|[把將将]|[設设調调改](?:成|到|為|为)", re.I
)


def is_noted(case: Case) -> bool:
    """Return whether the question asks for nothing but states a value or lays something down."""
    asked = case.question
    if "?" in asked.text or "？" in asked.text or asked.intent not in STATED:
        return False
    if asked.intent in WISHED and wishes_in(asked.text):
        return True
    return asked.intent != "act" and not _ORDER.search(asked.text) and bool(_values(case))


def noted(case: Case) -> Iterator[str]:
    """Say what was understood, line by line, and what becomes of it."""
    about = case.task.devices[0] if case.task.devices else device_label(case)
    lines = [_told(fact) for fact in _values(case)]
    lines += [quoted(wish) for wish in wishes_in(case.question.text)]
    yield phrase("noted", case.language, label=about or phrase("noted_all", case.language), count=len(lines))
    yield "\n\n" + "\n".join(f"- {line}" for line in lines)
    yield "\n\n" + phrase("noted_kept", case.language)


def _values(case: Case) -> list[Fact]:
    return facts_in(case.question.text, case.device)


def _told(fact: Fact) -> str:
    where = f" ({fact.channel})" if fact.channel else ""
    return f"{quoted(fact.parameter)}{where}: {quoted(f'{fact.value} {fact.unit}')}"
