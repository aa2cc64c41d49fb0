"""What the browser does for the page: follows links within it, and brings one message into view.

A Markdown link would open a new browser tab and with it a new session, which is what it still does when
clicked with Ctrl: the address `?conv=…&log=…&line=…` works from anywhere.

The page scrolls to its end when it is drawn, so a message that is gone to (the hit of a search, the one that
an address names, a finished panel) is waited for, once per visit, and marked with a line that fades. On a
phone the sidebar makes room for it.
"""

from pathlib import Path

import streamlit as st

from instrumentgpt.instruments.language import table
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import language, say

STREAMLIT = Path(__file__).with_name("streamlit_zh.toml")

_LISTENER = """
export default function ({ data, setTriggerValue }) {
  if (data.back > (window.instrumentgptBack ??= 0)) {
    window.instrumentgptBack = data.back
    history.back()
  }
  const open = event => {
    const ours = "a[href*='log='][href*='line='], a[href^='?conv='], a[href^='?case=']"
    const link = event.target.closest?.(ours)
    const modified = event.button || event.ctrlKey || event.metaKey || event.shiftKey
    if (!link || modified) return
    const query = new URL(link.href, window.location.href).searchParams
    event.preventDefault()
    event.stopPropagation()
    setTriggerValue("clicked", Object.fromEntries(query))
  }
  document.addEventListener("click", open, true)
  return () => document.removeEventListener("click", open, true)
}
"""
_listener = st.components.v2.component("evidence_links", js=_LISTENER)
_SCROLLER = """
const HEADER = 60 // px, which the page's own head covers
const NARROW = 768 // px: there the sidebar covers the page
let moved = 0 // when a hand was last on the page: it then goes where the hand says
for (const hand of ["wheel", "touchmove", "keydown", "pointerdown"])
  window.addEventListener(hand, () => { moved = Date.now() }, true)
export default function ({ data }) {
  if (!data || window.instrumentgptVisit === data.visit) return
  const began = Date.now()
  if (window.innerWidth < NARROW)
    document.querySelector("[data-testid='stSidebarCollapseButton'] [aria-expanded='true']")?.click()
  let seen = 0
  const timer = setInterval(() => {
    const found = document.querySelector(".st-key-" + CSS.escape(data.key))
    if (Date.now() - began > 6000) clearInterval(timer)
    if (!found) return
    const box = found.getBoundingClientRect()
    const stays = moved > began || (box.top >= HEADER && box.top < window.innerHeight - 2 * HEADER)
    seen = stays ? seen + 1 : 0
    found.style.scrollMarginTop = `${2 * HEADER}px`
    if (!stays) found.scrollIntoView({ block: "start" })
    if (seen < 4) return
    clearInterval(timer)
    window.instrumentgptVisit = data.visit
    const shadows = ["var(--st-primary-color)", "transparent"].map(colour => `-4px 0 0 0 ${colour}`)
    found.animate({ boxShadow: shadows }, { duration: 4000, easing: "ease-in" })
  }, 120)
  return () => clearInterval(timer)
}
"""
_FOLLOWER = """
const TIMES = 7 // the page grows while it is drawn
export default function ({ data }) {
  if (!data || window.instrumentgptFollowed === data.run) return
  let times = 0
  const timer = setInterval(() => {
    const page = document.querySelector("[data-testid='stAppScrollToBottomContainer']")
    times += 1
    // A scroll while the page grows does not count as one to its end: so a pixel up, and down again.
    if (page) page.scrollTop = times % 2 ? page.scrollHeight : page.scrollTop - 1
    if (times < TIMES) return
    clearInterval(timer)
    window.instrumentgptFollowed = data.run
  }, 100)
  return () => clearInterval(timer)
}
"""
_ATTENDANT = """
const NAMES = ["aria-label", "title", "placeholder"]
const ITS_OWN = "[role=tooltip], [role=menu], [role=listbox], [data-testid^=stDataFrame], [href^='#']"
const THEIRS = "canvas, [role=option], [data-testid=stDataFrameStatisticsChart]" // users' words and logs'
let words = new Map() // of Streamlit, which speaks English alone
let beginnings = [] // of what it says before a label
const named = element => {
  for (const name of NAMES) {
    const text = element.getAttribute(name) ?? ""
    const known = beginnings.find(words => text.startsWith(words)) ?? text
    if (words.has(known) && !element.closest(THEIRS))
      element.setAttribute(name, words.get(known) + text.slice(known.length))
  }
}
const isItsOwn = around => around?.closest(ITS_OWN) && !around.closest(THEIRS)
const translated = root => {
  const parts = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
  for (let part = root; part; part = parts.nextNode())
    if (part.nodeType === Node.ELEMENT_NODE) named(part)
    else if (words.has(part.data) && isItsOwn(part.parentElement)) part.data = words.get(part.data)
}
const observer = new MutationObserver(changes => {
  for (const { type, target, addedNodes } of changes)
    if (type === "attributes") named(target)
    else addedNodes.forEach(translated)
})
const translate = said => {
  const known = words
  words = new Map(Object.entries(said))
  beginnings = Object.keys(said).filter(one => one.endsWith(" "))
  if (known.size || !words.size) return
  translated(document.body)
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: NAMES })
}
export default function ({ data }) {
  const kept = (window.instrumentgptKept ??= { title: document.title })
  document.documentElement.lang = data.lang
  translate(data.said)
  if (data.done && kept.done !== data.done && (document.hidden || !document.hasFocus())) {
    document.title = `✓ ${data.words}`
    const seen = () => { document.title = kept.title }
    window.addEventListener("focus", seen, { once: true })
    document.addEventListener("visibilitychange", seen, { once: true })
  }
  kept.done = data.done
  if (!data.begun || kept.begun === data.begun) return
  kept.begun = data.begun
  let times = 0 // the button that was clicked takes the focus while the page is drawn anew
  const timer = setInterval(() => {
    document.querySelector("[data-testid='stChatInputTextArea']")?.focus()
    if (++times === 8) clearInterval(timer)
  }, 100)
}
"""
_follower = st.components.v2.component("follow_answer", js=_FOLLOWER)
_scroller = st.components.v2.component("bring_into_view", js=_SCROLLER)
_attendant = st.components.v2.component("attend", js=_ATTENDANT)


