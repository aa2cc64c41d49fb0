"""The interview as a turn: the message is taken in; then the next question, the summary, or the document.

An agent's prompt is the rules (prompt.md) with the state in them, a view of the talk, the newest words.
"""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from string import Template

import db
import memory
from instrumentgpt import moments
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Event, Events, Text
from instrumentgpt.agents.registry import installed
from instrumentgpt.instruments.devices import resolve
from instrumentgpt.memory.budget import within
from instrumentgpt.memory.filtering import as_content, without_tags
from instrumentgpt.memory.reading.own_words import quoted
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.asking import Journal, Want, ask_for
from instrumentgpt.modes.contracts import BadReply
from instrumentgpt.modes.interview import replies, say, statement, texts
from instrumentgpt.modes.interview.persona import CLEAR, faults_of, shaped
from instrumentgpt.modes.interview.replies import GAPS, Interview, Note
from instrumentgpt.modes.interview.statement import About, template_label
from instrumentgpt.modes.prompting import LANGUAGES, question_within, task
from instrumentgpt.modes.state import read_state, save_state
from instrumentgpt.storage.panels import WHOLE, Key
from instrumentgpt.turn.record import record_question
from instrumentgpt.turn.turn import Turn

TASKS = Path(__file__).with_name("tasks.md")
MAX_HISTORY_MESSAGES = 14  # seed 000
FIRST, LAST = 2, 8  # seed 000: what brought the context, and the recent ones
REMINDER_INTERVAL = 5  # turns, seed 000
REMINDED_GAPS = 3  # seed 000
MARGIN = 0.9  # of the budget: what an estimate of tokens may be off by (0010-tokens-are-estimated.md)
RULES_SHARE = 0.7  # of the budget, for the rules with what is gathered
SHOWN = ((8, 200), (4, 150), (2, 120), (1, 60), (1, 20))  # newest lines of a slot, characters of each
BRIEF_CHARS = 600  # of what the compacted view says was gathered

Utterance = tuple[str, str]  # speaker, text


def compacted(messages: Sequence[Utterance], gathered: str) -> list[Utterance]:
    """Return `messages`, or of more than 14 the first 2, one bracketed line of what was gathered, the last 8.

    >>> len(compacted([("User", "a")] * 14, "x")), len(compacted([("User", "a")] * 15, "x"))
    (14, 11)
    """
    if len(messages) <= MAX_HISTORY_MESSAGES:
        return list(messages)
    line = f"[Previous discussion summarized - gathered: {' '.join(gathered.split())}]"
    return [*messages[:FIRST], ("Assistant", line), *messages[-LAST:]]


def build_prompt(
    now: Interview,
    words: str,
    history: Sequence[Utterance],
    about: About,
    budget: int,
    slot: str = "",
    fault: str = "",
    context: str = "",
) -> str:
    """Return the whole prompt, within `budget` tokens.

    words    the user's newest message, or what stands for it where it is too long
    history  (speaker, text) of the interview before it, oldest first; a view of it goes in
    slot     the one that the newest message was to fill
    fault    what was wrong with the reply before, where it is asked for again
    context  the state of the instrument and what the conversation has on record, as lines
    """
    again = task(TASKS, "again", fault=_one_line(fault)) if fault else ""
    last = "\n\n".join(filter(None, (reminder(now), again, task(TASKS, "reply"))))
    for shown in SHOWN:
        rules = system_prompt(now, about, slot, shown)
        if count_tokens(rules) <= int(RULES_SHARE * budget):
            break
    room = int(MARGIN * budget) - count_tokens(rules) - count_tokens(last) - 4
    gathered = "; ".join(f"{slot}: {' | '.join(lines)}" for slot, lines in now.lines.items())
    view = compacted(history, shorten(_one_line(gathered) or "nothing yet", BRIEF_CHARS))
    sections = within(room, memory.Case(as_content(words)), context, "", (), view)
    request, *background = (section.text for section in sections)
    request = f"<current_request>\n{request}\n</current_request>"
    return "\n\n".join(filter(None, (rules, *background, request, last)))


