"""The prompt for thinking: a static template, and in it three sections that are made anew each turn.

The sections hold refs and labels, never what they stand for.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import memory
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.memory.filtering import as_content
from instrumentgpt.memory.summary import StoredMessage
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.investigate.decisions import STEPS, ModeState, Pending
from instrumentgpt.storage.entities import Entity
from instrumentgpt.turn.entities import one_line, refs_in

_PATH = re.compile(r"(?<![\w/:.\\?=])(?:file://|[A-Za-z]:(?=\\)|~(?=/))?(?:[/\\][\w.\-@ ]*[\w\-@]){2,}[/\\]?")
TEMPLATE = Path(__file__).with_name("think.md").read_text(encoding="utf-8")
FULL_DETAIL_TURNS = 3  # turns of the history in full: the think-prompt design
TURNS_WINDOW = 2  # a thing last touched so many turns ago is still in
MOST_DEVICES = 40  # of the inventory, named in the prompt
MOST_ENTITIES = 60  # lines; the latest touched
LEAST_HISTORY = 400  # tokens
PENDING_CHARS = 1500  # of a proposal as the history shows it
GENERATED = "## Generated Content\nThe user can save these or discard them:"
RECENT = (
    f"## Recent Context (last {TURNS_WINDOW} turns)\n"
    "**Known refs and labels only. Do NOT assume that any content is loaded in this turn.**"
)
RETAINED = "## Long Term Memory (retained from earlier)"


@dataclass(frozen=True)
class PromptParts:
    """What the prompt is made of besides the messages.

    turns     ids of the stored questions, this one last: they number the turns
    entities  what has a ref, in the order it came up
    device    the device that the conversation is about, "" if none
    approved  whether the user just agreed to what is pending
    request   the question, or what stands for one that is too long
    profile   who the user is and what he wants of every plan, in his words
    guidance  what holds for every plan: what the user laid down, ruled out and stated, a line each
    curation  what is kept in sight beyond the last turns, and what was let go just now, a line each
    """

    turns: Sequence[int]
    entities: Sequence[Entity]
    kept: ModeState
    inventory: Inventory
    device: str
    request: str
    effort: str
    today: date
    approved: bool = False
    profile: str = ""
    guidance: Sequence[str] = ()
    curation: Sequence[str] = ()


def think_prompt(
    material: PromptParts, messages: Sequence[StoredMessage], summary: str, question: str, budget: int
) -> tuple[str, str]:
    """Return (the prompt, the summary to store), at most `budget` estimated tokens long.

    messages  the conversation, the question last or not in it
    """
    context, task = session_context(material), immediate_task(material)
    tail = pending_text(material)
    used = count_tokens(_filled(context, tail, task))
    room = max(LEAST_HISTORY, budget - used)
    composed = memory.compose(
        memory.Case(question, memory.DiagnosticState()),
        messages,
        summary,
        rules=memory.Rules(FULL_DETAIL_TURNS, room + count_tokens(question)),
    )
    texts = {section.name: section.text for section in composed.sections}
    parts = (("Earlier", "conversation_summary"), ("Last turns", "recent_conversation"))
    untagged = {name: re.sub(r"\A<\w+>\n?|\n?</\w+>\Z", "", text) for name, text in texts.items()}
    paragraphs = (f"**{title}**:\n{untagged[name]}" for title, name in parts if texts.get(name))
    history = _without_paths("\n\n".join(paragraphs))
    return _filled(context, "\n\n".join(part for part in (history, tail) if part), task), composed.summary


def session_context(material: PromptParts) -> str:
    """Return who asks, what holds, and what exists: devices, entities by ref, notes on the last turns."""
    labels = [one_line(device.label) for device in material.inventory.devices]
    more = f" and {len(labels) - MOST_DEVICES} more" if len(labels) > MOST_DEVICES else ""
    parts = [f"**User**: {_note_line(material.profile)}"] if material.profile else []
    if material.guidance:
        parts.append("**What holds**:\n" + "\n".join(f"- {_note_line(line)}" for line in material.guidance))
    parts.append(f"**Devices** ({len(labels)}): {', '.join(labels[:MOST_DEVICES]) or 'none'}{more}")
    if material.device:
        parts.append(f"**In view**: {one_line(material.device)}")
    parts += entity_sections(material.entities, material.turns)
    if material.kept.reasoning():
        parts.append(f"**Earlier reasoning**: {_note_line(material.kept.reasoning())}")
    if notes := material.kept.recent_notes():
        parts.append("**Notes on the last turns**:\n" + "\n".join(f"- {_note_line(note)}" for note in notes))
    if material.curation:
        parts.append("**Curation**:\n" + "\n".join(f"- {_note_line(line)}" for line in material.curation))
    return "\n\n".join(parts)


def entity_sections(entities: Sequence[Entity], turns: Sequence[int]) -> list[str]:
    """Return the sections of entities that are not empty: generated, recent, retained from earlier."""
    shown = sorted(entities, key=lambda entity: entity.last)[-MOST_ENTITIES:]
    shown = [entity for entity in entities if entity in shown]
    recent = [entity for entity in shown if age(entity, turns) <= TURNS_WINDOW]
    made = [entity for entity in shown if entity.generated]
    offered = [entity for entity in made if entity in recent or entity.retained or entity.flag == "unsaved"]
    retained = [entity for entity in shown if entity.retained and entity not in (*recent, *made)]
    sections = (
        (GENERATED, offered, False),
        (RECENT, [entity for entity in recent if not entity.generated], False),
        (RETAINED, retained, True),
    )
    return [
        "\n".join([heading, *(_line(entity, reasons) for entity in chosen)])
        for heading, chosen, reasons in sections
        if chosen
    ]


def age(entity: Entity, turns: Sequence[int]) -> int:
    """Return how many turns ago the entity was last touched: 0 in this one."""
    return sum(question > entity.last for question in turns)


def immediate_task(material: PromptParts) -> str:
    """Return what is to be done now: the user's words, the day, the limit, and how much there is."""
    counts = Counter(entity.type for entity in material.entities)
    kinds = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in sorted(counts.items()))
    pending = material.kept.pending
    waiting = f"{pending.message}\n{pending.ref}" if pending else ""
    refs = {entity.ref for entity in material.entities}
    named = [ref for ref in refs_in(f"{material.request}\n{waiting}") if ref in refs]
    referenced = f"**Referenced**: {', '.join(f'`{ref}`' for ref in named)}\n\n" if named else ""
    return (
        f'**User said**: "{_quoted(material.request)}"\n\n{referenced}'
        f"**Today**: {material.today.isoformat()} | "
        f"**Mode**: {material.effort} (max {STEPS[material.effort]} steps)\n\n"
        f"**Entities**: {kinds or 'none'}"
    )


