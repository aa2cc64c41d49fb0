"""The statement that an interview comes to: its summary, its document, what the diagnosis is told."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

from instrumentgpt.analyst.words import plain_text
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.interview.gathered import NEEDED, SLOTS
from instrumentgpt.modes.interview.hearing import Interview
from instrumentgpt.modes.interview.patterns import told
from instrumentgpt.modes.interview.words import say, words


@dataclass(frozen=True)
class About:
    """What a statement is about beside what was said; `device` is its name, "" if none is known."""

    device: str
    date: str
    title: str
    language: Language = "en"


def since_of(interview: Interview) -> str:
    """Return since when it is so, in the user's words; "" if nothing gathered says it.

    >>> from instrumentgpt.modes.interview.gathered import Gathered
    >>> since_of(Interview(Gathered("the oven is off by two degrees since Monday")))
    'Monday'
    >>> since_of(Interview(Gathered("爐子從禮拜一開始差兩度")))
    '禮拜一'
    """
    for texts in interview.gathered.filled().values():
        for text in texts:
            if found := re.search("|".join(told(__file__)["since"]), text, re.I):
                return next(group for group in found.groups() if group).strip()
    return ""


def summary(interview: Interview, about: About) -> str:
    """Return all that is gathered as a list, each field that is not empty, and what was left open."""
    labels, language = words("labels"), about.language
    rows = [("device", [about.device]), ("since", [since_of(interview)])]
    rows += [
        (slot, list(interview.gathered.texts(slot)) or [_open(interview, slot, language)]) for slot in SLOTS
    ]
    rows.append(("notes", list(interview.notes)))
    lines = []
    for name, texts in rows:
        shown = [plain_text(text) for text in texts if text]
        if len(shown) == 1:
            lines.append(f"- **{labels[name][language]}**: {shown[0]}")
        elif shown:
            lines += [f"- **{labels[name][language]}**:", *(f"  - {text}" for text in shown)]
    return "\n".join(lines)


def _open(interview: Interview, slot: str, language: Language) -> str:
    """Return what to say of a slot without content: how a gap was closed; "" of what is no gap."""
    if not any(slot in gaps for gaps in NEEDED.values()):
        return ""
    return words("open")[interview.closed.get(slot, "empty")][language]


def document(template: str, interview: Interview, about: About) -> str:
    """Return the statement as Markdown: `template` with its $fields filled in; nothing that was said is lost.

    What the template has no field for is added at its end.
    """
    fields = _fields(interview, about)
    text = Template(template).safe_substitute(fields).strip()
    named = set(re.findall(r"\$\{?(\w+)\}?", template))
    labels = words("labels")
    missing = [
        f"## {labels[name][about.language]}\n{fields[name]}"
        for name in (*SLOTS, "notes")
        if name not in named and (interview.notes if name == "notes" else interview.gathered.texts(name))
    ]
    return "\n\n".join([text, *missing]) + "\n"


def _fields(interview: Interview, about: About) -> Mapping[str, str]:
    empty = words("open")["empty"][about.language]
    filled = {slot: _listed(interview, slot, about.language) for slot in SLOTS}
    return {
        **filled,
        "device": plain_text(about.device) or empty,
        "since": plain_text(since_of(interview)) or empty,
        "date": about.date,
        "title": plain_text(about.title),
        "notes": "\n".join(f"- {plain_text(note)}" for note in interview.notes),
        "phase": interview.phase,
    }


def _listed(interview: Interview, slot: str, language: Language) -> str:
    texts = [plain_text(text) for text in interview.gathered.texts(slot)]
    if not texts:
        return _open(interview, slot, language) or words("open")["empty"][language]
    several = isinstance(getattr(interview.gathered, slot), tuple) and slot not in ("who",)
    return "\n".join(f"- {text}" for text in texts) if several else ", ".join(texts)


def finding(interview: Interview, language: Language) -> str:
    """Return the reported symptom as a finding of the state, "" if none was described."""
    problem, since = interview.gathered.description, since_of(interview)
    if not problem:
        return ""
    if since and since not in problem:
        return say("reported_since", language, problem=problem, since=since)
    return say("reported", language, problem=problem)


def diagnosis_question(interview: Interview, about: About, key: str = "diagnose") -> str:
    """Return the question with which the diagnosis goes on: the device, the symptom, since when."""
    problem, since = interview.gathered.description.rstrip(" .。"), since_of(interview)
    ends = "，" if about.language == "zh" else "."
    device = about.device or say("nameless", about.language)
    if key == "diagnose" and since and since not in problem:
        return say("diagnose_since", about.language, device=device, problem=problem, since=since)
    return say(key, about.language, device=device, problem=f"{problem}{ends}" if problem else "")
