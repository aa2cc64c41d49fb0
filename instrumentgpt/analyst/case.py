"""What an answer has to work with: the task, the question, the tools, and the log that is meant."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from instrumentgpt.analyst.words import joined, moment, phrase, quoted
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import DAY, Language, language_of, span_text
from instrumentgpt.instruments.lognames import line_link, may_be_log, reference_to, start_time
from instrumentgpt.instruments.pasted import is_device_name, number_of
from instrumentgpt.moments import now

if TYPE_CHECKING:  # its patterns take 0.1 s, and a task can be read without them
    from instrumentgpt.analyst.questions import Question

Result = dict[str, Any]  # what a tool returned: JSON-ready; {"error": …} if it could not do its work
MOST_NAMED = 5  # logs named where none fits
MOST_READ = 14  # logs of a device, or days, that are looked at one by one
Extent = tuple[str, datetime, datetime]  # a log, when it begins, and when it ends at the latest


@dataclass(frozen=True)
class Task:
    """The task file (docs/architecture.md): what the turn hands over beside the prompt."""

    question: str
    task: str = "chat"
    conversation_id: str = ""
    database: str = ""
    inventory: str = ""
    cache: str = ""
    artifacts: str = ""
    devices: tuple[str, ...] = ()  # named in this question
    nicknames: dict[str, list[str]] = field(default_factory=dict)  # device → what its users call it
    left: dict[str, str] = field(default_factory=dict)  # "device" and "log" that this question turned from
    state: dict[str, Any] = field(default_factory=dict)  # DiagnosticState as JSON
    others: dict[str, dict[str, Any]] = field(default_factory=dict)  # device left → its state
    messages: tuple[dict[str, Any], ...] = ()  # turn, role, text, oldest first; without this question
    stated: tuple[dict[str, Any], ...] = ()  # what the user said of values: parameter, value, …
    constraints: tuple[str, ...] = ()  # what the user laid down: "never touch the gains"
    causes: tuple[str, ...] = ()  # root causes as the user put them on record
    ruled_out: tuple[str, ...] = ()  # sentences of agents, panels and the user, oldest first
    attachments: tuple[str, ...] = ()  # paths of files dropped with the question
    today: str = ""  # ISO; "": the clock's
    given: dict[str, Any] = field(default_factory=dict)  # what a mode tells beside the question

    @property
    def now(self) -> datetime:
        """The moment that "yesterday" counts from."""
        return datetime.fromisoformat(self.today) if self.today else now().replace(tzinfo=None)

    def messages_of(self, role: str) -> list[tuple[int, str]]:
        """Return (turn, text) of what `role`, "user" or "assistant", said before, oldest first."""
        return [(int(row["turn"]), str(row["text"])) for row in self.messages if row["role"] == role]


@dataclass(frozen=True)
class Case:
    """One question being answered; `tool(name, **arguments)` calls a tool visibly, or raises ToolFailed."""

    task: Task
    question: "Question"
    language: Language
    tool: Callable[..., Result]

    @property
    def device(self) -> str:
        """The device that is meant: named now, else the one the conversation is about, else ""."""
        device = self.state_field("device_name", "device_ip")
        return self.task.devices[0] if self.task.devices else "" if is_device_name(device) else device

    @property
    def same_device(self) -> bool:
        """Whether the question stays with the device that the state is about."""
        named = self.task.devices[:1]
        return not named or named[0] in (self.state_field("device_name"), self.state_field("device_ip"))

    @property
    def label(self) -> str:
        """The device in question as people are told: "zspr 052 (10.1.1.47)"; "" for none."""
        name, ip = self.state_field("device_name"), self.state_field("device_ip")
        label = f"{name} ({ip})" if name and ip else name or ip
        return label if self.same_device else self.task.devices[0]

    def state_field(self, *names: str) -> str:
        """Return the first of the state's fields `names` that is set, else ""."""
        return next((str(value) for name in names if (value := self.task.state.get(name))), "")

    def say(self, key: str, **fields: Any) -> str:
        """Return the sentence `key` in the language of the question."""
        return phrase(key, self.language, **fields)

    def lead(self, is_so: bool | None) -> str:
        """Return "Yes: ", "No: " or "Cannot say: " where the question asks for one of these, else ""."""
        if not self.question.yes_no:
            return ""
        return self.say("lead_unknown" if is_so is None else "lead_yes" if is_so else "lead_no")

    def item(self, key: str, **fields: Any) -> str:
        """Return the sentence `key` as an item of a list."""
        return f"- {self.say(key, **fields)}\n"

    def listed(self, items: Any) -> str:
        """Return a list as it stands in a sentence."""
        return joined(items, self.language)


class ToolFailed(InstrumentGPTError):
    """A tool that could not do its work; the text says why and what helps."""


