"""Carrying out a plan: what each step works on, groups in order, a group side by side, what is told of it."""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from itertools import groupby
from typing import Any, Literal

from instrumentgpt.agents.events import Artifact, Done, Event, Events, Failure, Text, Tick, Tool
from instrumentgpt.agents.offline.steps import badness
from instrumentgpt.agents.stream import json_object, string
from instrumentgpt.analyst.case import Subject
from instrumentgpt.analyst.words import line_link
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.instruments.fleet import devices_meant
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.since import since
from instrumentgpt.memory.filtering import as_content
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.investigate import say
from instrumentgpt.modes.investigate.contract import ThinkStep
from instrumentgpt.storage.entities import Entity
from instrumentgpt.turn.ask import ask, ask_all
from instrumentgpt.turn.entities import refs_in
from instrumentgpt.turn.record import result_of
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import Turn

_WORST = r"\bworst\b|\bmost severe\b|最糟|最差|最嚴重|最严重"
Result = tuple[str, Mapping[str, Any]]  # a tool's name, what it returned


@dataclass(frozen=True)
class Scene:
    """What targets are read from.

    request   what the user asked, where a step names nothing itself
    device    the one that the conversation is about, and `log` its latest, "" if none
    dropped   names of files that the user dropped, latest first
    excluded  names of devices that the user took out: nothing is done with them
    results   of the steps so far
    """

    inventory: Inventory
    entities: Sequence[Entity]
    request: str
    today: date
    device: str = ""
    log: str = ""
    dropped: Sequence[str] = ()
    excluded: Sequence[str] = ()
    results: Sequence[Result] = ()


def targets_of(step: ThinkStep, scene: Scene) -> list[Subject]:
    """Return what `step` works on: what it names, else what the plan has fetched, else what is in view."""
    fetches = step.step_type == "read" and step.subdomain in ("logs", "devices")
    named = _referred(step.description, scene) or _devices(step.description, scene)
    if not named:
        fetched = [] if fetches else _fetched(scene)
        named = fetched or _devices(scene.request, scene) or _in_view(scene)
    named = [target for target in named if target.device not in scene.excluded]
    if fetches:
        return list(dict.fromkeys(replace(target, channel=None) for target in named if target.device))
    targets = list(dict.fromkeys(with_log for target in named for with_log in _with_logs(target, scene)))
    return _worst(targets, scene) if re.search(_WORST, step.description.casefold()) else targets


def period_of(step: ThinkStep, scene: Scene) -> str:
    """Return since when the step asks, ISO; of a step that does not say, since when the request does."""
    day = since(step.description, scene.today) or since(scene.request, scene.today)
    return day.isoformat() if day else ""


def _referred(words: str, scene: Scene) -> list[Subject]:
    """Return what the refs and names of logs in `words` stand for."""
    links = {entity.ref: entity.link for entity in scene.entities}
    targets = [_of_link(links[ref]) for ref in refs_in(words) if ref in links]
    for entity in scene.entities:
        if entity.type == "log" and str(entity.link.get("log")) in words:
            targets.append(_of_link(entity.link))
    targets += [Subject(name) for name in scene.dropped if name in words]
    return [target for target in targets if target.device or target.log]


def _of_link(link: Mapping[str, Any]) -> Subject:
    channel = link.get("channel")
    log, device = str(link.get("log") or ""), str(link.get("device") or "")
    return Subject(log, device, channel=channel if isinstance(channel, int) else None)


def _devices(words: str, scene: Scene) -> list[Subject]:
    return [Subject("", device.name) for device in devices_meant(words, scene.inventory)]


def _fetched(scene: Scene) -> list[Subject]:
    return [
        Subject(str(result["log"]), str(result.get("device") or ""))
        for tool, result in scene.results
        if tool == "fetch_log" and isinstance(result.get("log"), str)
    ]


def _in_view(scene: Scene) -> list[Subject]:
    if scene.dropped and not scene.device:
        return [Subject(scene.dropped[0])]
    return [Subject(scene.log, scene.device)] if scene.device or scene.log else []


def _with_logs(target: Subject, scene: Scene) -> Iterator[Subject]:
    """Yield the target with its logs: those the plan fetched, else the device's latest known, else none."""
    if target.log:
        yield target
        return
    fetched = [other.log for other in _fetched(scene) if other.device == target.device]
    logs = [entity for entity in scene.entities if entity.type == "log"]
    logs = [entity for entity in logs if entity.link.get("device") == target.device]
    latest = [str(max(logs, key=lambda entity: entity.last).link["log"])] if logs else [""]
    for log in fetched or latest:
        yield replace(target, log=log)


