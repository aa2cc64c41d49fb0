"""`diagnose`, `compare`, `plot`: what is wrong in logs and what changed between them, in words and drawn."""

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instrumentgpt.commands.shared import WrongArguments, saved_settings, writing
from instrumentgpt.commands.stating import at_terminal, read_stated, stated_by
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.files import whole
from instrumentgpt.instruments import loop_wording, segment_wording, wording
from instrumentgpt.instruments.compare import Comparison, FaultChange, compare, divided, fault_changes
from instrumentgpt.instruments.comparison_wording import (
    comparison_sentences,
    event_sentence,
    fault_sentence,
    row_sentence,
)
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose, excursion_rows, kind_rows, rows
from instrumentgpt.instruments.documents import change_sentences, changes_between, values_of
from instrumentgpt.instruments.kept_verdicts import diagnosed
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loop_wording import word
from instrumentgpt.instruments.reading.transcripts import unpacked
from instrumentgpt.instruments.readings import read_as
from instrumentgpt.instruments.tools.opened import plain
from instrumentgpt.instruments.tools.timeline import timeline
from instrumentgpt.instruments.tools.window import time_of
from instrumentgpt.instruments.understood import unread
from instrumentgpt.settings import home

MOST_EVIDENCE = 3  # lines printed of one finding
MOST_SEGMENTS = 8  # printed of one log
LABELS: dict[Language, dict[str, str]] = {
    "en": {"note": "note", "ruled_out": "ruled out", "next": "next", "happened": "what happened, in order"},
    "zh": {"note": "附註", "ruled_out": "已排除", "next": "下一步", "happened": "依時間先後發生的事"},
}


def run_diagnose(arguments: argparse.Namespace) -> int:
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
        from instrumentgpt.instruments.report import report  # plotly: only where something is drawn

        with writing(arguments.report, "path to --report"), whole(arguments.report) as file:
            file.write(report(diagnoses, arguments.language).encode())
        print(f"report: {arguments.report}", file=sys.stderr)
    return 1 if failed else 0