class NothingToRead(ToolFailed):
    """Neither a device nor a log is known; the text says what is missing and how to give it."""


@dataclass(frozen=True)
class Subject:
    """A log that the tools can open, and the device it belongs to ("" for a dropped file).

    log      "" where a plan's step is about a device whose log is still to be fetched
    label    "zspr 052 (10.1.1.47)", or the file's name
    channel  the one that a plan's step is about
    only_begun  the device's newest log, where it is too short to be judged and this is the one before it
    """

    log: str
    device: str = ""
    label: str = ""
    channel: int | None = None
    only_begun: str = ""

    @property
    def reference(self) -> str:
        """The log's name as links carry it."""
        return reference_to(self.log, self.device)

    @property
    def named(self) -> dict[str, str]:
        """The arguments by which tools are told the log."""
        return {"log": self.log, "device": self.device}

    def link(self, line: int) -> str:
        """Return the link to a line of this log."""
        return line_link(self.reference, line)

    def at(self, told: Result, day: str = "") -> Result:
        """Return what a tool tells of a moment, its clock (without `day`) and line as people are told."""
        return {**told, "clock": moment(told["clock"], day), "line": self.link(told["line"])}


def unit_of(result: Result, channel: int | None) -> str:
    """Return the unit of a channel's pv and setpoint, as a tool tells it of its log."""
    return str(result["channel_units"].get(str(channel), result["unit"]))


def bare(name: str) -> str:
    """Return a log's name whether or not it is compressed."""
    return name.removesuffix(".gz")


def day_of(name: str) -> str:
    """Return the day in a log's name, "" if there is none.

    >>> day_of("InstrumentDebug_2026-02-19_23-24-45.39.log"), day_of("run 7.csv")
    ('2026-02-19', '')
    """
    when = start_time(name)
    return when.strftime("%Y-%m-%d") if when else ""


def remembered_in(case: Case) -> Language:
    """Return the language of the state's findings, so that it never holds one finding in two languages."""
    findings = case.task.state.get("findings") or []
    return language_of("\n".join(map(str, findings))) if findings else case.language


def dropped_logs(case: Case) -> list[str]:
    """Return the names of the logs dropped into the conversation, the latest first."""
    return [bare(Path(path).name) for path in case.task.attachments if may_be_log(Path(path).name)]


def known_log(case: Case) -> Subject | None:
    """Return the log that needs no fetching: brought just now, or analysed earlier for the same device."""
    if pasted := _pasted_now(case):
        return Subject(pasted, "", _dropped_label(case, pasted))
    dropped, read = dropped_logs(case), [bare(name) for name in case.task.state.get("downloaded_logs") or []]
    last, named_log = bare(case.state_field("last_log_file")), bare(case.question.log)
    fresh = [name for name in dropped[:1] if name not in read and not case.task.devices and not named_log]
    for name in (*[name for name in dropped if name == named_log], *fresh):
        return Subject(name, "", _dropped_label(case, name))
    if not last or not case.same_device or named_log not in ("", last):
        return None
    if last in dropped:
        return Subject(last, "", _dropped_label(case, last))
    return Subject(last, case.state_field("device_name", "device_ip"), case.label or last)


def choose_log(case: Case, in_view: bool = False) -> Subject:
    """Return the log to answer from: the one that is named, brought or in view, else the device's newest.

    in_view  whether a log in view serves though the device is named again

    Raises NothingToRead if neither a device nor a log is known, or none fits the day that is named.
    """
    from instrumentgpt.analyst.questions import aspect

    pasted = bool(_pasted_now(case))
    if case.device and (case.question.day or case.question.previous) and not pasted:
        return fetched_log(case, older_log(case))
    if (pasted or in_view or not case.task.devices) and (subject := known_log(case)):
        read = [bare(name) for name in case.task.state.get("downloaded_logs") or []]
        is_of_now = aspect("now", case.question.words) or aspect("safe", case.question.words)
        if subject.device and is_of_now and len(read) > 1:  # of those that were read, the newest
            return fetched_log(case, max(read, key=lambda name: start_time(name) or datetime.min))
        return subject
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    return fetched_log(case, case.question.log or (log_of_clock(case) if case.question.clocks else ""))


def fetched_log(case: Case, log: str = "", device: str = "") -> Subject:
    """Return the log of this name, or the newest, fetched; of the device in question, or of `device`."""
    got = case.tool("fetch_log", device=device or case.device, log=log)
    return Subject(got["log"], got["device"], got["label"], only_begun=got["only_begun"])


def log_names(case: Case) -> list[str]:
    """Return the names of the device's logs, newest first."""
    return [bare(log["name"]) for log in case.tool("list_logs", device=case.device)["logs"]]


