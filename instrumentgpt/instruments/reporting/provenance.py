"""How a report came about: what was checked and what not, and the file and software it was made from."""

import hashlib
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from instrumentgpt import __version__
from instrumentgpt.instruments import withheld_wording, wording
from instrumentgpt.instruments.checks import CHECKS, Check
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.sources import open_source
from instrumentgpt.instruments.reporting.words import UNKNOWN, Row, word

READ_BYTES = 1 << 20


def method_rows(diagnosis: Diagnosis, language: Language) -> Iterator[Row]:
    """Yield what each check reports and needs, and what became of it in this log."""
    reported = {one.fault for one in diagnosis.findings}
    for name, check in CHECKS.items():
        reason = diagnosis.withheld.get(name)
        if reason:
            result = word("withheld", language, withheld_wording.reason(reason, language))
        else:
            result = word("found" if check.fault in reported else "not_found", language)
        yield {
            "name": name,
            "title": wording.title(check.fault, language),
            "meaning": wording.definition(check.fault, language),
            "needs": _needs(check, language),
            "result": result,
            "withheld": bool(reason),
            "found": check.fault in reported and not reason,
        }


def _needs(check: Check, language: Language) -> str:
    names = [*check.needs, *(["temperature"] if check.thermal_only else [])]
    separator = "、" if language == "zh" else ", "
    return separator.join(word(f"need_{name}", language) for name in names) or UNKNOWN


def provenance(log: Log, language: Language) -> list[tuple[str, str]]:
    """Return what would be needed to make the report again: file, bytes, SHA-256, format, lines, software."""
    source = open_source(log.path)
    first_bad = f"{log.broken.examples[0][0]:,}" if log.broken.examples else UNKNOWN
    broken = word("broken_first", language, f"{log.broken.count:,}", first_bad) if log.broken.count else "0"
    last = float(log.samples["time"].max()) if len(log.samples) else 0.0
    packages = " · ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "scipy", "plotly"))
    size = f"{source.size:,}"
    several = len(source.parts) > 1
    rows = [
        (word("file", language), log.path.name),
        (
            word("size", language),
            word("parts", language, size, len(source.parts)) if several else word("bytes", language, size),
        ),
        *((f"SHA-256 {part.name}" if several else "SHA-256", sha256(part)) for part in source.parts),
        (word("format", language), log.format),
        (word("log_lines", language), f"{log.lines:,}"),
        (word("broken", language), broken),
        (word("span", language), f"{log.clock(0.0)} – {log.clock(last)}"),
        (word("channels", language), ", ".join(str(c) for c in sorted(log.samples["channel"].unique()))),
        (word("software", language), f"InstrumentGPT {__version__} · Python {platform.python_version()}"),
        ("", packages),
    ]
    notes = [*log.notes, *(f"{name}: {reason}" for name, reason in log.guessed.items())]
    return rows + [(word("notes", language), note) for note in notes]


def sha256(path: Path) -> str:
    """Return the SHA-256 of the file at `path`, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(READ_BYTES):
            digest.update(block)
    return digest.hexdigest()
