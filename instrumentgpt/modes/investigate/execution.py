"""Carrying out a plan: what each step works on, groups in order, a group side by side, what is told of it."""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from instrumentgpt.agents.events import Event, Events, Tick, Tool, ToolStatus
from instrumentgpt.agents.offline.steps import badness
from instrumentgpt.agents.stream import json_object, string
from instrumentgpt.analyst.case import Subject
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.instruments.fleet import devices_meant
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.lognames import line_link, start_time
from instrumentgpt.instruments.since import since
from instrumentgpt.memory.filtering import as_content
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.asking import Interrupted, Journal, Reply, Want, ask_for_all
from instrumentgpt.modes.investigate import say
from instrumentgpt.modes.investigate.decisions import ThinkStep
from instrumentgpt.storage.entities import Entity
from instrumentgpt.storage.panels import Key
from instrumentgpt.turn.ask import ask
from instrumentgpt.turn.entities import refs_in
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
    logs = [entity.link for entity in scene.entities if entity.type == "log"]
    targets += [_of_link(link) for link in logs if str(link.get("log")) in words]
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
    logs = [row for row in scene.entities if row.type == "log" and row.link.get("device") == target.device]
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
MOST_NAMED = 4  # devices in a title


@dataclass
class Outcome:
    """What one step came to: its words, its tools' results, what it made, and what went wrong.

    waiting  how many of its processes have not ended
    """

    step: ThinkStep
    status: Status = "ok"
    words: str = ""
    results: list[Result] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    waiting: int = 0

    def take(self, reply: Reply) -> None:
        """Take what one of its processes came to."""
        self.waiting -= 1
        self.results += reply.results
        self.artifacts += reply.artifacts
        self.errors += reply.errors or filter(None, [reply.problem])
        more = string((reply.content or {}).get("words")).strip()  # "": it ended before it could tell
        # the words of two processes of one step become one text, their lists one list
        between = "\n" if more.startswith("- ") and self.words.startswith("- ") else "\n\n"
        self.words = between.join(part for part in (self.words, more) if part)
        if self.errors:
            self.status = "partly" if self.results else "failed"

    def skip(self, why: str) -> None:
        """Leave the step undone."""
        self.status = "skipped"
        self.errors.append(why)


@dataclass(frozen=True)
class Job:
    """A plan to carry out: in which language it tells, and what it is for."""

    steps: Sequence[ThinkStep]
    language: Language
    goal: str


def device_read(outcomes: Sequence[Outcome], scene: Scene) -> str:
    """Return the worst of the devices that the steps read, the last where none was diagnosed; "" if none."""
    told = replace(scene, results=[result for outcome in outcomes for result in outcome.results])
    return next((target.device for target in reversed(_worst(_fetched(told), told))), "")


def carried_out(turn: Turn, job: Job, scene: Scene) -> Generator[Event, None, list[Outcome]]:
    """Yield the events of the steps' tools and return what each step came to, in the order of the plan.

    A step that fails is told and the rest goes on; a stop of the turn skips what has not begun.
    """
    outcomes = [Outcome(step) for step in job.steps]
    numbered = sorted(enumerate(outcomes, start=1), key=lambda row: row[1].step.group)
    for _, group in groupby(numbered, key=lambda row: row[1].step.group):
        results = [result for outcome in outcomes for result in outcome.results]
        entities = [*scene.entities, *turn.note_entities()]
        yield from _group(turn, job, dict(group), replace(scene, entities=entities, results=results))
    return outcomes


def _group(turn: Turn, job: Job, group: Mapping[int, Outcome], scene: Scene) -> Events:
    """Carry out the steps of a group, each shown among the calls of tools by its number in the plan."""
    wants: list[Want] = []
    for number, outcome in group.items():
        shares = list(_wants(turn, job, number, outcome, scene))
        wants += shares
        outcome.waiting = len(shares)
        if outcome.status == "skipped":
            yield _shown(number, outcome, "failed")
        else:
            yield Tick(f"{number}/{len(job.steps)} {outcome.step.description}")
            yield _shown(number, outcome, "started")
    try:
        for event in ask_for_all(Journal(turn), wants) if wants else ():
            if not isinstance(event, tuple):
                yield event
                continue
            want, reply = event
            outcome = group[want.key.sub_problem]
            outcome.take(reply)
            if not outcome.waiting:
                yield _shown(want.key.sub_problem, outcome, "failed" if outcome.status == "failed" else "ok")
    except Interrupted:
        for outcome in group.values():
            if outcome.waiting:
                outcome.skip(say("step_stopped", job.language))


