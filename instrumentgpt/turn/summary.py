"""The summary written by the agent that answers: a run of its own after the turn, of kind "summary".

It is in nobody's way: answers do not wait for it, it waits for them.
What it writes replaces the rules' summary only if it is complete, keeps every number, log and device,
adds none, and the messages that it stands for are still those that the summary holds.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.agents.events import Done, Events, Failure, Text
from instrumentgpt.agents.process import Request
from instrumentgpt.agents.registry import choose, installed, model_for
from instrumentgpt.instruments.conversation import nicknamed
from instrumentgpt.instruments.devices import load_inventory, spoken_names
from instrumentgpt.memory.agent_summary import objection, one_line, summary_prompt
from instrumentgpt.memory.filtering import filter_content
from instrumentgpt.memory.summary import Entry, parse, render, speaker_of, write
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.history import history
from instrumentgpt.storage.runs import Run, list_runs, live_run
from instrumentgpt.turn.ask import replied, started
from instrumentgpt.turn.close import end_summary, events_of

NEW_EXCHANGES = 2  # that the rules have summarised since the agent did
POLL = 0.2  # s


def agent_wanted(database: Database, conversation_id: str) -> str | None:
    """Return which agent is to summarise the conversation now; None if none is wanted or too little is new.

    New since it was asked last, whether its answer was taken or not: a refused one costs, too.
    The offline analyst writes none: the rules' summary is what it would say.
    """
    settings = settings_in_force(db.get_settings(database))
    if not settings.background_summary:
        return None
    agent = installed(settings.agent, settings)
    whole = covering(_entries(database, conversation_id))
    if agent in ("", "offline") or whole is None or whole.count < 2 * NEW_EXCHANGES:
        return None
    earlier = list_runs(database, conversation_id, kind="summary")
    asked_at = next((run.started_at for run in earlier if run.status != "died"), 0.0)
    messages = db.list_messages(database, conversation_id, last=2 * NEW_EXCHANGES)
    new = [message for message in messages if message.role == "user" and message.created_at > asked_at]
    return agent if len(new) >= NEW_EXCHANGES else None


def _entries(database: Database, conversation_id: str) -> list[Entry]:
    return parse(db.get_memory(conversation_id, database)[0])


def covering(entries: Sequence[Entry]) -> Entry | None:
    """Return an entry without text that holds all messages of the entries; None where one has no ids."""
    if not entries or any(row.first is None for row in entries):
        return None
    return Entry("", entries[0].first, entries[-1].last, sum(row.count for row in entries))


def summarise(database: Database, run: Run, stopped: Callable[[], bool]) -> Events:
    """Yield the events of a summary: ask the agent, check what it says, put it in place or say why not.

    Its Done is "ok" if it took the place of the rules' lines, and "no-result" if it may not.
    """
    began, settings = time.monotonic(), settings_in_force(db.get_settings(database))
    entries = _entries(database, run.conversation_id)
    record = _record(database, run.conversation_id, entries)
    prompt = summary_prompt(render(entries), record, settings.prompt_tokens)
    reply, text, note = Done("ok", ""), "", "the record is too long for the budget of a prompt"
    if prompt:
        agent, program = choose(run.agent, settings)
        with tempfile.TemporaryDirectory(prefix="summary-") as folder:  # it reads only, in an empty folder
            request = Request(prompt, Path(folder), model=model_for(agent, settings))
            events = started(run.id, settings, stopped, agent, program, request)
            reply = yield from replied((event for event in events if not isinstance(event, Text)), segment=0)
        text = one_line(reply.text)
        devices = spoken_names(nicknamed(database, run.conversation_id, load_inventory(settings.inventory)))
        note = objection(render(entries), "\n".join(record), text, devices)
    if reply.outcome == "ok" and not note:  # once no answer of the conversation is being written
        deadline = began + settings.total_seconds
        while (note := put_in_place(database, run.conversation_id, entries, text)) and (
            live_run(database, run.conversation_id) and not stopped() and time.monotonic() < deadline
        ):
            time.sleep(POLL)
    outcome = reply.outcome if reply.outcome != "ok" or not note else "no-result"
    if outcome == "no-result":
        yield Failure(outcome, note)
    yield from end_summary(database, run.id, Done(outcome, text, time.monotonic() - began, dict(reply.usage)))


def _record(database: Database, conversation_id: str, entries: Sequence[Entry]) -> list[str]:
    """Return the messages that are summarised, those that the agent has summarised before as it did."""
    written = {done.text for done, _ in past_summaries(database, conversation_id) if done.outcome == "ok"}
    messages = history(database, conversation_id)
    lines: list[str] = []
    for entry in entries:
        if entry.text in written:
            lines.append(entry.text)
            continue
        held = (messages[place] for place, name in enumerate(messages.ids) if entry.holds(name))
        lines += [f"{speaker_of(row['role'])}: {filter_content(row['content']).strip()}" for row in held]
    return lines


def past_summaries(database: Database, conversation_id: str) -> list[tuple[Done, str]]:
    """Return how each summary that has ended did, and why it was not taken; the newest first."""
    summaries: list[tuple[Done, str]] = []
    for run in list_runs(database, conversation_id, kind="summary"):
        note = ""
        for event in events_of(database, run.id):
            note = event.text if isinstance(event, Failure) else note
            summaries += [(event, note)] if isinstance(event, Done) else []
    return summaries


def put_in_place(database: Database, conversation_id: str, replaced: Sequence[Entry], text: str) -> str:
    """Put `text` in place of the entries that it stands for; return "", or why that was not done.

    Nothing changes unless exactly these messages are summarised still, and no question is being answered:
    its turn would save the summary as it was when it began.
    """
    with db.transaction(database):
        if live_run(database, conversation_id):
            return "the conversation was being answered"
        summary, state = db.get_memory(conversation_id, database)
        entries, whole = parse(summary), covering(replaced)
        for end in range(1, len(entries) + 1):  # it holds the oldest messages
            if whole and covering(entries[:end]) == whole:
                kept = write([replace(whole, text=text), *entries[end:]])
                db.update_memory(conversation_id, kept, state, database)
                return ""
        return "its messages were merged with newer ones or deleted meanwhile"
