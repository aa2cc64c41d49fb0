"""An interview as its user has it: says words, gets answers; and agents that answer as a bad model would."""

import json
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import db
from instrumentgpt.agents.events import Done, Event, Text
from instrumentgpt.settings import database_path
from instrumentgpt.storage.answers import list_offers
from instrumentgpt.turn import runs

STUB = """#!/bin/sh
case "$*" in *--help*|*--version*) echo "usage: agent --resume --model --workspace"; exit 0;; esac
cat > "{folder}/prompt.$$"
ls "{folder}" | grep -c '^prompt' > "{folder}/count"
n=$(( ($(cat "{folder}/count") - 1) % {many} + 1 ))
cat "{folder}/reply.$n"
"""


@dataclass
class Talk:
    """A conversation in interview mode, answered by `agent`."""

    agent: str = "offline"
    conversation: str = ""
    answers: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)  # of the newest turn

    def say(self, words: str, mode: str = "interview") -> str:
        """Say `words` and return the answer as it was stored."""
        if not self.conversation:
            with closing(db.connect(database_path())) as database:
                self.conversation = db.create_conversation(database)
        told = runs.consume(database_path(), self.conversation, words, mode=mode, agent=self.agent)
        self.events = list(told)
        done = self.events[-1]
        assert isinstance(done, Done)
        self.answers.append(done.text)
        return done.text

    def shown(self) -> str:
        """Return all words that reached the page in the newest turn, also those replaced later."""
        return "\n".join(event.text for event in self.events if isinstance(event, Text))

    def offers(self) -> list[tuple[str, str, str]]:
        """Return (label, text, mode) of what the newest answer offers."""
        with closing(db.connect(database_path())) as database:
            newest = db.list_messages(database, self.conversation, last=1)[0]
            return [(one.label, one.text, one.mode) for one in list_offers(database, newest.id)]


def stub_agent(folder: Path, *replies: str) -> Path:
    """Return a program that speaks Cursor's stream and answers its prompts with `replies` in turn."""
    folder.mkdir(parents=True)
    for number, reply in enumerate(replies, 1):
        said = {"role": "assistant", "content": [{"type": "text", "text": reply}]}
        lines = [
            {"type": "system", "subtype": "init", "session_id": "s", "model": "bad model", "cwd": "."},
            {"type": "assistant", "message": said, "session_id": "s"},
            {"type": "result", "subtype": "success", "is_error": False, "result": reply, "session_id": "s"},
        ]
        written = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        (folder / f"reply.{number}").write_text(f"{written}\n", encoding="utf-8")
    program = folder / "agent"
    program.write_text(STUB.format(folder=folder, many=len(replies)), encoding="utf-8")
    program.chmod(0o755)
    return program


def prompts_of(program: Path) -> list[str]:
    """Return what `program` was asked, oldest first."""
    files = sorted(program.parent.glob("prompt.*"), key=lambda path: path.stat().st_mtime_ns)
    return [path.read_text(encoding="utf-8") for path in files]