def system_prompt(now: Interview, about: About, slot: str = "", shown: tuple[int, int] = SHOWN[0]) -> str:
    """Return the rules (prompt.md, at most 200 lines) with the state in the place of its fields.

    shown  how many newest lines of a slot are told, and how many characters of each
    """
    template = Template(Path(__file__).with_name("prompt.md").read_text(encoding="utf-8").strip())
    count, most = shown
    newest = {slot: [shorten(line, most) for line in lines[-count:]] for slot, lines in now.lines.items()}
    closed = ", ".join(f"{GAPS[gap]} ({how})" for gap, how in now.left.items() if gap in GAPS)
    return template.substitute(
        language=LANGUAGES[about.language], phase=now.phase, turn=now.turn, guidance=task(TASKS, now.phase),
        phase_number=replies.PHASES.index(now.phase) + 1, asked=GAPS.get(slot, slot or "nothing yet"),
        template=_one_line(template_label(about.template, "en")),
        target=_one_line(about.title) or "chosen later",
        gathered=without_tags(json.dumps(newest, ensure_ascii=False)),
        gaps="\n".join(f"{n}. {GAPS[gap]}" for n, gap in enumerate(now.gaps, 1)) or "none",
        left_open=f"Left open, do not ask again: {closed}\n" if closed else "",
        instrument=_one_line(about.device) or "not known yet which one it is",
    )  # fmt: skip


def reminder(now: Interview) -> str:
    """Return the reminder of turns 5, 10, 15, …; "" at others. It is rendered here, and stored nowhere."""
    if not now.turn or now.turn % REMINDER_INTERVAL:
        return ""
    gaps = ", ".join(GAPS[gap] for gap in now.gaps[:REMINDED_GAPS]) or "none"
    return task(TASKS, "reminder", phase=now.phase, gaps=gaps)


def _one_line(text: str) -> str:
    return without_tags(" ".join(text.split()))


TASK = "interview"
CONTEXT_SHARE = 0.3  # of the budget, for what is known of the instrument
NOTE = ("slot", "words", "replaces")  # fields of a note that an agent files
RECORD = ("diagnostic_context", "device_history", "notes")  # what of the memory's prompt goes into ours


@dataclass(frozen=True)
class Case:
    """One turn of an interview.

    before    what was gathered before the newest message, `slot` the one that this one answers
    messages  those of the interview, the newest last
    """

    turn: Turn
    kept: statement.Interviews
    messages: list[db.Message]
    before: Interview
    slot: str
    about: statement.About

    @property
    def user_messages(self) -> list[str]:
        """What the user has said in the interview."""
        return [message.content for message in self.messages if message.role == "user"]


def interview(turn: Turn) -> Events:
    """Take in the user's message, and ask on, show the summary, or save what was approved."""
    turn.learns_from_words = False  # it repeats what the user said: nothing was concluded
    case = _open_case(turn)
    record_question(*turn.where, turn.question, memory.device_key(turn.state), turn.inventory)
    answer = approval(case.turn.question.content) if case.slot == replies.SUMMARY else None
    if answer == "yes":
        try:
            reply = statement.save_statement(turn, case.before, case.about)
        except statement.StatementNotSaved:
            _keep(case, replies.SUMMARY, Interview())
            raise
    elif answer == "no":
        _keep(case, replies.SUMMARY, Interview())
        reply = say("what_else", case.about.language)
    else:
        reply = yield from _gone_on(case)
    yield Text(reply, whole=True)


def _open_case(turn: Turn) -> Case:
    """Return the case of this turn; its first message begins an interview."""
    kept = read_state(*turn.where, TASK, statement.Interviews)
    choices = statement.read_choices(*turn.where)
    exchanged = statement.exchanges(*turn.where, kept)
    messages = [message for message in exchanged if message.id <= turn.question.id]
    words = "\n".join(message.content for message in messages if message.role == "user")
    unknown = resolve(words, turn.inventory).unknown  # an instrument that the inventory lacks
    device = memory.device_key(turn.state) or next(reversed(unknown), "")
    template = choices.get("template", "")
    template = template if template in statement.templates(turn.home()) else statement.DEFAULT
    language, today = statement.language_of_talk(messages), moments.today().isoformat()
    named = " ".join(filter(None, (statement.template_label(template, language), device, today)))
    about = statement.About(device, today, choices.get("target") or named, language, template)
    return Case(turn, kept, messages, *statement.interview_of(messages[:-1], kept), about)


