"""What commands are given and print: words as text, and nothing in them that commands a terminal."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import IO, Any, TextIO, cast

# C0 but tab and line end, DEL, C1, what turns the direction of writing, halves of a character.
COMMANDING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PICTURES = 0x2400  # Unicode's pictures of C0, in the order of C0


def shown(text: str) -> str:
    r"""Return `text` with a visible sign for each character that commands a terminal; CR is left out.

    One character at a time, so that a sequence in two pieces is no sequence either.

    >>> shown("\x1b[2Jgone\x9b31m\u202e\r\n")
    '␛[2Jgone�31m�\n'
    """
    return COMMANDING.sub(lambda match: _sign(match[0]), text)


def escaped(line: str) -> str:
    r"""Return a line of JSON that means the same, with such characters as JSON's escapes.

    >>> escaped('"\x9b"')
    '"\\u009b"'
    """
    return COMMANDING.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def words(text: str) -> str:
    r"""Return an argument as text, for argparse: bytes that are no UTF-8 become U+FFFD.

    >>> words("why \udcff?")
    'why �?'
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _sign(letter: str) -> str:
    if letter == "\r":
        return ""
    if letter == "\x7f":
        return "␡"
    return chr(PICTURES + ord(letter)) if letter < " " else "\ufffd"


class _Harmless:
    """A stream that prints text as `clean` returns it, with escapes for letters that its encoding lacks."""

    def __init__(self, stream: TextIO, clean: Callable[[str], str]) -> None:
        self._stream, self._clean = stream, clean

    def write(self, text: str) -> int:
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(self._clean(text).encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def harmless_output(as_json: bool = False) -> Iterator[None]:
    """Let all that is printed in the block be harmless; `as_json`: lines of JSON on standard output."""
    out = _Harmless(sys.stdout, escaped if as_json else shown)
    with redirect_stdout(cast(IO[str], out)), redirect_stderr(cast(IO[str], _Harmless(sys.stderr, shown))):
        yield
