"""Errors that log lines report."""

import re

ERROR_CHARS = 160  # of a log line's message
_ERROR_LINE = re.compile(
    r"^[ \t>]*\[?(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)[.,\d]*\]?[^\n\w]{0,5}(?:\w{1,20}[^\n\w]{1,5})?"
    r"(?P<message>(?:ERROR|FATAL|CRITICAL|ALARM|FAULT)\b[^\n]{1,400})",
    re.M,
)


def errors_in(text: str) -> list[tuple[str, str]]:
    """Return (time, message) of the log lines in `text` that report an error, each message once.

    >>> errors_in("[2026-02-19 23:40:53] INFO ok\\n[2026-02-19 23:40:54] ERROR E-4071 valve stuck")
    [('2026-02-19 23:40:54', 'ERROR E-4071 valve stuck')]
    """
    found: dict[str, str] = {}
    for line in _ERROR_LINE.finditer(text):
        found.setdefault(" ".join(line["message"].split())[:ERROR_CHARS], line["time"])
    return [(time, message) for message, time in found.items()]
