"""The words of the page in its language: English stands where it is used, its translation in zh.toml."""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from instrumentgpt.errors import in_language
from instrumentgpt.instruments.language import Language, Sentence, table

CHINESE = Path(__file__).with_name("zh.toml")
CHOSEN = "language"  # in the session's state: "en", "zh", or "auto" for the browser's, as it is set


def say(english: str, **fields: object) -> str:
    """Return the words in the language of the page, their fields filled in as `Sentence` does.

    >>> say("{count} {count:?place|places} in all conversations", count=2)
    '2 places in all conversations'
    """
    words: str = english if language() == "en" else table(CHINESE).get(english, english)
    return Sentence().format(words, **fields) if fields else words


def problem(english: str) -> str:
    """Return the text of a problem, or a note on a run, in the language of the page."""
    return in_language(english, language())


def thousands(count: float) -> str:
    """Return a count in few digits.

    >>> thousands(8), thousands(320), thousands(1840)
    ('8', '320', '1.8k')
    """
    return f"{count:.0f}" if count < 1000 else f"{count / 1000:.1f}k".replace(".0k", "k")


def language() -> Language:
    """Return the language of the page: the one that is set, else the browser's; English outside of a page."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return "en"
    setting = st.session_state.get(CHOSEN, "auto")
    locale = (st.context.locale or "en") if setting == "auto" else setting
    return "zh" if locale.startswith("zh") else "en"
