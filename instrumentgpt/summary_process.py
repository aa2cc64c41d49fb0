"""The program that writes one background summary: `python -m instrumentgpt.summary_process DATABASE JOB`."""

import signal
import sys
import threading
from contextlib import closing
from pathlib import Path


def main(database_path: Path, job_id: str) -> int:
    """Do the job; return 0, whatever became of it: that is in the database."""
    for name in ("pandas", "numpy"):  # as in turn_process: nothing here needs them
        sys.modules[name] = None  # type: ignore[assignment]  # Python's own way to say "not installed"
    import db
    from instrumentgpt.background import summarise

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with closing(db.connect(database_path)) as database:
        summarise(database, job_id, stop.is_set)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
