"""Help, what is refused, and what was not understood."""

import re
from collections.abc import Iterator
from pathlib import Path

from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.offline.answers.diagnosis import why
from instrumentgpt.agents.offline.answers.gains import gain
from instrumentgpt.agents.offline.answers.said import messages_on
from instrumentgpt.agents.offline.answers.subject import NothingToRead, ask_for_log, device_label, known_log
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase, quoted, sentences

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".heic", ".tif", ".tiff")
THANKS = r"thank|thx|hello|\bhi\b|\bhey\b|good (?:morning|evening)|[謝谢]|你好|您好"
IMAGE_WORDS = r"\bimage|\bpicture|\bphoto|\bscreen ?shot|[圖图]片|截[圖图]|照片|相片|[這这][張张]|[圖图]中"


def help_(case: Case) -> Iterator[str]:
    """Say what can be asked."""
    yield phrase("help", case.language)


def act(case: Case) -> Iterator[str]:
    """Say that nothing is ever changed on an instrument; a change of a gain is judged instead."""
    label = _device_label(case)
    example = phrase("act_example" if label else "act_example_all", case.language, label=label)
    named = label or phrase("act_no_device", case.language)
    yield phrase("act_refused", case.language, label=named, example=example)
    asked = case.question
    wants_gain = asked.gain and (asked.target is not None or asked.factor is not None)
    if wants_gain and (case.device or known_log(case)):
        yield "\n\n" + phrase("act_judged", case.language) + "\n\n"
        yield from gain(case)


def _device_label(case: Case) -> str:
    return case.task.devices[0] if case.task.devices else device_label(case)


def image_note(case: Case) -> str:
    """Return that a dropped image cannot be seen, "" if none is meant.

    The newest dropped file is meant where the question speaks of an image, or nothing was read yet.
    """
    newest = Path(case.task.attachments[0]).name if case.task.attachments else ""
    if Path(newest).suffix.casefold() not in IMAGES:
        return ""
    spoken_of = re.search(IMAGE_WORDS, case.question.text.casefold(), re.ASCII)
    if case.task.state.get("last_log_file") and not spoken_of:
        return ""
    return phrase("image_unseen", case.language, name=quoted(newest))


def is_assent(case: Case) -> bool:
    """Return whether the question only says yes or no, and does not thank or greet beside it."""
    return approval(case.question.text) is not None and not re.search(THANKS, case.question.text, re.I)


def assent(case: Case) -> Iterator[str]:
    """Say that nothing waits for a yes or a no, and what can be asked."""
    label = _device_label(case)
    key = "assent_device" if label else "assent"
    yield phrase("assent_nothing", case.language) + " "  # in Chinese, too: else the bold does not end
    yield phrase(key, case.language, label=label)


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
    other_log = case.device and (case.question.log or case.question.day or case.question.previous)
    if case.task.devices or case.task.attachments or other_log or case.question.log or about_channel:
        yield from why(case)
    elif found := messages_on(case, "user"):
        yield phrase("said_maybe", case.language) + "\n\n" + "".join(found)
        yield "\n" + phrase("said_or_help", case.language)
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
