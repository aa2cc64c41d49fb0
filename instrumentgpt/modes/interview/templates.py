"""The templates of a statement: Markdown files with $fields, ours and the user's own."""

import re
from dataclasses import dataclass
from pathlib import Path

from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.interview.words import words

FOLDER = "templates"  # of the user's own, in the application's home
SUFFIX = ".md"
LARGEST = 200_000  # bytes; a larger file is no template
_OURS = Path(__file__).parent / FOLDER
_NAME = re.compile(r"(?P<name>[^.]+)(?:\.(?P<language>en|zh))?")
DEFAULT = "fault_report"


@dataclass(frozen=True)
class Document:
    """A template: its name, and the file of each language it is in ("" where it says none)."""

    name: str
    files: tuple[tuple[str, Path], ...]

    def label(self, language: Language) -> str:
        """What people call it."""
        told = words("templates").get(self.name)
        return told[language] if told else self.name.replace("_", " ")

    def text(self, language: Language) -> str:
        """The template in `language`, or in the one that it has."""
        files = dict(self.files)
        path = files.get(language) or files.get("") or next(iter(files.values()))
        return path.read_text(encoding="utf-8", errors="replace")


def templates(home: Path) -> dict[str, Document]:
    """Return name → template: those in `home`/templates, then ours; one of the user's replaces ours."""
    found: dict[str, list[tuple[str, Path]]] = {}
    for folder in (_OURS, home / FOLDER):
        listed: dict[str, list[tuple[str, Path]]] = {}
        for path in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
            name = _NAME.fullmatch(path.stem)
            if name and path.is_file() and path.stat().st_size <= LARGEST:
                listed.setdefault(name["name"], []).append((name["language"] or "", path))
        found.update(listed)
    own = [name for name in found if name not in words("templates")]
    return {name: Document(name, tuple(found[name])) for name in (*words("templates"), *own) if name in found}
