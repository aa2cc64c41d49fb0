"""Help, what is refused, and what was not understood."""

from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.diagnosis import why
from instrumentgpt.agents.offline.answers.subject import NothingToRead, ask_for_log, known_log
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase, quoted, sentences


def help_(case: Case) -> Iterator[str]:
    """Say what can be asked."""
    yield phrase("help", case.language)


def act(case: Case) -> Iterator[str]:
    """Say that nothing is ever changed on an instrument."""
    yield phrase("act_refused", case.language)


def courtesy(case: Case) -> Iterator[str]:
    """Answer thanks and greetings with an offer, unless they name a subject."""
    if case.task.devices:
        yield from why(case)
        return
    yield phrase("courtesy", case.language, count=len(case.tool("list_devices")["devices"]))


def unknown(case: Case) -> Iterator[str]:
    """Answer what names a subject but no task: a device, file or channel is diagnosed."""
    known = known_log(case)
    about_channel = case.question.channel is not None and known is not None
    if case.task.devices or case.task.attachments or case.question.log or about_channel:
        yield from why(case)
    elif known or case.question.text.strip():
        yield phrase("not_understood", case.language, count=KINDS) + "\n\n"
        yield sentences()["help"][case.language].split("\n\n", 1)[1]
    else:
        raise NothingToRead(ask_for_log(case))


KINDS = sum(line.startswith("- ") for line in sentences()["help"]["en"].splitlines())


def unknown_device(case: Case) -> Iterator[str]:
    """Say that a device is not in the inventory, which are, and how to add it."""
    found = case.tool("list_devices", suggest=case.unknown[0])
    yield phrase(
        "unknown_device",
        case.language,
        unknown=quoted(case.unknown[0]),
        names=", ".join(f"{one['name']} ({one['ip']})" for one in found["devices"]) or "0",
        inventory=found["inventory"],
        entry=found["entry"],
    )
