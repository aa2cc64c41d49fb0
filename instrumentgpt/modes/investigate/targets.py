"""What a step works on: read from its words, and from what is here by then."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from instrumentgpt.agents.offline.tasks.reply import badness
from instrumentgpt.analyst.case import Subject
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.instruments.fleet import devices_meant
from instrumentgpt.instruments.since import since
from instrumentgpt.modes.investigate.contract import ThinkStep
from instrumentgpt.storage.entities import Entity
from instrumentgpt.turn.entities import refs_in

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