def older_log(case: Case, day: str = "") -> str:
    """Return the device's log of the day that is named, or the one before the known one.

    Raises NothingToRead with the logs there are if there is none.
    """
    names, day = log_names(case), day or case.question.day
    fields = {"label": case.label or case.device}
    fields["logs"] = case.listed([quoted(name) for name in names[:MOST_NAMED]]) or "0"
    if day:
        fitting = [name for name in names if day_of(name).endswith(day)] or _with_day(case, day)
        fitting = _begun_by(case, fitting) or fitting
        if not fitting:
            raise NothingToRead(case.say("day_none", day=day.lstrip("-"), **fields))
        return fitting[0]
    last = bare(case.state_field("last_log_file")) if case.same_device else ""
    place = names.index(last) + 1 if last in names else 1
    if place >= len(names):
        raise NothingToRead(case.say("older_none", log=quoted(names[-1] if names else ""), **fields))
    return names[place]


def _with_day(case: Case, day: str) -> list[str]:
    """Return the logs whose lines are of a day, newest first."""
    days = {name: (f"{begin:%F}", f"{end:%F}") for name, begin, end in extents(case)}
    return [name for name, (start, end) in days.items() if start <= start[: -len(day)] + day <= end][::-1]


def extents(case: Case, log: str = "", about: Subject | None = None) -> list[Extent]:
    """Return the logs of the device, or one `log`, oldest first, as far as they have dates.

    A log ends at the latest when the next one begins; one without a date in its name is opened.

    about  one that needs no fetching
    """
    found, read = list[Extent](), 0
    for name in [log] if log else log_names(case):
        begun, end = (start_time(name), found[0][1]) if found else (None, None)
        if begun and end and begun < end:
            found.insert(0, (name, begun, end))
        elif read < MOST_READ:
            read += 1
            with suppress(ToolFailed, ValueError):
                subject = about if about and name == about.log else fetched_log(case, name)
                whole = case.tool("column_figures", **subject.named, only_loops=True)["whole"]
                first, last = (datetime.fromisoformat(at[:19]) for at in whole)
                found.insert(0, (name, first, last))
    return found


def _begun_by(case: Case, names: list[str]) -> list[str]:
    """Return those of `names`, newest first, that had begun by the time of day that is asked about."""
    clock = next((clock for clock in case.question.clocks if ":" in clock), "")
    times = {name: start_time(name) for name in names}
    return [name for name, at in times.items() if clock and at and f"{at:%H:%M}" <= clock[:5]]


def log_of_clock(case: Case) -> str:
    """Return the log before the one in view, of the same day, in which the time that is asked about lies."""
    names = log_names(case) if case.device and case.question.clocks else []
    known = known_log(case)
    day = day_of(known.log if known else next(iter(names), ""))
    return next(iter(_begun_by(case, [name for name in names if day and day_of(name) == day])), "")


def age(task: Task, language: Language, end: str) -> str:
    """Return the sentence on how old a log's last line is; "" if of today, undated, or told just now.

    end  "2026-02-20 00:10:03", as tools tell it
    """
    try:
        days = (task.now - datetime.fromisoformat(end[:19])).total_seconds() / DAY
    except ValueError:
        return ""
    said = phrase("age", language, span=span_text(days * DAY, language), day=end[:10])
    of_message = (text for turn, text in task.messages_of("assistant") if turn == 0)  # its parts before
    return "" if days < 1 or any(said in text for text in of_message) else said


def diagnosed(case: Case, about: Subject) -> Result:
    """Return the diagnosis of the log, of the channel asked about if there is one."""
    arguments = {"channel": case.question.channel, "language": case.language, "record": remembered_in(case)}
    return case.tool("diagnose_log", **about.named, **arguments)


def faults_of(diagnosis: Mapping[str, Any]) -> list[Result]:
    """Return the findings that are faults, most important first."""
    return [finding for finding in diagnosis["findings"] if finding["class"] != "healthy"]


def ask_for_log(case: Case) -> str:
    """Return what is missing, and how to give it, with the devices there are."""
    devices = case.tool("list_devices")["devices"]
    names = ", ".join(f"{device['name']} ({device['ip']})" for device in devices)
    return case.say("which_device" if names else "no_devices", names=names)


def _pasted_now(case: Case) -> str:
    """Return the name of the log that is pasted in this question, whatever device is named, else ""."""
    newest = next(iter(dropped_logs(case)), "")
    return newest if case.question.pasted and number_of(newest) else ""


def _dropped_label(case: Case, name: str) -> str:
    """Return what people are told of a dropped file: its name; of a pasted log whose it is, too."""
    number, device = number_of(name), case.label
    if not number:
        return name
    if not device or is_device_name(device):
        return case.say("pasted_label", number=number)
    return case.say("pasted_label_of", number=number, device=device)
