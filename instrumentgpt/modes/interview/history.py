"""The conversation as an interview's prompt shows it: a view, nothing stored is cut."""

from collections.abc import Sequence

MAX_HISTORY_MESSAGES = 14  # seed 000
FIRST, LAST = 2, 8  # seed 000: what brought the context, and the recent ones

Said = tuple[str, str]  # speaker, text


def compacted(messages: Sequence[Said], gathered: str) -> list[Said]:
    """Return `messages`, or of more than 14 the first 2, one bracketed line, and the last 8.

    gathered  what the line says was gathered; what the messages between said is in it

    >>> len(compacted([("User", "a")] * 14, "x")), len(compacted([("User", "a")] * 15, "x"))
    (14, 11)
    >>> compacted([("User", str(n)) for n in range(15)], "it drifts")[2]
    ('Assistant', '[Previous discussion summarized - gathered: it drifts]')
    """
    if len(messages) <= MAX_HISTORY_MESSAGES:
        return list(messages)
    line = f"[Previous discussion summarized - gathered: {' '.join(gathered.split())}]"
    return [*messages[:FIRST], ("Assistant", line), *messages[-LAST:]]