def _wants(turn: Turn, job: Job, number: int, outcome: Outcome, scene: Scene) -> Iterator[Want]:
    """Yield what is asked for a step: its targets shared out among as many processes as may run at once."""
    step = outcome.step
    if turn.stopped():
        outcome.skip(say("step_stopped", job.language))
        return
    if step.step_type == "write":
        key = step.subdomain if step.subdomain in ("reports", "notes") else "instrument"
        outcome.skip(say(f"step_write_{key}", job.language))
        return
    targets = targets_of(step, scene)
    is_report = (step.step_type, step.subdomain) == ("generate", "reports")
    if not targets and (step.subdomain in NEEDS_A_TARGET or is_report):
        outcome.skip(say("step_nothing", job.language))
        return
    whole = step.step_type == "generate" or step.subdomain in ("devices", "notes", "reports")
    count = 1 if whole or not targets else min(len(targets), max(1, turn.settings.runs_at_once))
    for share in range(count):
        facts = {
            **step.model_dump(),
            "targets": [asdict(target) for target in targets[share::count]],
            "since": period_of(step, scene) if step.step_type == "read" else "",
            "title": _title(targets, job.language) if is_report else "",
            "alone": len(targets) == 1,
            "language": job.language,
        }
        yield Want(Key(number, "step", share), step.description, facts, json_object, "offline")


def _title(targets: Sequence[Subject], language: Language) -> str:
    """Return what a report on `targets` is called: by their devices, and the days when their logs begin."""
    names = list(dict.fromkeys(target.device or target.log for target in targets))
    begun = sorted(when.date().isoformat() for target in targets if (when := start_time(target.log)))
    days = " – ".join(dict.fromkeys((begun[0], begun[-1]))) if begun else None
    more = len(names) - MOST_NAMED if len(names) > MOST_NAMED else None
    return say("title", language, names=", ".join(names[:MOST_NAMED]), more=more, days=days)


def _shown(number: int, outcome: Outcome, status: ToolStatus) -> Tool:
    """Return the step as the page shows what is done: beside the calls of tools."""
    arguments, errors = {"do": outcome.step.description}, "\n".join(outcome.errors)
    return Tool(f"step-{number}", f"step_{number}", status, arguments, errors)


TASK = "reply"
RESULTS_SHARE = 0.5  # of the budget
MOST_FINDINGS = 4  # told of one log
LINE_CHARS = 400
INSTRUCTIONS = Path(__file__).with_name("reply.md").read_text(encoding="utf-8").strip()


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
        f"- Step {place} ({row.status}): {row.step.description}"
        + (f" — {'; '.join(row.errors)}" if row.errors else "")
        for place, row in enumerate(outcomes, start=1)
    ]
    lines += [line for row in outcomes for result in row.results for line in _result_lines(*result)]
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
    return f"<results>\n{INSTRUCTIONS}\n\nGoal: {as_content(job.goal)}\n" + "\n".join(kept) + "\n</results>"


def _result_lines(tool: str, result: Mapping[str, Any]) -> list[str]:
    """Return what a tool's result says, a line for what matters; evidence as links."""
    lines = [f"- {tool}: {result.get('summary', '')}"]
    reference = "/".join(str(result.get(name)) for name in ("device", "log") if result.get(name))
    for finding in (result.get("findings") or [])[:MOST_FINDINGS]:
        line = finding.get("line") if isinstance(finding, dict) else None
        if isinstance(line, int) and reference:
            said = f"{finding.get('summary', '')} {finding.get('action', '')}"
            lines.append(f"  - {line_link(reference, line)} {said}")
    return lines


def step_list(outcomes: Sequence[Outcome], language: Language) -> str:
    """Return the steps that did not simply succeed, with why, as a list for the answer; "" if all did."""
    rows = [
        f"- {say(outcome.status, language)}: {outcome.step.description}"
        + (f" — {shorten('; '.join(outcome.errors), LINE_CHARS)}" if outcome.errors else "")
        for outcome in outcomes
        if outcome.status != "ok"
    ]
    return "\n".join(rows)
