"""The pages as Streamlit's AppTest runs them, without a browser."""

import re
from functools import cache
from html import unescape
from pathlib import Path

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[1] / "app.py")
PAGE_SECONDS = 75  # the first run imports everything; nothing is waited for but the page itself
KINDS = ("markdown", "caption", "text", "code")
# each AppTest would look through all installed packages for components, for 0.5 s of CPU
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def page(conversation: str = "", *opened: str, **query: str) -> AppTest:
    """Return the application's page of a conversation, the expanders of these keys open."""
    at = AppTest.from_file(APP, default_timeout=PAGE_SECONDS)
    for name, value in {**({"conv": conversation} if conversation else {}), **query}.items():
        at.query_params[name] = value
    at.run()
    for key in opened:
        open_expander(at, key)
    assert not at.exception
    return at


def settings_page() -> AppTest:
    """Return the Settings page."""

    def script():
        from instrumentgpt.ui import settings

        settings.page()

    at = AppTest.from_function(script, default_timeout=PAGE_SECONDS).run()
    assert not at.exception
    return at


def open_expander(at: AppTest, key: str) -> None:
    """Open the expander called `key`: AppTest has no click for it."""
    at.session_state[key] = True
    at.run()


def texts(at: AppTest) -> str:
    """Return what stands on the page in words, a line for each element."""
    return "\n".join(_read(element) for kind in KINDS for element in at.get(kind))


def _read(element) -> str:
    """Return what a reader sees of text that is handed over as HTML (untrusted.py); other text as it is."""
    text = str(element.value)
    return unescape(re.sub(r"<[^>]*>", "", text)).rstrip() if getattr(element, "allow_html", False) else text


def button(at: AppTest, label: str):
    """Return the button that says `label`."""
    return next(button for button in at.button if button.label == label)
