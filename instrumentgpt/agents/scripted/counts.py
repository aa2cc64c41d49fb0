"""How often each answer of a script was reached, across the processes of one conversation."""

import fcntl
import json
from collections.abc import Callable
from pathlib import Path

FILE = ".scripted-agent.json"  # in the folder where the agent works: one per conversation


def counter(folder: Path, digest: str) -> Callable[[int], int]:
    """Return a function that counts for answer `number` and returns the count, from 1, kept in `folder`.

    digest  of the script: another script, or a changed one, is counted anew
    """

    def count(number: int) -> int:
        with (folder / FILE).open("a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # experts of a panel may be asked at the same time
            file.seek(0)
            counts = _counts(file.read(), digest)
            counts[str(number)] = reached = counts.get(str(number), 0) + 1
            file.seek(0)
            file.truncate()
            json.dump({"script": digest, "counts": counts}, file)
        return reached

    return count


def _counts(text: str, digest: str) -> dict[str, int]:
    """Return the counts in `text`, which may be of another script, or of none."""
    try:
        kept = json.loads(text)
        return dict(kept["counts"]) if kept["script"] == digest else {}
    except (ValueError, KeyError, TypeError):
        return {}
