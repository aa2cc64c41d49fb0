"""Judging what is new in the folders of many devices: each log that came or changed since the last scan.

It is judged in processes of this machine.
"""

import json
import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import reopen_returned
from instrumentgpt.instruments import loop_wording, wording
from instrumentgpt.instruments.analysis.metrics import REGULAR
from instrumentgpt.instruments.compare import Duties, rises_over, spread_over
from instrumentgpt.instruments.comparison_wording import rise_sentence
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.fetch import RemoteLog, fetch, list_logs
from instrumentgpt.instruments.findings import Excursion, Finding, worst
from instrumentgpt.instruments.kept_verdicts import diagnosed, held_duties
from instrumentgpt.instruments.language import DAY, Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.readings import all_readings, read_as, recalled_of
from instrumentgpt.instruments.shown import AUTO, shown_in
from instrumentgpt.instruments.tools.opened import FRAMES, bare, plain
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.cases import Case
from instrumentgpt.storage.verdicts import Verdict, judged_files, standings, store_verdicts, verdicts_of

LISTED_AT_ONCE = 16  # folders
STORED_EVERY = 2.0  # s: a scan that is ended keeps what it has judged
POINTS = 48  # of the errors through a log's last day
UNITS = "verdicts told in"  # setting: device → unit of its kept verdicts; in another it is judged anew
FIGURES = (
    "setpoint", "duty", "half_peak_to_peak", "period", "noise", "band", "in_band", "saturated",
    "kp", "ki", "kd",
)  # fmt: skip
LANGUAGES: tuple[Language, ...] = ("en", "zh")
NOTHING: dict[Language, str] = {"en": "Nothing in it could be judged.", "zh": "其中沒有可以判斷的內容。"}
Progress = Callable[[int, int], None]


@dataclass
class Scan:
    """What a scan did: logs judged, logs that had not changed, and device or log → why it was not judged.

    reopened  cases whose fault came back, as they were before
    """

    judged: list[Verdict] = field(default_factory=list)
    unchanged: int = 0
    problems: dict[str, str] = field(default_factory=dict)
    reopened: list[Case] = field(default_factory=list)


def scan(
    database_path: Path,
    devices: Sequence[Device],
    cache: Path,
    jobs: int = 0,
    newest: int = 0,
    on_progress: Progress = lambda done, total: None,
) -> Scan:
    """Judge what is new in the folders of `devices`, in several processes, and store it as it comes.

    Then what grows over the logs of a device is told with its newest one, and cases whose fault came back
    are reopened.

    jobs    processes; 0: as many as this machine has cores
    newest  only so many logs of each device; 0: all
    on_progress(done, total) counts logs
    """
    result = Scan()
    with closing(db.connect(database_path)) as database:
        versions = judged_files(database)
        unit = settings_in_force(saved := db.get_settings(database)).temperatures
        units = saved.get(UNITS, {})
        versions = {log: version for log, version in versions.items() if units.get(log[0], AUTO) == unit}
        judge_log = partial(judge, readings=all_readings(database), cache=cache, unit=unit)
    todo: list[RemoteLog] = []
    with ThreadPoolExecutor(LISTED_AT_ONCE) as listing:
        for device, listed in zip(devices, listing.map(_listed, devices), strict=True):
            if isinstance(listed, str):
                result.problems[device.name] = listed
                continue
            logs = listed[:newest] if newest else listed
            fresh = [log for log in logs if versions.get((device.name, bare(log.name))) != _version(log)]
            todo += fresh
            result.unchanged += len(logs) - len(fresh)
    unstored: list[Verdict] = []
    stored = time.monotonic()
    jobs = jobs or os.cpu_count() or 1
    for done, (log, verdict) in enumerate(_judged(todo, judge_log, jobs), start=1):
        if isinstance(verdict, Verdict):
            unstored.append(verdict)
        else:
            result.problems[f"{log.device.name}/{bare(log.name)}"] = verdict
        if done == len(todo) or time.monotonic() - stored > STORED_EVERY:
            with closing(db.connect(database_path)) as database:
                store_verdicts(database, unstored)
            result.judged += unstored
            unstored, stored = [], time.monotonic()
        on_progress(done, len(todo))
    with closing(db.connect(database_path)) as database:
        told = standings(database)
        fresh_of = {verdict.device for verdict in result.judged}
        rising = (
            with_rising(told[device].verdict, verdicts_of(database, device)[::-1]) for device in fresh_of
        )
        store_verdicts(database, [verdict for verdict in rising if verdict])
        if not newest:
            db.save_setting(database, UNITS, units | {device.name: unit for device in devices})
        result.reopened = reopen_returned(database, [device.name for device in devices])
    return result


