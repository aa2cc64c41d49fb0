"""Every page asks for nothing that is not there, and all can be read, heard and reached (WCAG 2.1 AA)."""

import re
from dataclasses import replace

from axe_playwright_python.sync_playwright import Axe
from driving import (
    SIZES,
    Visitor,
    answered,
    ask,
    choose,
    close_sidebar,
    expect,
    inspector,
    opened,
    reloaded,
    settled,
)
from playwright.sync_api import Page

LOG = "InstrumentDebug_2026-02-19_23-24-45.39.log"
EVIDENCE = re.compile(r"^L\s[\d,]+")
RULES = {  # theme → what is looked for in it
    "dark": {"type": "rule", "values": ["color-contrast"]},
    "light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
}


def assert_accessible(page: Page) -> None:
    """Look for what axe finds in both themes, and for buttons that are called by their icons."""
    settled(page)
    for theme, rules in RULES.items():
        page.emulate_media(color_scheme=theme)
        found = (
            Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]}).response["violations"]
        )
        assert not [(page.url, theme, one["id"], one["nodes"][0]["html"]) for one in found]
    controls = re.findall(
        r"- (?:button|link|radio|combobox|textbox)\b.*", page.locator("body").aria_snapshot()
    )
    assert controls and not [one for one in controls if '"' not in one or re.search(r'\bicon"|_[a-z]+"', one)]


def look_at_both_sizes(visitor: Visitor, name: str) -> None:
    """Look at the page on a desktop, where all of it has to be accessible, and on a phone."""
    for size in ("desktop", "phone"):
        visitor.page.set_viewport_size(SIZES[size])
        replace(visitor, size=size).look(name)
        if size == "desktop":
            assert_accessible(visitor.page)
    visitor.page.set_viewport_size(SIZES[visitor.size])


def test_every_page_is_there_by_its_address_reached_by_keys_accessible_and_in_the_language_that_is_chosen(
    server, visitor
):
    page, say = visitor.page, visitor.say
    missing = []
    page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    opened(page, server.address("chat"))
    look_at_both_sizes(visitor, "5-start")
    ask(
        page,
        "10.1.1.112 why does the temperature swing?" if visitor.is_english else "10.1.1.112 為什麼溫度波動？",
    )
    answered(page, 1)
    label = say("Pin, rename, export or delete {title}", title="10.1.1.112")
    for view in ("State", "Prompt", "Older", "Edits"):
        inspector(page, say(view))
        visitor.look(f"5-memory-{view}")
    menu = page.get_by_role("button", name=label).first
    assert menu.bounding_box()["width"] < 48, "its name is drawn"
    if visitor.size == "phone":
        close_sidebar(page)
    evidence = page.get_by_test_id("stChatMessage").get_by_role("link", name=EVIDENCE)
    evidence.first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    steps = page.evaluate("history.length")
    visitor.look("5-evidence")
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "line=" not in url)
    assert page.evaluate("history.length") == steps, "to close the lines is a step of its own"
    evidence.first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    page.keyboard.press("Alt+n")
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_focused()
    for path, shown in (
        ("instruments", page.get_by_test_id("stDataFrame")),
        ("cases", page.get_by_role("heading", name=say("Cases"))),
        ("logs", page.get_by_test_id("stPlotlyChart").first),
        ("settings", page.get_by_role("button", name=say("Save"))),
    ):
        query = {"device": "zspr 052", "log": LOG, "line": 1} if path == "logs" else {}
        page.goto(server.address(path, **query))
        expect(shown).to_be_visible()
        look_at_both_sizes(visitor, f"5-{path}")
        if path == "logs":
            lines = page.get_by_role("grid", name=say("Lines of the log"))
            lines.press("ArrowDown")
            expect(lines.get_by_role("row", selected=True)).to_contain_text(re.compile("^2"))
    assert missing == []
    other = replace(visitor, locale="zh-TW" if visitor.is_english else "en-GB")
    choose(page, say("Language"), "繁體中文" if visitor.is_english else "English")
    page.get_by_role("button", name=say("Save")).click()
    expect(page.get_by_role("heading", name=other.say("Settings"), exact=True)).to_be_visible()
    reloaded(page)
    other.look("5-switched")
