"""The program that writes one background summary: `python -m instrumentgpt.turn.summary_process DB JOB`."""

import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import db
from instrumentgpt.turn.background import summarise


def main(arguments: Sequence[str]) -> int:
    """Do the job; return 0, whatever became of it: that is in the database."""
    database_path, job_id = Path(arguments[0]), arguments[1]
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with closing(db.connect(database_path)) as database:
        summarise(database, job_id, stop.is_set)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
