"""The page: `streamlit run app.py`. Streamlit imports this once as its server, and runs it to draw a page."""

import gc
from contextlib import suppress

import streamlit as st

# A button's label in italics names it to who cannot see its icon, and is not drawn.
LOOK = """
@media (hover: none) { .modebar { display: none } } /* on a phone it covers the legend; two taps zoom out */
html[lang^="zh"] [data-testid="InputInstructions"] { display: none } /* “Press Enter to apply”, in English */
button em { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
button:has(em) { position: relative; overflow: clip } /* else each row of the sidebar can be pushed aside */
button:has(em) [aria-hidden]:has([aria-hidden]) { display: none } /* the arrow of a menu */
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after {
    transition: none !important;
    animation-duration: 1ms !important;
    animation-iteration-count: 1 !important;
  }
}
/* of the accent what white can be read on, and away from the background where it is the text itself */
button[data-selected="true"] p { color: color-mix(in srgb, currentColor 55%, CanvasText) }
.token.inserted { color: color-mix(in srgb, #009E73 60%, CanvasText) !important }
.token.deleted { color: color-mix(in srgb, #D55E00 60%, CanvasText) !important }
"""

if __name__ == "__main__":
    from instrumentgpt.errors import InstrumentGPTError
    from instrumentgpt.moments import choose_zone
    from instrumentgpt.settings import CHECKOUT, Settings
    from instrumentgpt.ui import browser, cases, chat, instruments, language, session, settings
    from instrumentgpt.ui.logs import page as logs

    @st.cache_resource(show_spinner=False)
    def leave_imports_alone() -> None:
        """Take what is imported by now out of garbage collection, which Streamlit runs so often."""
        gc.collect()
        gc.freeze()

    icon = CHECKOUT / "instrumentgpt" / "ui" / "icon.svg"  # a named one is fetched from outside
    st.set_page_config("InstrumentGPT", icon, layout="wide", initial_sidebar_state="auto")
    leave_imports_alone()
    st.html(f"<style>{LOOK}</style>")
    chosen = Settings()
    with suppress(InstrumentGPTError), session.opened() as database:  # the page itself says what is wrong
        chosen = session.current_settings(database)
        st.session_state[language.CHOSEN] = chosen.language
        st.session_state[session.ZONE] = chosen.timezone
        choose_zone(chosen.timezone, st.context.timezone)
    say = language.say
    pages = {
        "instruments": st.Page(
            instruments.page,
            title=say("Instruments"),
            icon=":material/monitor_heart:",
            url_path="instruments",
        ),
        "chat": st.Page(chat.page, title=say("Chat"), icon=":material/chat:", url_path="chat", default=True),
        "cases": st.Page(cases.page, title=say("Cases"), icon=":material/cases:", url_path="cases"),
        "logs": st.Page(logs.page, title=say("Logs"), icon=":material/list_alt:", url_path="logs"),
        "settings": st.Page(
            settings.page, title=say("Settings"), icon=":material/settings:", url_path="settings"
        ),
    }
    st.session_state[session.PAGES] = pages
    st.navigation(list(pages.values()), position="top").run()
    browser.attend()
else:
    from instrumentgpt.ui import server

    try:
        app = st.App(__file__, **server.parts())
    except server.BadToken as error:
        raise SystemExit(f"error: {error}") from None
