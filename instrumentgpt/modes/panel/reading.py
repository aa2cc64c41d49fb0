"""A panel's answer in its parts, so that a page can show the conclusion first and the rest on demand."""

import re
from dataclasses import dataclass

from instrumentgpt.modes.panel.wording import words


@dataclass(frozen=True)
class Folded:
    """A stored answer of the panel as it is read.

    opening   what comes before the first sub-problem
    parts     heading and text of each sub-problem
    ending    the conclusion, with its heading
    costs     the table of what each stage cost
    """

    opening: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    ending: str = ""
    costs: str = ""


def folded(answer: str) -> Folded | None:
    """Return the parts of a panel's answer that came to its conclusion; None for any other text.

    >>> found = folded("### Sub-problem 1 of 2: Hot?\\n\\nNo.\\n\\n### Conclusion\\n\\n- Cold.\\n")
    >>> found.parts, found.ending
    ((('Sub-problem 1 of 2: Hot?', 'No.'),), '### Conclusion\\n\\n- Cold.')
    >>> folded("### Sub-problem 1 of 2: Is it hot?") is None
    True
    """
    ends = list(_CONCLUSION.finditer(answer))
    if not ends:
        return None
    said, ending = answer[: ends[-1].start()], answer[ends[-1].start() :]
    opening, *parts = _HEADING.split(said)
    costs = _COSTS.search(ending)
    cut = costs.start() if costs else len(ending)
    named = tuple((title.strip(), text.strip()) for title, text in zip(parts[::2], parts[1::2], strict=True))
    return Folded(opening.strip(), named, ending[:cut].strip(), ending[cut:].strip())


def without_editing(answer: str) -> str:
    """Return a proposal without the list to be sent back, for whoever has another way to edit it.

    >>> without_editing("1. Is it hot?\\n\\nSay **yes** to begin. To change it:\\n\\n```text\\n1. …\\n```")
    '1. Is it hot?'
    """
    return _EDITING.sub("", answer, count=1).rstrip()


def _starts(key: str, before: str) -> str:
    """Return a pattern for the text `key` in every language, up to `before`."""
    return "|".join(re.escape(text.split(before)[0]) for text in words()[key].values())


_HEADING = re.compile(rf"^(?={_starts('heading', '{')})### (.+)$", re.M)
_CONCLUSION = re.compile(rf"^(?:{_starts('conclusion', '{')})$", re.M)
_COSTS = re.compile(rf"^(?:{_starts('costs', '{')})", re.M)
_EDITING = re.compile(rf"^(?:{_starts('how_to_change', '**')})\*\*.+\n\n```text\n(?:.*\n)*?```$", re.M)
