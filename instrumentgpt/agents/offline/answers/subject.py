"""Which log an answer is about: the one named, dropped, or known; else the device's newest, fetched now."""

from dataclasses import dataclass
from pathlib import Path

from instrumentgpt.agents.offline.case import Case, ToolFailed
from instrumentgpt.agents.offline.phrases import joined, line_link, phrase, quoted
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.instruments.lognames import begun, is_log_name, reference_to
from instrumentgpt.instruments.pasted import is_device_name, number_of

MOST_NAMED = 5  # logs named where none fits


@dataclass(frozen=True)
class Subject:
    """A log that the tools can open, and the device it belongs to ("" for a dropped file)."""

    log: str
    device: str = ""
    label: str = ""  # "zspr 052 (10.1.1.47)", or the file's name

    @property
    def reference(self) -> str:
        """Return the log's name as links carry it."""
        return reference_to(self.log, self.device)

    def link(self, line: int) -> str:
        """Return the link to a line of this log."""
        return line_link(self.reference, line)


class NothingToRead(ToolFailed):
    """Neither a device nor a log is known; the text says what is missing and how to give it."""


def known_log(case: Case) -> Subject | None:
    """Return the log that needs no fetching: brought just now, or analysed earlier for the same device."""
    if pasted := _pasted_now(case):
        return Subject(pasted, "", dropped_label(case, pasted))
    dropped, read = dropped_logs(case), [bare(name) for name in case.task.state.get("downloaded_logs") or []]
    last, asked = bare(case.known("last_log_file")), bare(case.question.log)
    fresh = [name for name in dropped[:1] if name not in read and not case.task.devices and not asked]
    for name in (*[name for name in dropped if name == asked], *fresh):
        return Subject(name, "", dropped_label(case, name))
    if not last or not case.same_device or asked not in ("", last):
        return None
    if last in dropped:
        return Subject(last, "", dropped_label(case, last))
    return Subject(last, case.known("device_name", "device_ip"), device_label(case) or last)


def _pasted_now(case: Case) -> str:
    """Return the name of the log that is pasted in this question, whatever device is named, else ""."""
    newest = next(iter(dropped_logs(case)), "")
    return newest if case.question.pasted and number_of(newest) else ""


def dropped_label(case: Case, name: str) -> str:
    """Return what people are told of a dropped file: its name; of a pasted log whose it is, too."""
    number, device = number_of(name), device_label(case)
    if not number:
        return name
    if not device or is_device_name(device):
        return phrase("pasted_label", case.language, number=number)
    return phrase("pasted_label_of", case.language, number=number, device=device)


def dropped_logs(case: Case) -> list[str]:
    """Return the names of the logs dropped into the conversation, the latest first."""
    return [bare(Path(path).name) for path in case.task.attachments if is_log_name(Path(path).name)]


def remembered_in(case: Case) -> Language:
    """Return the language of the state's findings, so that it never holds one finding in two languages."""
    findings = case.task.state.get("findings") or []
    return language_of("\n".join(map(str, findings))) if findings else case.language


def bare(name: str) -> str:
    """Return a log's name whether or not it is compressed."""
    return name.removesuffix(".gz")


def device_label(case: Case) -> str:
    """Return the state's device as people are told: "zspr 052 (10.1.1.47)"."""
    name, ip = case.known("device_name"), case.known("device_ip")
    return f"{name} ({ip})" if name and ip else name or ip


def choose_log(case: Case, newest: bool = False) -> Subject:
    """Return the log to answer from, fetched if need be; with `newest` a known one is not enough.

    Nothing is said of fetching: the tool call shows it, and it is no part of an answer.

    Raises NothingToRead if neither a device nor a log is known.
    """
    pasted = bool(_pasted_now(case))
    if not pasted and means_older(case) and case.question.intent != "compare":
        return fetched_log(case, older_log(case))
    if (pasted or not newest) and (known := known_log(case)):
        return known
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    return fetched_log(case, case.question.log)


def fetched_log(case: Case, log: str = "") -> Subject:
    """Return the device's log of this name, or its newest, fetched."""
    got = case.tool("fetch_log", device=case.device, log=log)
    return Subject(got["log"], got["device"], got["label"])


def older_log(case: Case) -> str:
    """Return the device's log of the day that is named, or the one before the known one.

    Raises NothingToRead with the logs there are if there is none.
    """
    found = case.tool("list_logs", device=case.device)
    names = [bare(one["name"]) for one in found["logs"]]
    listed = joined([quoted(name) for name in names[:MOST_NAMED]], case.language) or "0"
    told = {"label": found["label"], "logs": listed}
    if day := case.question.day:
        fitting = [name for name in names if day_of(name).endswith(day)]
        if not fitting:
            raise NothingToRead(phrase("day_none", case.language, day=day, **told))
        return fitting[0]
    known = bare(case.known("last_log_file")) if case.same_device else ""
    place = names.index(known) + 1 if known in names else 1
    if place >= len(names):
        last = quoted(names[-1] if names else "")
        raise NothingToRead(phrase("older_none", case.language, log=last, **told))
    return names[place]


def means_older(case: Case) -> bool:
    """Return whether the question is about a log by its day, or about the one before."""
    return bool(case.device and (case.question.day or case.question.previous))


def day_of(name: str) -> str:
    """Return the day in a log's name, "" if there is none.

    >>> day_of("InstrumentDebug_2026-02-19_23-24-45.39.log"), day_of("run 7.csv")
    ('2026-02-19', '')
    """
    when = begun(name)
    return when.strftime("%Y-%m-%d") if when else ""


def ask_for_log(case: Case) -> str:
    """Return what is missing, and how to give it, with the devices there are."""
    devices = case.tool("list_devices")["devices"]
    names = ", ".join(f"{one['name']} ({one['ip']})" for one in devices)
    return phrase("which_device" if names else "no_devices", case.language, names=names)
