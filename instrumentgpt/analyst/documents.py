"""What has changed in a device's JSON documents: its health, its configuration."""

import re
from collections.abc import Iterator

from instrumentgpt.analyst.case import Case
from instrumentgpt.analyst.questions import aspect
from instrumentgpt.analyst.words import quoted
from instrumentgpt.instruments.lognames import line_link, reference_to

MOST_CHANGES = 20  # told


def documents_asked(case: Case) -> list[str]:
    """Return the document that is asked about and the one before it of its kind; [] where none is meant."""
    if not case.device or case.question.gain or not aspect("documents", case.question.words):
        return []
    names: list[str] = case.tool("list_logs", device=case.device).get("documents", [])
    asked = case.task.question.casefold()
    named = [name for name in names if name.casefold() in asked]
    squeezed = re.sub(r"[\W\d_]", "", asked)
    kinds = [_kind(name) for name in named or sorted(names, key=lambda name: _kind(name) not in squeezed)]
    alike = [name for name in names if _kind(name) == kinds[0]] if kinds else []
    first = alike.index(named[0]) if named else 0
    return named if len(named) == 2 else alike[first : first + 2]


def documents(case: Case) -> Iterator[str]:
    """Say what changed from the older of two documents to the newer, or that there is only one."""
    names = documents_asked(case)
    for name in names:
        case.tool("fetch_log", device=case.device, log=name)
    links = [f"{quoted(name)} ({line_link(reference_to(name, case.device), 1)})" for name in names]
    if len(names) < 2:
        yield case.say("document_alone", label=case.label, document=links[0])
        return
    after, before = names
    told = case.tool("compare_logs", log=after, before=before, device=case.device, language=case.language)
    changes = told["changes"]
    fields = {"label": case.label, "before": links[1], "after": links[0], "count": len(changes)}
    yield case.say("documents_changed", **fields) + "\n\n"
    yield from (f"- {quoted(change['text'])}\n" for change in changes[:MOST_CHANGES])
    if len(changes) > MOST_CHANGES:
        yield case.item("documents_more", count=len(changes) - MOST_CHANGES)


def _kind(name: str) -> str:
    """Return what a document is called without its time: all of one name are of one kind."""
    return re.sub(r"[\W\d_]", "", name.casefold().removesuffix(".gz").removesuffix(".json"))