def clicked(back: int) -> dict[str, str] | None:
    """Return the `log` and `line` of the evidence link that was just clicked, or None. Both are untrusted.

    A link to another conversation, or to a case, is followed at once. The browser goes back once for each
    time that `back` has grown.
    """
    query = _listener(key="evidence-links", data={"back": back}, on_clicked_change=lambda: None).clicked
    if not isinstance(query, dict) or "log" in query:
        return query if isinstance(query, dict) else None
    if "case" in query:
        st.switch_page(session.page_named("cases"), query_params={"case": str(query["case"])})
    session.go_to(str(query.get("conv")), untrusted.number(str(query.get("msg", "")), 18))
    st.rerun()


def attend() -> None:
    """Do what a page cannot: speak its language in all parts, put the cursor into a new conversation.

    An answer that comes while nobody looks is told in its title.
    """
    state = st.session_state
    events = {"done": state.get(session.ANSWERED), "begun": state.get(session.BEGUN)}
    words = {"words": say("The answer is there"), "lang": "en", "said": {}}
    if language() == "zh":
        words |= {"lang": "zh-Hant", "said": table(STREAMLIT)}
    _attendant(key="attend", data=events | words)


def follow(run_id: str) -> None:
    """Go to the end of the page, once for each answer that is being written: the page follows from there."""
    _follower(key="follow-answer", data={"run": run_id})


def bring_into_view(key: str) -> None:
    """Scroll to the container `key`, once for each time that it was gone to."""
    visit = f"{st.query_params.get('conv')}/{key}/{st.session_state.get(session.VISITS, 0)}"
    _scroller(key="bring-into-view", data={"key": key, "visit": visit})