def pending_text(material: PromptParts) -> str:
    """Return what waits for an answer, as the history ends with it; "" if nothing does."""
    pending = material.kept.pending
    if pending is None:
        return ""
    what = {"proposal": "proposal", "question": "question", "save": "offer to save"}[pending.kind]
    text = f"**Pending {what}** (to: “{_short(pending.asked)}”): {_short(pending.message)}"
    text += "".join(f"\n**Amended**: {_short(words)}" for words in pending.amendments)
    text += f"\n**Devices now**: {', '.join(pending.devices)}" if pending.devices else ""
    text += f"\n**Taken out**: {', '.join(pending.excluded)}" if pending.excluded else ""
    return text + ("\n**The user has just agreed to it.**" if material.approved else "")


def _line(entity: Entity, with_reason: bool) -> str:
    flag = f" [{entity.flag}]" if entity.flag else ""
    reason = f" — *{one_line(entity.retained)}*" if with_reason else ""
    return f"- `{entity.ref}`: {one_line(entity.label)} ({entity.type}){flag}{reason}"


def _note_line(note: str) -> str:
    return as_content(_without_paths(" ".join(note.split())))


def _quoted(text: str) -> str:
    """Return the user's words so that no line of them can look like one of ours."""
    return as_content(_without_paths(text)).strip().replace("\n", "\n> ")


def _without_paths(text: str) -> str:
    """Return `text` with the last name of each path alone: where files lie is nothing to plan by.

    >>> _without_paths("`/home/me/data/run.log` and 20/30 °C/min, C:\\\\data\\\\b.csv, 10.1.1.47/logs")
    '`run.log` and 20/30 °C/min, b.csv, 10.1.1.47/logs'
    """
    return _PATH.sub(lambda hit: re.split(r"[/\\]", hit[0].rstrip("/\\"))[-1], text)


def _short(text: str) -> str:
    return _quoted(text if len(text) <= PENDING_CHARS else text[: PENDING_CHARS - 1] + "…")


def _filled(context: str, history: str, task: str) -> str:
    """Return the template with its three placeholders filled, all at once: no text can fill another's."""
    values = {"session_context": context, "conversation_history": history, "immediate_task": task}
    return re.sub(rf"\{{({'|'.join(values)})\}}", lambda match: values[match[1]], TEMPLATE)


ASKED_FOR = "kept on the user's request"
IN_VIEW = "the device in view"
LAST_LOG = "the log last read"
WAITS = "waits for the user's answer"
_KEEP = r"\b(?:keep|remember|retain|hold on to|don'?t forget)\b|記住|记住|保留|記得|记得|別忘|别忘"
_LET_GO = r"(?<!don't )(?<!dont )\b(?:forget|drop|release|let go of)\b|(?<!別)(?<!别)忘掉|忘了|不用保留|放掉"


def reasons(
    entities: Sequence[Entity], question: str, pending: Pending | None, state: Mapping[str, object]
) -> dict[str, str]:
    """Return ref → why it is kept, of the `entities` that are.

    question  "keep log_1 in mind" keeps it until "forget log_1"
    state     of the diagnosis: `device_name`, `last_log_file`
    """
    named = set(refs_in(question))
    kept = {entity.ref for entity in entities if entity.retained == ASKED_FOR}
    if re.search(_LET_GO, question.casefold()):
        kept -= named
    elif re.search(_KEEP, question.casefold()):
        kept |= named
    why: dict[str, str] = {}
    waiting = set(refs_in(f"{pending.message}\n{pending.ref}")) if pending else set()
    for entity in entities:
        if entity.ref in kept:
            why[entity.ref] = ASKED_FOR
        elif entity.ref in waiting:
            why[entity.ref] = WAITS
        elif entity.type == "device" and entity.link["device"] == state.get("device_name"):
            why[entity.ref] = IN_VIEW
        elif entity.type == "log" and entity.link["log"] == state.get("last_log_file"):
            why[entity.ref] = LAST_LOG
    return why
