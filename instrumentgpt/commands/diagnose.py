"""`diagnose`: what is wrong in log files, for people or one JSON object a line."""

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from instrumentgpt.commands.stating import at_terminal, read_stated, stated_by
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.files import whole
from instrumentgpt.instruments import coincidence, loop_wording, segment_wording, withheld_wording, wording
from instrumentgpt.instruments.diagnosis import Diagnosis, excursion_rows, kind_rows, rows
from instrumentgpt.instruments.kept_verdicts import diagnosed
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.loop_wording import word
from instrumentgpt.instruments.reading.transcripts import unpacked
from instrumentgpt.settings import home

MOST_EVIDENCE = 3  # lines printed of one finding
MOST_SEGMENTS = 8  # printed of one log
LABELS: dict[Language, dict[str, str]] = {
    "en": {"note": "note", "ruled_out": "ruled out", "next": "next", "coincident": "at the same time"},
    "zh": {"note": "附註", "ruled_out": "已排除", "next": "下一步", "coincident": "同時"},
}


def run(arguments: argparse.Namespace) -> int:
    """Print the findings of each log; return 1 if one could not be read, else 0."""
    failed, diagnoses = False, []
    stated, asks = stated_by(arguments), at_terminal() and not arguments.json
    for path, owner in _logs(arguments.logs):
        try:
            log = read_stated(path, owner, stated, arguments.forget, asks)
            diagnosis = diagnosed(log)
        except (InstrumentGPTError, OSError) as problem:
            failed = True
            print(f"error: {problem_text(path, problem)}", file=sys.stderr)
            continue
        lines_of = json_lines if arguments.json else text_lines
        for line in lines_of(path, diagnosis, arguments.language):
            print(line)
        sys.stdout.flush()
        diagnoses.append(diagnosis)
    if arguments.report and diagnoses:
        failed = not written_to(arguments.report, diagnoses, arguments.language) or failed
    return 1 if failed else 0


