"""The interview as a turn: the message is taken in; then the next question, the summary, or the document."""

from collections.abc import Generator
from dataclasses import replace

import memory
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Done, Event, Events, Text, Tick
from instrumentgpt.agents.offline.interview import reply as own_reply
from instrumentgpt.modes.interview.case import Case, memory_context, open_case, told_of
from instrumentgpt.modes.interview.gathered import PHASES
from instrumentgpt.modes.interview.hearing import SUMMARY
from instrumentgpt.modes.interview.history import Said
from instrumentgpt.modes.interview.persona import faults_of, shaped
from instrumentgpt.modes.interview.prompt import Setting, build_prompt
from instrumentgpt.modes.interview.saving import StatementNotSaved, save_statement
from instrumentgpt.modes.interview.statement import summary
from instrumentgpt.modes.interview.stored import save_kept
from instrumentgpt.modes.interview.templates import templates
from instrumentgpt.modes.interview.words import say, words
from instrumentgpt.storage.conversations import Offer
from instrumentgpt.turn.ask import Reply, ask, replied
from instrumentgpt.turn.prompt import keep_long_request, request_file
from instrumentgpt.turn.record import record_question
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import Turn, failed

TASK = "interview"
ASKINGS = 2  # of the agent for one reply: seed 000, "re-asked once"


def interview(turn: Turn) -> Events:
    """Take in the user's message, and ask on, show the summary, or save what was approved."""
    turn.learns_from_words = False  # it repeats what the user said: nothing was concluded
    case = open_case(turn)
    scope = memory.device_key(turn.state), turn.inventory
    record_question(turn.database, turn.run.conversation_id, turn.question, *scope)
    told: str | Reply
    answer = approval(case.words) if case.asked == SUMMARY else None
    if answer == "yes":
        try:
            told = save_statement(case)
        except StatementNotSaved as error:
            _keep_asked(case, SUMMARY)
            yield from failed(error)
            return
    elif answer == "no":
        told = _refused(case)
    elif case.interview.phase == PHASES[-1]:
        told = _shown(case)
    else:
        told = yield from _asked_on(case)
    if isinstance(told, Reply):
        yield Done(told.outcome, told.text)
        return
    yield Text(told, whole=True)
    yield Done("ok", told)


def _keep_asked(case: Case, asked: str) -> None:
    """Keep what the answer of this turn asks for, together with the answer."""

    def store(message_id: int) -> None:
        kept = replace(case.kept, asked={**case.kept.asked, str(message_id): asked})
        save_kept(case.turn.database, case.turn.run.conversation_id, kept)

    case.turn.also_saved.append(store)


def _refused(case: Case) -> str:
    _keep_asked(case, SUMMARY)
    return say("what_else", case.language)


def _shown(case: Case) -> str:
    """Return the summary, and the question whether it is right."""
    _keep_asked(case, SUMMARY)
    offers = words("offers")
    case.turn.offers.append(Offer(offers["yes"][case.language], offers["yes"][case.language], TASK))
    again = case.asked == SUMMARY
    heading = "amended" if again and case.interview.new else "unsaved" if again else "summary"
    opening = say(heading, case.language, target=case.about.title)
    return "\n\n".join((opening, summary(case.interview, case.about), say("approve", case.language)))


def _asked_on(case: Case) -> Generator[Event, None, str | Reply]:
    """Ask the agent for the next reply until it is an interviewer's; else return our own question."""
    turn, fault = case.turn, ""
    told = told_of(case)
    said = " ".join(message.content for message in case.messages if message.role == "user")
    said = f"{said} {case.device} {memory_context(case)}"
    for asking in range(ASKINGS):
        prompt = _prompt(case, fault)
        reply = yield from replied(ask(turn, Asking(TASK, prompt, told, read_only=True)))
        if reply.outcome == "cancelled":
            return reply
        faults = faults_of(reply.text, case.language, said)
        if not faults:
            _keep_asked(case, case.interview.gap)
            return shaped(reply.text)
        if reply.outcome != "ok":
            break
        fault = "; ".join(faults)
        yield Tick(f"Reply {asking + 1} was no interviewer's: {fault}")
    _keep_asked(case, case.interview.gap)
    return own_reply(told)


def _prompt(case: Case, fault: str) -> str:
    turn, budget = case.turn, case.turn.settings.prompt_tokens
    history: list[Said] = [
        ("User" if message.role == "user" else "Assistant", memory.filter_content(message.content))
        for message in case.messages[:-1]
    ]
    asked = case.words
    if memory.is_too_long(asked, budget // 2):
        asked = memory.request_in_file(asked, request_file(asked), budget // 2)
        half = replace(turn.settings, prompt_tokens=budget // 2)
        keep_long_request(case.words, turn.workspace(), half)
    about = case.about
    label = templates(turn.home())[case.template].label("en")
    setting = Setting(case.language, case.device, memory_context(case), label, about.title)
    return build_prompt(case.interview, asked, history, setting, budget, fault)