def _gone_on(case: Case) -> Generator[Event, None, str]:
    """Take in the message, by an agent's notes or by rule, and return the next reply."""
    now = replies.after_reply(case.before, case.turn.question.content, case.slot)
    by_rule = installed(case.turn.run.agent, case.turn.settings) == "offline"
    if by_rule or (now.phase == replies.PHASES[-1] and now.want in ("enough", "form")):
        return _shown(case, now) if now.phase == replies.PHASES[-1] else _own(case, now)

    def read(reply: str) -> str:
        is_summary = _gathered(case).phase == replies.PHASES[-1]  # is shown next, whatever the reply is
        if faults := () if is_summary else faults_of(reply, case.about.language, context, earlier):
            raise BadReply("; ".join(faults))
        return reply

    earlier = [message.content for message in case.messages if message.role == "assistant"]
    context = f"{' '.join(case.user_messages)} {case.about.device} {_record(case)}"
    filed = {"filed": [line for lines in case.before.lines.values() for line in lines]}
    again = partial(_prompt, case)
    want = Want(Key(WHOLE, TASK), _prompt(case), filed, read, read_only=True, again=again)
    reply = yield from ask_for(Journal(case.turn), want)
    if reply.failure:
        yield reply.failure
    now = _gathered(case)
    if now.phase == replies.PHASES[-1]:
        return _shown(case, now)
    if reply.content is None:
        return _own(case, now)
    _keep(case, now.gap, now)
    return _confirmed(case, now, shaped(reply.content))


def _gathered(case: Case) -> Interview:
    """Return the interview with what the agent has filed so far; one that never files is no reader."""
    notes = _noted(case) or ([] if case.kept.notes else None)
    return replies.after_reply(case.before, case.turn.question.content, case.slot, notes)


def _noted(case: Case) -> list[Note]:
    """Return what the agent's calls noted, as far as the words are the user's own."""
    rows = [result.get("noted") for name, result in case.turn.results if name == "note"]
    named = ([str(row.get(name) or "") for name in NOTE] for row in rows if isinstance(row, dict))
    notes = [Note(*fields) for fields in named if fields[0] in replies.SLOTS]
    return [note for note in notes if any(quoted(note.words, text) for text in case.user_messages)]


def _confirmed(case: Case, now: Interview, reply: str) -> str:
    """Return the reply; where something was corrected or left open, its first line says so."""
    if not any(note.replaces for note in now.new) and not (set(now.left) - set(case.before.left)):
        return reply
    corrected = replies.clear(now, case.slot, case.about.language)
    return f"{CLEAR} {corrected}\n\n{reply.partition(chr(10) * 2)[2]}"


def _own(case: Case, now: Interview) -> str:
    """Return our own next question."""
    _keep(case, now.gap, now)
    return replies.own_reply(now, case.slot, case.about.language, case.about.device)


def _shown(case: Case, now: Interview) -> str:
    """Return the summary, and the question whether it is right."""
    _keep(case, replies.SUMMARY, now)
    yes = texts("offers")["yes"][case.about.language]
    case.turn.offers.append(db.Offer(yes, yes, TASK))
    heading = "summary" if case.slot != replies.SUMMARY else "amended" if now.new else "unsaved"
    confirmed = replies.clear(now, case.slot, case.about.language)
    opening = say(heading, case.about.language, target=case.about.title, clear=confirmed)
    return "\n\n".join((opening, statement.summary(now, case.about), say("approve", case.about.language)))


def _keep(case: Case, slot: str, now: Interview) -> None:
    """Keep what the answer of this turn asks for, and what was noted, together with the answer."""

    def store(message_id: int) -> None:
        kept = replace(case.kept, asked={**case.kept.asked, str(message_id): slot})
        if now.noted is not None:
            rows = [[note.slot, note.words, note.replaces] for note in now.noted]
            kept = replace(kept, notes={**kept.notes, str(case.turn.question.id): rows})
        save_state(*case.turn.where, TASK, kept)

    case.turn.also_saved.append(store)


def _record(case: Case) -> str:
    """Return what is on record of the instrument and in the conversation, as the lines of a prompt."""
    turn = case.turn
    budget = max(400, int(CONTEXT_SHARE * turn.settings.prompt_tokens))
    asked = case.about.device or "?"  # a name alone asks for its root causes
    prompt = replace(turn, summary="").composed(asked, budget)
    record = [part.text for part in prompt.sections if part.name in RECORD]
    return "\n".join(line for text in record for line in text.split("\n")[1:-1])


def _prompt(case: Case, fault: str = "") -> str:
    """Return what the agent is told; `fault`: what was wrong with its reply before."""
    turn, budget = case.turn, case.turn.settings.prompt_tokens
    history: list[Utterance] = [
        ("User" if message.role == "user" else "Assistant", memory.filter_content(message.content))
        for message in case.messages[:-1]
    ]
    words = question_within(turn, budget // 2)
    now = replies.after_reply(case.before, case.turn.question.content, case.slot, _noted(case))
    return build_prompt(now, words, history, case.about, budget, case.slot, fault, _record(case))
