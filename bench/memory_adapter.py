"""Our memory, as the scorer of instrument conversations wants it: through real turns on a real database.

python PATH/TO/memory_score.py bench/memory_adapter.py 2000 4000
"""

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

import db
import memory
from instrumentgpt.agents.events import Text
from instrumentgpt.storage.history import history
from instrumentgpt.storage.runs import start_run
from instrumentgpt.turn.process import leave_imports
from instrumentgpt.turn.turn import Turn, open_turn

AGENT = "offline"  # who would be asked; nobody is
leave_imports()  # as the process of a turn does once it has them


class _Probed(Exception):
    """Raised to roll a probe back."""


class Memory:
    """One conversation in a database of its own."""

    def __init__(self, budget: int) -> None:
        os.environ["INSTRUMENTGPT_PROMPT_TOKENS"] = str(budget)
        self.folder = TemporaryDirectory(prefix="memory-bench-")
        self.database = db.connect(Path(self.folder.name) / "bench.db")
        self.conversation = db.create_conversation(self.database)
        self.turn: Turn | None = None
        self.seconds = 0.0  # of CPU that the last prompt took

    def add(self, role: str, text: str) -> None:
        """Store a message as a turn does: a question makes a prompt, an answer is remembered."""
        if role == "user":
            self.turn = self._asked(text)
            self.turn.prompt(AGENT)
        elif self.turn is not None:
            self.turn.take(Text(text))
            self.turn.save("ok")

    def prompt(self, question: str) -> str:
        """Return the prompt that a turn with this question would send; the turn is rolled back."""
        try:
            with db.transaction(self.database):
                turn = self._asked(question)
                started = time.process_time()
                told = turn.prompt(AGENT)
                self.seconds = time.process_time() - started
                raise _Probed
        except _Probed:
            return told

    def built(self, question: str) -> str:
        """Return what `build_prompt` makes of the stored messages, the state and the summary."""
        summary, state = db.get_memory(self.conversation, self.database)
        messages = history(self.database, self.conversation)
        known = memory.DiagnosticState.deserialize(state)
        return memory.build_prompt(question, messages, known, summary, True)[0]

    def store(self, text: str) -> int:
        """Store and index one message of a user, and nothing else; return its id."""
        return db.add_message(self.database, self.conversation, "user", text)

    def take_back(self, message_id: int) -> None:
        """Delete a message that was only stored."""
        db.delete_turn(self.database, message_id)

    @property
    def size(self) -> int:
        """The bytes of the database, with what is not yet merged into its file."""
        path = Path(self.folder.name) / "bench.db"
        return sum(one.stat().st_size for one in path.parent.glob("bench.db*"))

    def _asked(self, question: str) -> Turn:
        message = db.add_message(self.database, self.conversation, "user", question)
        run = start_run(self.database, self.conversation, AGENT, "chat", message)
        return open_turn(self.database, run)

    def __del__(self) -> None:
        self.database.close()
        self.folder.cleanup()


def make(budget: int) -> Memory:
    """Return the memory of a new conversation whose prompts have at most `budget` tokens."""
    return Memory(budget)
