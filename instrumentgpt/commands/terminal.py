"""What commands are given and print: words as text, and nothing in them that commands a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import IO, Any, TextIO, cast

# C0 but tab and line end, DEL, C1, what turns the direction of writing, halves of a character.
COMMANDING = [
    *range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
]  # fmt: skip
SIGNS: dict[int, str] = dict.fromkeys(COMMANDING, "\ufffd") | {0x7F: "␡"}
SIGNS |= {code: chr(0x2400 + code) for code in COMMANDING if code < 0x20}  # Unicode's pictures of C0
SIGNS[0x0D] = ""
ESCAPES = {code: f"\\u{code:04x}" for code in COMMANDING}


def shown(text: str) -> str:
    r"""Return `text` with a visible sign for each character that commands a terminal; CR is left out.

    One character at a time, so that a sequence in two pieces is no sequence either.

    >>> shown("\x1b[2Jgone\x9b31m\u202e\r\n")
    '␛[2Jgone�31m�\n'
    """
    return text.translate(SIGNS)


def escaped(line: str) -> str:
    r"""Return a line of JSON that means the same, with such characters as JSON's escapes.

    >>> escaped('"\x9b"')
    '"\\u009b"'
    """
    return line.translate(ESCAPES)


def words(text: str) -> str:
    r"""Return an argument as text, for argparse: bytes that are no UTF-8 become U+FFFD.

    >>> words("why \udcff?")
    'why �?'
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


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