def _logs(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each log, those of a .zip one by one, with the folder that it was given from."""
    for path in paths:
        logs = [path]
        with contextlib.suppress(InstrumentGPTError, OSError):  # told when it is read
            logs = unpacked(path, home() / "cache" / "unpacked")
        for log in logs:
            yield log, str(path.absolute().parent)


def written_to(path: Path, diagnoses: list[Diagnosis], language: Language) -> bool:
    """Write the report on `diagnoses`; return whether that went well, which is told either way."""
    from instrumentgpt.instruments.report import report  # plotly: only where something is drawn

    try:
        with whole(path) as file:
            file.write(report(diagnoses, language).encode())
    except OSError as problem:
        print(f"error: {path}: {problem.strerror}. Give another path to --report", file=sys.stderr)
        return False
    print(f"report: {path}", file=sys.stderr)
    return True


def problem_text(path: Path, problem: Exception) -> str:
    """Return what went wrong with `path`, with the remedy."""
    if isinstance(problem, OSError) and not isinstance(problem, InstrumentGPTError):
        return f"{path}: {problem.strerror or problem}. Give the path of a log that can be read"
    return str(problem)


def log_name(path: Path) -> str:
    """Return the name of a log in reports: its folder and file, without .gz.

    >>> log_name(Path("/data/zspr_052/run.log.gz"))
    'zspr_052/run.log'
    """
    path = path.absolute()
    return f"{path.parent.name}/{path.name.removesuffix('.gz')}"


def json_lines(path: Path, diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    """Yield one JSON object per finding, likeliest root cause first."""
    coincident = coincidence.coincidences(diagnosis)
    for row, finding in zip(rows(diagnosis, language), diagnosis.findings, strict=True):
        events = [coincidence.sentence(event, language) for event in coincident if event.finding is finding]
        yield json.dumps({**row, "log": log_name(path), "coincidences": events}, ensure_ascii=False)
    for row in (*kind_rows(diagnosis, language), *excursion_rows(diagnosis, language)):
        yield json.dumps({"log": log_name(path), **row}, ensure_ascii=False)
    tables = segment_wording.rows(diagnosis, None, language)
    for name, key in (("segment", "worst"), ("trend", "trends")):
        for row in tables[key]:
            yield json.dumps(
                {"log": log_name(path), "channel": row["channel"], name: row}, ensure_ascii=False
            )


def text_lines(path: Path, diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    """Yield the findings as people read them."""
    log, label, words = diagnosis.log, LABELS[language], wording.WORDS[language]
    coincident = coincidence.coincidences(diagnosis)
    channels = log.samples["channel"].nunique()
    yield f"{log_name(path)}: {log.format}, {log.lines:,} lines, {channels} channels"
    yield from (f"  {label['note']}: {note}" for note in log.remarks(language))
    for channel, kind in diagnosis.kinds.items():
        sentence = loop_wording.sentence(kind, log.unit_of(channel), language)
        yield f"  {loop_wording.word('kind', language)}, channel {channel}: {sentence}"
    for finding in diagnosis.findings:
        if danger := wording.danger(finding, language):
            yield f"  ! {danger}"
    for finding in diagnosis.findings:
        healthy = finding.severity == "none"
        place = "device" if finding.channel is None else f"channel {finding.channel}"
        since = "" if healthy else f", since {log.clock(finding.onset)}"
        graded = "ok" if healthy else f"{finding.severity.upper()}, {wording.confidence(finding, language)}"
        yield f"  {graded}  {finding.fault}, {place}{since}"
        yield f"      {wording.summary(finding, language)}"
        if healthy:
            continue
        for item in finding.evidence[:MOST_EVIDENCE]:
            values = ", ".join(f"{words[name]} {value:g}" for name, value in item.values.items())
            yield f"      L {item.line:,}: {values}"
        for event in coincident:
            if event.finding is finding:
                lines = ", ".join(f"L {message.line:,}" for message in event.messages[:MOST_EVIDENCE])
                yield f"      {label['coincident']}: {coincidence.sentence(event, language)} ({lines})"
        for reason in wording.ruled_out(finding, language):
            yield f"      {label['ruled_out']}: {reason}"
        yield f"      {label['next']}: {wording.next_step(finding, language)}"
        yield from (f"      {sentence}" for sentence in wording.cannot_tell(finding, language))
    yield from _excursions(diagnosis, language)
    yield from _segments(diagnosis, language)
    yield from _not_judged(diagnosis, language)


def _excursions(diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    """Yield a line for each of the excursions that matter most, and how many there are beside them."""
    largest = loop_wording.by_size(diagnosis.excursions)[: loop_wording.MOST_SHOWN]
    for excursion in largest:
        sentence = loop_wording.excursion(excursion, diagnosis.log, language)
        why = loop_wording.explanation(excursion, language)
        lines = ", ".join(f"L {item.line:,}" for item in excursion.evidence)
        away = f"{loop_wording.word('out_of_band', language)}, channel {excursion.channel}"
        yield f"  {away}: {sentence} ({lines}); {why}"
    if more := len(diagnosis.excursions) - len(largest):
        yield f"      {loop_wording.word('more', language, count=more)}"


def _segments(diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    """Yield a table of the worst segments of a log with more than a few, and what changes over days."""
    if lines := segment_wording.table(diagnosis, language, MOST_SEGMENTS):
        yield f"  {word('segments', language, count=len(diagnosis.segments))}"
        yield from (f"      {line}" for line in lines)
        if more := len(diagnosis.segments) + 1 - len(lines):
            yield f"      {word('segments_more', language, count=more)}"
    for sentence in segment_wording.trend_sentences(diagnosis, language):
        yield f"  {word('trends', language)}: {sentence}"


def _not_judged(diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    """Yield a line per reason for which verdicts are withheld, with their names."""
    reasons: dict[str, list[str]] = {}
    for name, withheld in diagnosis.withheld.items():
        reason = withheld_wording.reason(withheld, language) + withheld_wording.remedy(withheld, language)
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"  not judged: {', '.join(names)}: {reason}"