def _worst(targets: list[Subject], scene: Scene) -> list[Subject]:
    """Return the target whose diagnosis so far is worst; all if none was diagnosed."""
    severity = {
        (str(result.get("device") or ""), str(result.get("log"))): badness(result)
        for tool, result in scene.results
        if tool == "diagnose_log"
    }
    judged = [target for target in targets if (target.device, target.log) in severity]
    return [min(judged, key=lambda target: severity[target.device, target.log])] if judged else targets


Status = Literal["ok", "failed", "partly", "skipped"]
NEEDS_A_TARGET = ("logs", "loops", "findings")


@dataclass
class Outcome:
    """What one step came to: its words, its tools' results, what it made, and what went wrong."""

    step: ThinkStep
    status: Status = "ok"
    words: str = ""
    results: list[Result] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Job:
    """A plan to carry out: in which language it tells, and what its report is called."""

    steps: Sequence[ThinkStep]
    language: Language
    title: str


def carried_out(turn: Turn, job: Job, scene: Scene) -> Generator[Event, None, list[Outcome]]:
    """Yield the events of the steps' tools and return what each step came to, in the order of the plan.

    A step that fails is told and the rest goes on; a stop of the turn skips what has not begun.
    """
    outcomes: dict[int, Outcome] = {}
    numbered = sorted(enumerate(job.steps), key=lambda row: row[1].group)
    for _, group in groupby(numbered, key=lambda row: row[1].group):
        places = [place for place, _ in group]
        results = [result for outcome in outcomes.values() for result in outcome.results]
        now = replace(scene, entities=turn.note_entities(), results=results)
        now = replace(now, entities=[*scene.entities, *now.entities])
        outcomes |= yield from _group(turn, job, places, now)
    return [outcomes[place] for place in range(len(job.steps))]


def _group(
    turn: Turn, job: Job, places: Sequence[int], scene: Scene
) -> Generator[Event, None, dict[int, Outcome]]:
    outcomes = {place: Outcome(job.steps[place]) for place in places}
    askings, owners = [], []
    for place in places:
        outcome = outcomes[place]
        parts = list(_askings(turn, job, outcome, scene))
        askings += parts
        owners += [place] * len(parts)
        if outcome.status == "skipped":
            yield _shown(place, outcome, "failed", outcome.errors[0])
        else:
            yield Tick(f"{place + 1}/{len(job.steps)} {outcome.step.description}")
            yield _shown(place, outcome, "started", "")
    waiting = {place: owners.count(place) for place in places}
    for at, event in ask_all(turn, askings, turn.settings.runs_at_once) if askings else ():
        outcome = outcomes[owners[at]]
        yield from _take_event(outcome, event)
        if isinstance(event, Done):
            waiting[owners[at]] -= 1
            if not waiting[owners[at]]:
                yield _closed(job, owners[at], outcome)
    return outcomes


def _askings(turn: Turn, job: Job, outcome: Outcome, scene: Scene) -> Iterator[Asking]:
    """Yield what is asked for a step: its targets shared out among as many processes as may run at once."""
    step = outcome.step
    if turn.stopped():
        _skip(outcome, say("step_stopped", job.language))
        return
    if step.step_type == "write":
        key = step.subdomain if step.subdomain in ("reports", "notes") else "instrument"
        _skip(outcome, say(f"step_write_{key}", job.language))
        return
    targets = targets_of(step, scene)
    if not targets and (
        step.subdomain in NEEDS_A_TARGET or (step.step_type, step.subdomain) == ("generate", "reports")
    ):
        _skip(outcome, say("step_nothing", job.language))
        return
    whole = step.step_type == "generate" or step.subdomain in ("devices", "notes", "reports")
    count = 1 if whole or not targets else min(len(targets), max(1, turn.settings.runs_at_once))
    for share in range(count):
        facts = {
            **step.model_dump(),
            "targets": [asdict(target) for target in targets[share::count]],
            "since": period_of(step, scene) if step.step_type == "read" else "",
            "title": job.title,
            "alone": len(targets) == 1,
            "language": job.language,
        }
        yield Asking(task="step", prompt=step.description, told=facts, agent="offline")


def _skip(outcome: Outcome, why: str) -> None:
    outcome.status = "skipped"
    outcome.errors.append(why)


def _take_event(outcome: Outcome, event: Event) -> Iterator[Event]:
    """Take what an event of a step says; yield it, unless it is a word, a session or an end of its own."""
    match event:
        case Tool():
            yield event
            if event.status in ("failed", "denied"):
                outcome.errors.append(
                    str(json_object(event.result).get("error", event.result) or event.status)
                )
            elif result := result_of(event):
                outcome.results.append((event.name, result))
        case Artifact():
            outcome.artifacts.append(event.artifact_id)
            yield event
        case Tick():
            yield event
        case Failure():
            outcome.errors.append(event.text)
        case Done():
            more = string(json_object(event.text).get("words")).strip()  # "": it ended before it could tell
            # the words of two processes of one step become one text, their lists one list
            between = "\n" if more.startswith("- ") and outcome.words.startswith("- ") else "\n\n"
            outcome.words = between.join(part for part in (outcome.words, more) if part)
            if event.outcome != "ok" and not outcome.errors:
                outcome.errors.append(event.outcome)
        case Text():
            pass