def _logs(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each log, those of a .zip one by one, with the folder that it was given from."""
    for path in paths:
        logs = [path]
        with contextlib.suppress(InstrumentGPTError, OSError):  # told when it is read
            logs = unpacked(path, home() / "cache" / "unpacked")
        for log in logs:
            yield log, str(path.absolute().parent)


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
    for row in rows(diagnosis, language):
        yield json.dumps({**row, "log": log_name(path)}, ensure_ascii=False)
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
    log, label = diagnosis.log, LABELS[language]
    yield f"{log_name(path)}: {log.format}, {log.lines:,} lines, {log.samples['channel'].nunique()} channels"
    yield from (f"  {label['note']}: {note}" for note in (*log.remarks(language), *unread(log, language)))
    for channel, kind in diagnosis.kinds.items():
        sentence = loop_wording.sentence(kind, log.unit_of(channel), language)
        yield f"  {loop_wording.word('kind', language)}, channel {channel}: {sentence}"
    dangers = (wording.danger(finding, language) for finding in diagnosis.findings)
    yield from (f"  ! {danger}" for danger in dangers if danger)
    if not any(finding.severity != "info" for finding in diagnosis.findings):
        yield f"  {word('open', language)}"
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
            values = ", ".join(
                f"{wording.field(name, language)} {value:g}" for name, value in item.values.items()
            )
            yield f"      L {item.line:,}: {values}"
        for reason in wording.ruled_out(finding, language):
            yield f"      {label['ruled_out']}: {reason}"
        yield f"      {label['next']}: {wording.next_step(finding, language)}"
        yield from (f"      {sentence}" for sentence in wording.cannot_tell(finding, language))
    if happened := timeline(diagnosis, None, language):
        yield f"  {label['happened']}:"
    for row in happened:
        yield f"      {row['clock']} (L {row['line']:,}) {row['summary']}"
    yield from _segments(diagnosis, language)
    yield from _not_judged(diagnosis, language)


def _segments(diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    """Yield the worst segments of a log with more than a few, and what changes over days."""
    if worst := segment_wording.worth_telling(diagnosis)[:MOST_SEGMENTS]:
        yield f"  {word('segments', language, count=len(diagnosis.segments))}"
        yield from (f"      {segment_wording.sentence(diagnosis, segment, language)}" for segment in worst)
        if more := len(diagnosis.segments) - len(worst):
            yield f"      {word('segments_more', language, count=more)}"
    for sentence in segment_wording.trend_sentences(diagnosis, language):
        yield f"  {word('trends', language)}: {sentence}"


def _not_judged(diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    """Yield a line per reason for which verdicts are withheld, with their names."""
    reasons: dict[str, list[str]] = {}
    for name, withheld in diagnosis.withheld.items():
        reason = wording.withheld_reason(withheld, language) + wording.withheld_remedy(withheld, language)
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"  not judged: {', '.join(names)}: {reason}"


def run_compare(arguments: argparse.Namespace) -> int:
    """Print what changed; 0 whether or not something did."""
    if len(arguments.logs) != (1 if arguments.at else 2):
        raise WrongArguments(
            f"{len(arguments.logs)} logs{' and a time' if arguments.at else ''} were given. "
            "Give an older and a newer log, or one log with --at HH:MM"
        )
    path = arguments.logs[0]
    documents = [values for each in arguments.logs if (values := values_of(each)) is not None]
    if len(documents) == 2:
        changes = changes_between(*documents)
        names = arguments.logs[0].name, arguments.logs[1].name
        told = change_sentences(*names, changes, arguments.language)
        rows = [_json({"kind": "value", **vars(change)}) for change in changes]
        print(*(rows if arguments.json else told), sep="\n" if arguments.json else "\n  ")
        return 0
    if arguments.at:
        log = _opened(path)
        logs = divided(log, time_of(log, arguments.at))
    else:
        logs = _opened(path), _opened(arguments.logs[1])
    comparison, faults = compare(*logs), fault_changes(*map(diagnose, logs))
    lines_of = change_rows if arguments.json else change_lines
    for line in lines_of(comparison, faults, arguments.language):
        print(line)
    return 0


def _opened(path: Path) -> Log:
    try:
        return read_as(path, cache=home() / "cache" / "frames", unit=saved_settings().temperatures)
    except OSError as problem:
        raise WrongArguments(problem_text(path, problem)) from problem


def change_lines(
    comparison: Comparison, faults: tuple[FaultChange, ...], language: Language
) -> Iterator[str]:
    """Yield the differences as people read them, the faults first."""
    head, *sentences = comparison_sentences(comparison, language)
    yield head
    yield from (f"  {fault_sentence(fault, language)}" for fault in faults)
    nothing = not comparison.notable and not comparison.events
    yield from (f"  {line}" for line in sentences if not (nothing and faults))


def change_rows(comparison: Comparison, faults: tuple[FaultChange, ...], language: Language) -> Iterator[str]:
    """Yield one JSON object per difference: a fault, a figure, or a kind of event line."""
    logs = {"before_log": comparison.before, "after_log": comparison.after}
    for fault in faults:
        fields = {"class": fault.finding.fault, "channel": fault.finding.channel}
        yield _json({"kind": fault.kind, **fields, **logs, "text": fault_sentence(fault, language)})
    for row in comparison.notable:
        text = row_sentence(row, comparison.unit, language)
        yield _json({"kind": row.quantity, **plain(asdict(row)), **logs, "text": text})
    for change in comparison.events:
        yield _json({"kind": "events", **asdict(change), **logs, "text": event_sentence(change, language)})


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def run_plot(arguments: argparse.Namespace) -> int:
    """Write the chart and print, in words, what it shows."""
    from instrumentgpt.instruments import charts  # plotly
    from instrumentgpt.instruments.charts.style import config

    draw = charts.chart_named(arguments.chart)
    log = _opened(arguments.log)
    diagnosis = diagnosed(log)
    findings = diagnosis.findings
    numbers = sorted(int(number) for number in log.samples["channel"].unique())
    if arguments.channel not in (None, *numbers):
        there = ", ".join(map(str, numbers))
        raise WrongArguments(f"{log.name} has no channel {arguments.channel}. It has: {there}")
    channels = None if arguments.channel is None else [arguments.channel]  # None: those that matter
    figure = draw(log, findings, channels, arguments.language, diagnosis=diagnosis)
    is_data = arguments.output.suffix == ".json"
    text = figure.to_json() if is_data else figure.to_html(config())
    with writing(arguments.output, "path"):
        arguments.output.write_text(text, encoding="utf-8")
    print(charts.text_alternative(log, findings, arguments.language, channels, diagnosis.excursions))
    for sentence in segment_wording.trend_sentences(diagnosis, arguments.language, channels):
        print(sentence)
    print(arguments.output)
    return 0
