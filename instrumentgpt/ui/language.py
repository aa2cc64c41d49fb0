"""The words of the page in its language: English stands where it is used, its translation in zh.toml."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from instrumentgpt.errors import in_language
from instrumentgpt.instruments.language import Language, Sentence, table

CHINESE = Path(__file__).with_name("zh.toml")
TOKENS = {  # as agents.events.Done names them → in words
    "inputTokens": "{count} in",
    "outputTokens": "{count} out",
    "cacheReadTokens": "{count} read from its cache",
    "cacheWriteTokens": "{count} written to its cache",
}
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


def tokens(usage: Mapping[str, float], exactly: bool = False) -> str:
    """Return what went in and came out, or `exactly` all that the agent reports; "" if it reports neither.

    >>> tokens({"inputTokens": 12_340, "outputTokens": 410, "cacheReadTokens": 9_000}), tokens({})
    ('tokens: 12.3k in, 410 out', '')
    >>> tokens({"inputTokens": 12_340, "cacheReadTokens": 9_000}, exactly=True)
    'tokens: 12,340 in, 9,000 read from its cache'
    """
    shown = "{:,.0f}".format if exactly else thousands
    names = [name for name in TOKENS if usage.get(name) and (exactly or "cache" not in name)]
    counts = ", ".join(say(TOKENS[name], count=shown(usage[name])) for name in names)
    return say("tokens: {counts}", counts=counts) if counts else ""


def token_count(usage: Mapping[str, float]) -> float:
    """Return the tokens that went in and came out."""
    return usage.get("inputTokens", 0) + usage.get("outputTokens", 0)


def spent(usage: Mapping[str, float]) -> str:
    """Return tokens and money as far as the agent tells them, "" if it tells neither.

    >>> spent({"inputTokens": 1_240, "outputTokens": 84, "costUSD": 0.0026}), spent({})
    ('1,324 tokens, 0.0026 USD', '')
    """
    parts = [f"{token_count(usage):,.0f} tokens"] if token_count(usage) else []
    return ", ".join([*parts, *([money(usage["costUSD"])] if usage.get("costUSD") else [])])


def money(dollars: float) -> str:
    """Return an amount as the page tells it: an answer costs less than a cent."""
    return f"{dollars:.4f} USD"


def language() -> Language:
    """Return the language of the page: the one that is set, else the browser's; English outside of a page."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return "en"
    setting = st.session_state.get(CHOSEN, "auto")
    locale = (st.context.locale or "en") if setting == "auto" else setting
    return "zh" if locale.startswith("zh") else "en"