def _closed(job: Job, place: int, outcome: Outcome) -> Event:
    if outcome.errors:
        outcome.status = "partly" if outcome.results else "failed"
    errors = "\n".join(outcome.errors)
    return _shown(place, outcome, "failed" if outcome.status == "failed" else "ok", errors)


def _shown(place: int, outcome: Outcome, status: Any, result: str) -> Tool:
    """Return the step as the page shows what is done: beside the calls of tools."""
    arguments = {"do": outcome.step.description}
    return Tool(f"step-{place + 1}", f"step_{place + 1}", status, arguments, result)


TASK = "reply"
RESULTS_SHARE = 0.5  # of the budget
MOST_FINDINGS = 4  # told of one log
LINE_CHARS = 400
INSTRUCTIONS = """The steps below were carried out for the request above. Write the answer for the user now:
what was found, worst first, each with its evidence, then what to do. Do not repeat the steps; call no tools.
Name log lines as Markdown links exactly as they stand in the results. Say what failed. Charts and reports
appear by themselves; name a report by its ref, and say that it is not saved yet. Answer in the language of
the request."""
STATUS = {
    "en": {"ok": "done", "partly": "done in part", "failed": "failed", "skipped": "not done"},
    "zh": {"ok": "完成", "partly": "部分完成", "failed": "失敗", "skipped": "未執行"},
}


def reply_events(
    turn: Turn, job: Job, outcomes: Sequence[Outcome], made: Sequence[Entity], agent: str = ""
) -> Events:
    """Yield the events of the agent that tells what the steps came to; `agent` as Asking has it."""
    unsaved = [{"ref": entity.ref, "label": entity.label} for entity in made if entity.flag == "unsaved"]
    given: dict[str, Any] = {
        "language": job.language,
        "steps": [
            {"description": outcome.step.description, "status": outcome.status, "words": outcome.words}
            for outcome in outcomes
        ],
        "results": [{"tool": tool, "result": result} for row in outcomes for tool, result in row.results],
        "unsaved": unsaved,
    }
    results = results_text(turn, job, outcomes, made)
    prompt = turn.prompt(turn.run.agent, reserve=count_tokens(results))
    return ask(turn, Asking(TASK, prompt=f"{prompt}\n\n{results}", told=given, agent=agent, read_only=True))


def results_text(turn: Turn, job: Job, outcomes: Sequence[Outcome], made: Sequence[Entity]) -> str:
    """Return what the steps came to as a prompt tells it, within its share of the budget."""
    lines = [
        f"- Step {place} ({outcome.status}): {outcome.step.description}"
        + (f" — {'; '.join(outcome.errors)}" if outcome.errors else "")
        for place, outcome in enumerate(outcomes, start=1)
    ]
    for outcome in outcomes:
        lines += [line for tool, result in outcome.results for line in _result_lines(tool, result)]
    lines += [f"- `{row.ref}`: {row.label}" + (f" [{row.flag}]" if row.flag else "") for row in made]
    room = int(RESULTS_SHARE * turn.settings.prompt_tokens) - count_tokens(INSTRUCTIONS)
    kept: list[str] = []
    for line in lines:
        text = as_content(shorten(" ".join(line.split()), LINE_CHARS))
        room -= count_tokens(text) + 1
        if room < 0:
            kept.append(f"- … and {len(lines) - len(kept)} more lines")
            break
        kept.append(text)
    return f"<results>\n{INSTRUCTIONS}\n\nGoal: {as_content(job.title)}\n" + "\n".join(kept) + "\n</results>"


def _result_lines(tool: str, result: Mapping[str, Any]) -> list[str]:
    """Return what a tool's result says, a line for what matters; evidence as links."""
    lines = [f"- {tool}: {result.get('summary', '')}"]
    reference = "/".join(str(result.get(name)) for name in ("device", "log") if result.get(name))
    for finding in (result.get("findings") or [])[:MOST_FINDINGS]:
        line = finding.get("line") if isinstance(finding, dict) else None
        if isinstance(line, int) and reference:
            where = line_link(reference, line)
            lines.append(f"  - {where} {finding.get('summary', '')} {finding.get('action', '')}")
    return lines


def step_list(outcomes: Sequence[Outcome], language: Language) -> str:
    """Return the steps that did not simply succeed, with why, as a list for the answer; "" if all did."""
    rows = [
        f"- {STATUS[language][outcome.status]}: {outcome.step.description}"
        + (f" — {shorten('; '.join(outcome.errors), LINE_CHARS)}" if outcome.errors else "")
        for outcome in outcomes
        if outcome.status != "ok"
    ]
    return "\n".join(rows)
