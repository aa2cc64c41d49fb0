"""The handlers that use our tools: one of the registry by its name, and a look at a device's newest log."""

import json
import logging
import re
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from instrumentgpt.agents.events import Event, Tool
from instrumentgpt.agents.offline.phrases import line_link, moment, plain_text, quoted
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device, resolve
from instrumentgpt.instruments.language import language_of
from instrumentgpt.instruments.lognames import reference_to
from instrumentgpt.instruments.workspace import Workspace, workspace
from instrumentgpt.modes.commands.bench import Bench, CannotDo, Doing
from instrumentgpt.modes.commands.shown import shown
from instrumentgpt.storage.connection import file_of
from instrumentgpt.turn.ask import artifact_of
from instrumentgpt.turn.turn import made

if TYPE_CHECKING:
    from instrumentgpt.instruments.messages import Group

MOST_EVENTS = 5  # of each list
LIST = ("?", "list", "help")  # in place of a tool's name
_CHANNEL = re.compile(r"(?:^|\s)(?:channel\s*|通道\s*)?(\d{1,2})$", re.IGNORECASE)
_log = logging.getLogger(__name__)


def use_tool(bench: Bench, tool: str, arguments: Mapping[str, Any]) -> Doing:
    """Use the tool of the registry and return its result as people read it."""
    from instrumentgpt.instruments.tools import TOOLS  # pandas: only where a tool is used
    from instrumentgpt.instruments.tools.called import usage

    if tool in LIST:
        return "\n".join([bench.say("tools"), "", *(f"- `{usage(name)}`" for name in TOOLS)])
    given = _completed(bench, tool, arguments)
    result = yield from _used(bench, tool, given)
    return shown(bench, result, str(given.get("device") or ""))


def observe(bench: Bench, where: str) -> Doing:
    """Return the last readings and the newest events of the newest log of the device that `where` names."""
    device, channel = _where(bench, where)
    fetched = yield from _used(bench, "fetch_log", {"device": device.name})
    about = {"log": fetched["log"], "device": device.name}
    figures = yield from _used(bench, "channel_metrics", {**about, "channel": channel})
    reference = reference_to(fetched["log"], device.name)
    clock = moment(str(figures["end"]))
    title = bench.say("observed", label=plain_text(device.label), log=plain_text(fetched["log"]), clock=clock)
    readings = [_reading(bench, one, figures["unit"], reference) for one in figures["channels"]]
    events = _newest_events(bench, **about)
    return "\n\n".join([title, "\n".join(readings) or bench.say("no_readings"), events])


def _where(bench: Bench, words: str) -> tuple[Device, int | None]:
    """Return the device and the channel that `words` name."""
    numbered = _CHANNEL.search(words)
    rest = words[: numbered.start()].strip() if numbered else words
    if numbered and rest and not resolve(rest, bench.turn.inventory).devices:
        numbered, rest = None, words
    if rest and not resolve(rest, bench.turn.inventory).devices:
        raise CannotDo(bench.say("observe_what", word=quoted(rest), known=plain_text(bench.known_devices)))
    if bench.device is None:
        raise CannotDo(bench.say("observe_nothing", known=plain_text(bench.known_devices)))
    return bench.device, int(numbered[1]) if numbered else None


def _reading(bench: Bench, channel: Mapping[str, Any], unit: str, log: str) -> str:
    last = channel["last"]

    def with_unit(value: float | None, own: str) -> str:
        return "–" if value is None else f"{value:g} {own}".strip()

    told = {
        "pv": with_unit(last["pv"], unit),
        "setpoint": with_unit(last["setpoint"], unit),
        "output": with_unit(last["output"], "%"),
        "link": line_link(log, last["line"]),
    }
    return f"- {bench.say('reading', channel=channel['channel'], **told)}"


def _newest_events(bench: Bench, log: str, device: str) -> str:
    """Return the newest event lines, each kind once with how often it occurs; trouble before the rest."""
    from instrumentgpt.instruments.messages import TROUBLE, group_messages
    from instrumentgpt.instruments.tools.opened import open_log

    opened = open_log(_workspace(bench), log, device)

    def told(group: "Group") -> str:
        last = group.messages[-1]
        often = f" (×{len(group.messages):,})" if len(group.messages) > 1 else ""
        said = f"{moment(opened.log.clock(last.time))} {plain_text(group.level)} {quoted(last.text)}"
        return f"- {said} {line_link(f'{device}/{log}', last.line)}{often}"

    newest = sorted(group_messages(opened.log.events), key=lambda group: -group.messages[-1].line)
    lists = {
        "newest_trouble": [group for group in newest if group.level in TROUBLE],
        "newest_events": [group for group in newest if group.level not in TROUBLE],
    }
    parts = [
        "\n".join([bench.say(title), "", *map(told, groups[:MOST_EVENTS])])
        for title, groups in lists.items()
        if groups
    ]
    return "\n\n".join(parts) or bench.say("no_events")


def _completed(bench: Bench, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with what the conversation knows: its log and device, the language."""
    from instrumentgpt.instruments.tools.called import needs, takes

    state, told = bench.turn.state, dict(given)
    if isinstance(named := told.get("device"), str):
        told["device"] = next((one.name for one in resolve(named, bench.turn.inventory).devices), named)
    elif needs(name, "device") and bench.device:
        told["device"] = bench.device.name
    if "log" not in told and needs(name, "log") and state.last_log_file:
        told["log"] = state.last_log_file
        if "device" not in told and takes(name, "device") and bench.device:
            told["device"] = bench.device.name
    if takes(name, "language"):
        told.setdefault("language", bench.language)
    if takes(name, "record") and state.findings:
        told.setdefault("record", language_of("\n".join(state.findings)))
    return told


def _used(bench: Bench, name: str, given: Mapping[str, Any]) -> Generator[Event, None, dict[str, Any]]:
    """Yield the call of a tool as an agent's would be seen, its chart stored; return its result."""
    from instrumentgpt.instruments.tools.called import call, known_tool

    known_tool(name)
    call_id = f"command-{len(bench.turn.results) + 1}"
    yield Tool(call_id, name, "started", dict(given), server=SERVER)
    try:
        result = call(_workspace(bench), name, given)
    except InstrumentGPTError as problem:
        yield Tool(call_id, name, "failed", dict(given), str(problem), SERVER)
        raise
    except Exception as problem:  # the edge of a tool call: it is told, and the turn ends
        _log.exception("%s", name)
        reason = f"{type(problem).__name__}: {problem}"
        yield Tool(call_id, name, "failed", dict(given), reason, SERVER)
        raise CannotDo(bench.say("tool_broke", tool=quoted(name), reason=quoted(reason))) from problem
    done = Tool(call_id, name, "ok", dict(given), json.dumps(result, ensure_ascii=False), SERVER)
    yield done
    yield from artifact_of(bench.turn, done)
    return result


def _workspace(bench: Bench) -> Workspace:
    turn = bench.turn
    return workspace(
        str(turn.inventory.path),
        str(turn.home() / "cache"),
        str(made(turn.folder / "artifacts")),
        map(str, turn.uploads()),
        file_of(turn.database),
        turn.run.conversation_id,
    )
