"""How well interviews are filed: eight transcripts of vague, jumping, contradicting people (interviews.toml).

They were written by somebody who read no code. `python -m bench.interviews [first|last|fresh]` prints rates.
With a model: it calls `note` as an attentive person would, through the real tool with its checks.
Without: each reply is read by rule, for the slot that the transcript says was asked.
"""

import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.tools.notes import note
from instrumentgpt.instruments.workspace import workspace
from instrumentgpt.memory.reading.own_words import has_words
from instrumentgpt.modes.interview.replies import SLOTS, SUMMARY, Interview, Lines, Note, after_reply

TRANSCRIPTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["interview"]
FRESH = Path(__file__).with_name("interviews_fresh.toml")  # looked at by nobody: only its rates are read
HALVES = {"first": TRANSCRIPTS[:4], "last": TRANSCRIPTS[4:], "all": TRANSCRIPTS}  # the last are kept unseen


def with_model(transcript: Mapping[str, Any], folder: Path) -> tuple[Lines, list[str]]:
    """Return what is gathered where a model calls `note` as the transcript says, and what was refused."""
    path = folder / f"{transcript['id']}.db"
    database = db.connect(path)
    conversation = db.create_conversation(database)
    place = workspace(database=str(path), conversation=conversation)
    now, refused = Interview(), []
    for turn in transcript["turn"]:
        db.add_message(database, conversation, "user", turn["reply"])
        filed = [line for lines in now.lines.values() for line in lines]
        notes = []
        for row in turn["notes"]:
            if row["slot"] == "approval":
                continue
            try:
                notes.append(Note(**note(place, **row, filed=filed)["noted"]))
                filed.append(row["words"])
            except InstrumentGPTError as problem:
                refused.append(str(problem))
        now = after_reply(now, turn["reply"], _asked(turn), notes)
    database.close()
    return now.lines, refused


def slots_right(lines: Lines, final: Mapping[str, Sequence[str]]) -> dict[str, bool]:
    """Return slot → whether it holds what it must and nothing else, for those that hold or must hold any."""
    return {
        slot: len(held := lines.get(slot, ())) == len(wanted := final.get(slot, ()))
        and all(any(_same(line, text) for line in held) for text in wanted)
        for slot in SLOTS
        if slot in lines or slot in final
    }


def asked_slots_right(transcript: Mapping[str, Any]) -> list[tuple[str, bool, bool]]:
    """Return (reply, whether it answers, whether it is filed rightly) of each reply to a question for a slot.

    Right is: what a person would file there stands there; and nothing where nothing is to be filed.
    """
    now, found = Interview(), []
    for turn in transcript["turn"]:
        asked = _asked(turn)
        before = now.lines.get(asked, ())
        now = after_reply(now, turn["reply"], asked)
        if asked == SUMMARY:
            continue
        rows = [row for row in turn["notes"] if row["slot"] == asked]
        held = now.lines.get(asked, ())
        filed = all(any(has_words(line, row["words"]) for line in held) for row in rows)
        filed = filed and not any(row["replaces"] and _stands(held, row["replaces"]) for row in rows)
        found.append((turn["reply"], bool(rows), filed if rows else held == before))
    return found


def _asked(turn: Mapping[str, Any]) -> str:
    return {"": "description", "approval": SUMMARY}.get(turn["asked"], str(turn["asked"]))


def _same(one: str, other: str) -> bool:
    return has_words(one, other) and has_words(other, one)


def _stands(lines: Sequence[str], words: str) -> bool:
    return any(has_words(line, words) for line in lines)


def main(half: str = "all", shown: bool = False) -> dict[str, float]:
    """Print and return the rates of a half of the transcripts."""
    slots: list[bool] = []
    asked: list[tuple[str, bool, bool]] = []
    refusals = 0
    with tempfile.TemporaryDirectory() as folder:
        fresh = half == "fresh"
        told = tomllib.loads(FRESH.read_text(encoding="utf-8"))["interview"] if fresh else HALVES[half]
        for transcript in told:
            lines, refused = with_model(transcript, Path(folder))
            right = slots_right(lines, transcript["final"])
            replies = asked_slots_right(transcript)
            slots, asked, refusals = slots + list(right.values()), asked + replies, refusals + len(refused)
            if shown:
                print(transcript["id"], [slot for slot in right if not right[slot]], *refused, sep="\n  ")
                print(*(reply for reply, _, filed in replies if not filed), sep="\n  no: ")
    rates = {
        "slots_with_model": sum(slots) / len(slots),
        "asked_without": sum(filed for *_, filed in asked) / len(asked),
    }
    answers = [filed for _, answers, filed in asked if answers]
    print(
        f"{half}: with a model {sum(slots)} of {len(slots)} slots right ({refusals} notes refused);", end=" "
    )
    print(
        f"without {sum(filed for *_, filed in asked)} of {len(asked)} asked slots right, where the reply",
        end=" ",
    )
    print(f"answers what was asked {sum(answers)} of {len(answers)}")
    return rates


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "all", shown="first" in sys.argv)
