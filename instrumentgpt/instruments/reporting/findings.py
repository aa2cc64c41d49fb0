"""What a report tells of each fault: since when, by which lines, what it is not, what to do."""

import math

from instrumentgpt.instruments import loop_wording, wording
from instrumentgpt.instruments.coincidence import Coincidence, sentence
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Evidence, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reporting.words import Row, where, word

MOST_EXCURSIONS = 30  # rows
MOST_COINCIDENT = 6  # line numbers named of one coincidence


def finding_rows(
    diagnosis: Diagnosis, coincident: tuple[Coincidence, ...], texts: dict[int, str], language: Language
) -> list[Row]:
    """Return what is told of each fault, most important first; `texts` are the raw lines by number."""
    return [
        {
            "fault": one.fault,
            "title": wording.title(one.fault, language),
            "where": where(one, language),
            "severity": one.severity,
            "severity_word": word(f"severity_{one.severity}", language),
            "since": diagnosis.log.clock(one.onset),
            "until": diagnosis.log.clock(one.end),
            "summary": wording.summary(one, language),
            "cause": wording.cause(one, language),
            "evidence": [_evidence_row(diagnosis.log, item, texts, language) for item in one.evidence],
            "names": [
                name
                for name in ("setpoint", "pv", "output")
                if any(name in item.values for item in one.evidence)
            ],
            "ruled_out": wording.ruled_out(one, language),
            "together": [_coincidence(found, language) for found in coincident if found.finding is one],
            "consequences": wording.consequences(one, language),
            "action": wording.next_step(one, language),
            "confidence": wording.confidence(one, language),
            "cannot_tell": wording.cannot_tell(one, language),
        }
        for one in faults_of(diagnosis)
    ]


def excursion_rows(diagnosis: Diagnosis, language: Language) -> list[Row]:
    """Return what is told of each time a loop was out of its own band, those that nothing explains first."""
    log = diagnosis.log
    return [
        {
            "where": word("channel", language, one.channel),
            "text": loop_wording.excursion(one, log, language),
            "lines": ", ".join(f"{item.line:,}" for item in one.evidence),
            "why": loop_wording.explanation(one, language),
        }
        for one in loop_wording.by_size(diagnosis.excursions)[:MOST_EXCURSIONS]
    ]


def faults_of(diagnosis: Diagnosis) -> list[Finding]:
    """Return the findings that say that something is wrong, or that too little is known."""
    return [one for one in diagnosis.findings if one.severity != "none"]


def _evidence_row(log: Log, item: Evidence, texts: dict[int, str], language: Language) -> Row:
    values = {name: f"{value:g}" for name, value in item.values.items() if math.isfinite(value)}
    return {
        "line": f"{item.line:,}",
        "clock": log.clock(item.time),
        "values": values,
        "raw": texts.get(item.line, ""),
    }


def _coincidence(found: Coincidence, language: Language) -> Row:
    lines = ", ".join(f"{message.line:,}" for message in found.messages[:MOST_COINCIDENT])
    return {"text": sentence(found, language), "lines": lines}
