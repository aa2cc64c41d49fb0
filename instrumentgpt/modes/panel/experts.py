"""The experts: who may speak on what, with which tools, and what they must never claim (experts.toml)."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.language import Language

TABLE = Path(__file__).with_name("experts.toml")
OWN = "experts.toml"  # in the app's home
DOCS = "docs/add-an-expert.md"
ANY = "*"
TOOLS = (  # of instruments/tools that an expert may be given: they read, and record nothing
    "advise_gains", "channel_metrics", "compare_logs", "diagnose_log", "explain_jump", "look_at_time",
    "read_lines", "search_events",
)  # fmt: skip
_CODE = re.compile(r"[a-z][a-z0-9_]{1,30}")
_WORDS = ("name", "field", "role")


class BadExpert(InstrumentGPTError, ValueError):
    """A table of experts that cannot be used."""


@dataclass(frozen=True)
class Words:
    """What an expert is called, what it knows, and its role as it is told, in one language."""

    name: str
    field: str
    role: str


@dataclass(frozen=True)
class Expert:
    """One expert; `speaks_on` are fault classes, `tools` names of our tools."""

    code: str
    words: Mapping[Language, Words]
    speaks_on: tuple[str, ...]
    tools: tuple[str, ...]
    never: tuple[Mapping[Language, str], ...] = ()  # what it must never claim

    def name(self, language: Language) -> str:
        """Return what it is called."""
        return self.words[language].name


def read_experts(home: Path | None = None) -> dict[str, Expert]:
    """Return the experts by code: ours, then those in experts.toml in `home`; an own one replaces ours.

    Raises BadExpert with the file, the expert and the remedy.
    """
    known = _read(TABLE)
    own = home / OWN if home else None
    return {**known, **_read(own)} if own and own.exists() else known


def known_experts(experts: Mapping[str, Expert], codes: Iterable[str]) -> list[Expert]:
    """Return the experts called `codes`; raise BadExpert for one that nobody is called."""
    unknown = [code for code in codes if code not in experts]
    if unknown:
        raise BadExpert(f"There is no expert {unknown[0]!r}. Known are: {', '.join(experts)}. See {DOCS}")
    return [experts[code] for code in codes]


def _read(path: Path) -> dict[str, Expert]:
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise BadExpert(f"{path}: cannot be read as a table of experts: {problem}. See {DOCS}") from None
    return {code: _expert(code, table, f"{path.name}: [{code}]") for code, table in told.items()}


def _expert(code: str, table: Any, where: str) -> Expert:
    if not _CODE.fullmatch(code) or not isinstance(table, dict):
        raise BadExpert(f"{where}: a code is lower case letters, digits and _, as in [cooling]. See {DOCS}")
    unknown = set(table) - {"speaks_on", "tools", "must_never_claim", "en", "zh"}
    if unknown:
        raise BadExpert(f"{where}: {sorted(unknown)[0]!r} is not known here. See {DOCS}")
    classes = _names(table, "speaks_on", list(faults()), where)
    return Expert(
        code,
        _words(table, where),
        tuple(faults()) if ANY in classes else classes,
        _names(table, "tools", TOOLS, where),
        tuple(_never(one, where) for one in table.get("must_never_claim", ())),
    )


def _names(table: Mapping[str, Any], key: str, known: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the list under `key`, each of which is `known`, or "*" alone for all."""
    listed = table.get(key)
    if not isinstance(listed, list) or not listed or not all(isinstance(one, str) for one in listed):
        raise BadExpert(f'{where}: {key} is no list of names. Write {key} = ["{known[0]}"]. See {DOCS}')
    for name in listed:
        if name not in known and not (name == ANY and key == "speaks_on"):
            raise BadExpert(f"{where}: {key} has {name!r}, which is none of {', '.join(known)}. See {DOCS}")
    return tuple(listed)


def _words(table: Mapping[str, Any], where: str) -> dict[Language, Words]:
    """Return the words in both languages; English stands in for a Chinese that is not given."""
    english = table.get("en")
    found: dict[Language, Words] = {}
    for language in ("en", "zh"):
        told = table.get(language, english)
        if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in _WORDS):
            raise BadExpert(f"{where}: {language} needs name, field and role. See {DOCS}")
        found[language] = Words(*(told[name] for name in _WORDS))
    return found


def _never(told: Any, where: str) -> Mapping[Language, str]:
    if not isinstance(told, dict) or not isinstance(told.get("en"), str):
        raise BadExpert(f"{where}: a must_never_claim needs its words in en. See {DOCS}")
    return {"en": told["en"], "zh": str(told.get("zh", told["en"]))}
