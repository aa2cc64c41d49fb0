"""The root of all errors that a person can do something about."""


class InstrumentGPTError(Exception):
    """An expected problem: its text names what, the value, and the remedy.

    The page and the command line print it without a traceback.
    Subclasses also derive from the builtin a caller would expect (ValueError, LookupError, …).
    """
