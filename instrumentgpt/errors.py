"""The root of all errors that a person can do something about."""


class InstrumentGPTError(Exception):
    """An expected problem: its text names what, the value, and the remedy.

    The page and the command line print it without a traceback.
    Subclasses also derive from the builtin a caller would expect (ValueError, LookupError, …).
    """


def reason(error: BaseException) -> str:
    """Return why something failed, in words for people: without the number and the path of an OSError.

    >>> reason(FileNotFoundError(2, "No such file or directory", "/logs/a.log")), reason(TimeoutError())
    ('No such file or directory', 'no reason was given')
    """
    return str(getattr(error, "strerror", None) or error) or "no reason was given"
