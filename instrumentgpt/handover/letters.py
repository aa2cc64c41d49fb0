"""A paragraph for the boss, a letter to the vendor, a to-do for the technician: templates filled with facts.

Whoever uses this may write them anew: `letters/boss.en.md` in the home of the application comes first.
"""

import re
from dataclasses import asdict, dataclass
from pathlib import Path

from jinja2 import TemplateError
from jinja2.sandbox import SandboxedEnvironment

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language
from instrumentgpt.settings import home

KINDS = ("boss", "vendor", "technician")
LINES = 4  # of a log, quoted


class BadTemplate(InstrumentGPTError, ValueError):
    """A template that somebody wrote cannot be filled."""


@dataclass(frozen=True)
class Facts:
    """What a letter may tell, in words without live Markdown; "" for what nobody knows."""

    device: str
    model: str = ""
    log: str = ""
    symptom: str = ""
    cause: str = ""
    ruled_out: str = ""
    action: str = ""
    done: str = ""
    outcome: str = ""
    forbidden: str = ""
    lines: tuple[str, ...] = ()
    link: str = ""


def letter(kind: str, language: Language, facts: Facts) -> str:
    """Return the letter `kind`, one of KINDS, as Markdown. Raises BadTemplate."""
    name = f"{kind}.{language}.md"
    override = home() / "letters" / name
    path = override if override.is_file() else Path(__file__).parent / "letters" / name
    try:
        template = SandboxedEnvironment().from_string(path.read_text(encoding="utf-8"))
        text = template.render(asdict(facts))
    except (TemplateError, UnicodeDecodeError, TypeError) as problem:
        raise BadTemplate(f"{path}: {problem}. Correct it, or remove it to have the one as shipped") from None
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
