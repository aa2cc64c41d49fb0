"""The program that does one run, a turn or a summary: `python -m instrumentgpt.turn.process DATABASE RUN`."""

import gc
import logging
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import db
from instrumentgpt.storage.connection import UnknownRun
from instrumentgpt.storage.runs import get_run
from instrumentgpt.turn.runs import answer, start_summary
from instrumentgpt.turn.turn import run_folder

GARBAGE_AFTER = 50_000  # new objects: a prompt makes about as many, and hardly any of them is garbage


def main(arguments: Sequence[str]) -> int:
    """Do the run; return 0, whatever its outcome: it is in the database. A summary may follow a turn."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    database_path, run_id = Path(arguments[0]), arguments[1]
    leave_imports()
    signals: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: signals.append(number))
    with (
        closing(db.connect(database_path)) as database,
        suppress(UnknownRun),
    ):  # deleted with its conversation
        for _ in answer(database, run_id, lambda: bool(signals)):
            pass
        if (run := get_run(database, run_id)).kind == "turn":
            start_summary(database, run.conversation_id)
    folder = run_folder(database_path, run_id)
    if not (folder / "turn.log").exists() or not (folder / "turn.log").stat().st_size:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def leave_imports() -> None:
    """Let searches for garbage be few, and leave alone what was imported: one takes 20 to 60 ms with it."""
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
