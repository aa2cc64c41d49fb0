"""The experts: who may speak on what, with which tools, and what they must never claim (experts.toml)."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.contracts import wrong_fields

TABLE = Path(__file__).with_name("experts.toml")
OWN = "experts.toml"  # in the app's home
DOCS = "docs/add-an-expert.md"
ANY = "*"
TOOLS = (  # of instruments/tools that an expert may be given: they read, and record nothing
    "advise_gains", "channel_metrics", "compare_logs", "diagnose_log", "explain_jump", "look_at_time",
    "other_columns", "read_lines", "search_events",
)  # fmt: skip
_CODE = re.compile(r"[a-z][a-z0-9_]{1,30}")


class BadExpert(InstrumentGPTError, ValueError):
    """A table of experts that cannot be used."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Words(_Table):
    """What an expert is called, what it knows, and its role as it is told, in one language."""

    name: str
    field: str
    role: str


class _Claim(_Table):
    en: str
    zh: str = ""


def _of(allowed: Iterable[str]) -> AfterValidator:
    """Return the check that each of a list is `allowed`."""
    names = list(allowed)

    def check(given: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [name for name in given if name not in names]:
            raise ValueError(f"it has {wrong[0]!r}, which is none of {', '.join(names)}")
        return given

    return AfterValidator(check)


class Expert(_Table):
    """One expert; `speaks_on` are fault classes, `tools` our tools; English stands in for Chinese."""

    code: str
    speaks_on: Annotated[tuple[str, ...], Field(min_length=1), _of([*faults(), ANY])]
    tools: Annotated[tuple[str, ...], Field(min_length=1), _of(TOOLS)]
    must_never_claim: tuple[_Claim, ...] = ()
    en: Words
    zh: Words | None = None

    @field_validator("speaks_on")
    @classmethod
    def _all(cls, classes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(faults()) if ANY in classes else classes

    def words(self, language: Language) -> Words:
        """Return what it is called and told in `language`."""
        return self.zh if language == "zh" and self.zh else self.en

    def name(self, language: Language) -> str:
        """Return what it is called."""
        return self.words(language).name

    def never(self, language: Language) -> list[str]:
        """Return what it must never claim."""
        return [claim.zh if language == "zh" and claim.zh else claim.en for claim in self.must_never_claim]


def read_experts(home: Path | None = None) -> dict[str, Expert]:
    """Return the experts by code: ours, then those in experts.toml in `home`; an own one replaces ours.

    Raises BadExpert with the file, the expert and the remedy.
    """
    path = home / OWN if home else None
    return {**_read(TABLE), **(_read(path) if path and path.exists() else {})}


def known_experts(experts: Mapping[str, Expert], codes: Iterable[str]) -> list[Expert]:
    """Return the experts called `codes`; raise BadExpert for one that nobody is called."""
    unknown = [code for code in codes if code not in experts]
    if unknown:
        raise BadExpert(f"There is no expert {unknown[0]!r}. Known are: {', '.join(experts)}. See {DOCS}")
    return [experts[code] for code in codes]


def _read(path: Path) -> dict[str, Expert]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise BadExpert(f"{path}: is no table of experts: {reason(problem)}. See {DOCS}") from None
    experts: dict[str, Expert] = {}
    for code, table in tables.items():
        where = f"{path.name}: [{code}]"
        if not _CODE.fullmatch(code) or not isinstance(table, dict):
            raise BadExpert(
                f"{where}: a code is lower case letters, digits and _, as in [cooling]. See {DOCS}"
            )
        try:
            experts[code] = Expert.model_validate({**table, "code": code})
        except ValidationError as problem:
            raise BadExpert(f"{where}: {wrong_fields(problem)}. See {DOCS}") from None
    return experts