def _listed(device: Device) -> list[RemoteLog] | str:
    try:
        return list_logs(device)
    except InstrumentGPTError as problem:
        return str(problem)


def _version(log: RemoteLog) -> tuple[int, str]:
    return log.size or 0, log.modified.isoformat() if log.modified else ""


def _judged(
    todo: Sequence[RemoteLog], judge_log: Callable[[RemoteLog], Verdict | str], jobs: int
) -> Iterator[tuple[RemoteLog, Verdict | str]]:
    """Yield each log with its verdict, or why there is none; a process that dies is replaced once."""
    if jobs == 1 or len(todo) < 2:
        for log in todo:
            yield log, judge_log(log)
        return
    remaining = list(todo)
    tries: dict[str, int] = {}
    context = multiprocessing.get_context("spawn")
    while remaining:
        lost: list[RemoteLog] = []
        with ProcessPoolExecutor(min(jobs, len(remaining)), mp_context=context) as pool:
            running: dict[Future[Verdict | str], RemoteLog] = {
                pool.submit(judge_log, log): log for log in remaining
            }
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    log = running.pop(future)
                    try:
                        yield log, future.result()
                    except BrokenProcessPool:
                        lost.append(log)
        for log in lost:
            tries[log.url] = tries.get(log.url, 0) + 1
        for log in (log for log in lost if tries[log.url] > 1):
            yield log, "the process that judged it died twice: it may be too large for this machine's memory"
        remaining = [log for log in lost if tries[log.url] == 1]
        jobs = max(1, jobs // 2)


def judge(log: RemoteLog, readings: Mapping[str, str], cache: Path, unit: str = AUTO) -> Verdict | str:
    """Return the verdict on a log in `unit`, which is fetched if need be, or why it cannot be had."""
    try:
        path = fetch(log, cache)
    except InstrumentGPTError as problem:
        return str(problem)
    size, modified = _version(log)
    name = log.device.name, bare(log.name), size, modified
    try:
        parsed = read_as(path, None, cache / FRAMES)
        reading = recalled_of(readings, log.device.name, parsed)
        parsed = read_as(path, reading, cache / FRAMES, unit=unit) if reading else shown_in(parsed, unit)
        diagnosis = diagnosed(parsed)
    except InstrumentGPTError as problem:
        texts = str(problem), problem.message("zh"), "{}", "[]"
        return Verdict(*name, None, None, "unreadable", "", "info", None, None, *texts, time.time())
    return _verdict(name, parsed, diagnosis)


def _verdict(name: tuple[str, str, int, str], log: Log, diagnosis: Diagnosis) -> Verdict:
    first = diagnosis.findings[0] if diagnosis.findings else None
    excursions = loop_wording.unexplained(diagnosis.excursions)
    severity = worst(finding.severity for finding in diagnosis.findings)
    if first is not None and severity in ("none", "info") and excursions:
        first = None
    subject: Finding | Excursion | None = first or (excursions[0] if excursions else None)
    state = "open" if first is None or first.fault == "insufficient_data" else "fault"
    state = "healthy" if first is not None and first.fault == "healthy" else state
    text_en, text_zh = (_text(diagnosis, first, excursions, language) for language in LANGUAGES)
    channel = subject.channel if subject else None
    time_ = log.samples["time"]
    begun, ended = (_moment(log, float(time_.iloc[place])) if len(time_) else None for place in (0, -1))
    held = held_duties(log)
    figures = {
        number: {name: getattr(metrics, name) for name in FIGURES}
        | ({} if metrics.regularity > REGULAR else {"period": math.nan})
        | {
            "unit": log.unit_of(number),
            "held": [[at, *told] for at, told in held.get(number, {}).items()],
        }
        for number, metrics in diagnosis.channels.items()
    }
    onset = _moment(log, subject.onset) if subject and state != "healthy" else None
    return Verdict(
        *name, begun, ended, state, first.fault if first else "", severity, channel,
        subject.evidence[0].line if subject and subject.evidence else None, text_en, text_zh,
        json.dumps(plain(figures)), json.dumps(_errors(log, channel)), time.time(), onset,
    )  # fmt: skip


def _text(
    diagnosis: Diagnosis, first: Finding | None, excursions: Sequence[Excursion], language: Language
) -> str:
    if first is not None:
        return wording.summary(first, language)
    if excursions:
        return loop_wording.away(excursions[0], diagnosis.log, language)
    return wording.not_healthy(diagnosis.withheld.values(), language) or NOTHING[language]


def _moment(log: Log, seconds: float) -> float | None:
    return (log.start + timedelta(seconds=seconds)).timestamp() if log.start else None


def _errors(log: Log, channel: int | None) -> list[float | None]:
    """Return pv − setpoint of a channel through the log's last day, a mean for each of POINTS parts of it."""
    loops = loops_of(log)
    loop = loops.get(channel or 0) or next(iter(loops.values()), None)
    if loop is None or not len(loop):
        return []
    error = loop.pv - loop.setpoint
    start = max(loop.time[0], loop.time[-1] - DAY)
    recent = np.isfinite(error) & (loop.time >= start)
    if not recent.any():
        return []
    edges = np.linspace(start, loop.time[-1], POINTS + 1)
    part = np.clip(np.searchsorted(edges, loop.time[recent], side="right") - 1, 0, POINTS - 1)
    count, total = np.bincount(part, minlength=POINTS), np.bincount(part, error[recent], POINTS)
    return [float(f"{subtotal / n:.4g}") if n else None for subtotal, n in zip(total, count, strict=True)]


def with_rising(newest: Verdict, verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the newest verdict on a device, open with what grows over its `verdicts`.

    None where nothing grows, or the newest tells a fault.
    """
    if newest.state not in ("healthy", "open"):
        return None
    units = {channel: row["unit"] for channel, row in _channel_figures(newest).items()}
    held = [(verdict, duties) for verdict in verdicts if (duties := _held(verdict, units))]
    chosen = spread_over(held)
    rises = rises_over([duties for _, duties in chosen])
    if not rises:
        return None
    begun = [
        datetime.fromtimestamp(verdict.begun).isoformat() if verdict.begun is not None else verdict.log
        for verdict, _ in chosen
    ]

    text_en, text_zh = (
        " ".join(rise_sentence(rise, begun, units[rise.channel], language) for rise in rises)
        for language in LANGUAGES
    )
    open_ = replace(newest, state="open", fault="", severity="info", channel=rises[0].channel, line=None)
    return replace(open_, text_en=text_en, text_zh=text_zh)


def _held(verdict: Verdict, units: Mapping[int, str]) -> dict[int, Duties]:
    """Return channel → its duties, of those that are told in `units`."""
    return {
        channel: {at: tuple(math.nan if mean is None else mean for mean in told) for at, *told in row["held"]}
        for channel, row in _channel_figures(verdict).items()
        if row["held"] and row["unit"] == units.get(channel)
    }


def _channel_figures(verdict: Verdict) -> dict[int, dict[str, Any]]:
    """Return channel → its figures, of those that were judged with their duties."""
    rows = json.loads(verdict.figures).items()
    return {int(number): row for number, row in rows if "held" in row}
