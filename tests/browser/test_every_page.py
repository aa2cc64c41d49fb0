"""Every page asks for nothing that is not there, and all can be read, heard and reached (WCAG 2.1 AA)."""

import re

from axe_playwright_python.sync_playwright import Axe
from driving import answered, ask, opened, settled
from playwright.sync_api import Page, expect

LOG = "InstrumentDebug_2026-02-19_23-24-45.39.log"
RULES = {  # theme → what is looked for in it
    "dark": {"type": "rule", "values": ["color-contrast"]},
    "light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
}


def assert_accessible(page: Page) -> None:
    """Look for what axe finds, in both themes, and for buttons that are called by their icons."""
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


def test_every_page_is_there_when_it_is_opened_by_its_address_and_is_accessible(page, server):
    missing = []
    page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    opened(page, server.address("chat"))
    assert_accessible(page)
    ask(page, "10.1.1.47 為什麼溫度波動？")
    answered(page, 1)
    expect(page.locator(".st-key-device")).to_contain_text("zspr 052")
    menu = page.get_by_role("button", name="Pin, rename, export or delete 10.1.1.47").first
    assert menu.bounding_box()["width"] < 48, "its name is drawn"
    page.get_by_role("link", name=re.compile(r"^L [\d,]+")).first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    steps = page.evaluate("history.length")
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "line=" not in url)
    assert page.evaluate("history.length") == steps, "to close the lines is a step of its own"
    page.keyboard.press("Alt+n")
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_focused()
    for path, shown in (
        ("instruments", page.get_by_test_id("stDataFrame")),
        ("cases", page.get_by_role("heading", name="Cases")),
        ("settings", page.get_by_role("button", name="Save")),
        ("logs", page.get_by_test_id("stPlotlyChart").first),
    ):
        query = {"device": "zspr 052", "log": LOG, "line": 1} if path == "logs" else {}
        page.goto(server.address(path, **query))
        expect(shown).to_be_visible()
        assert_accessible(page)
    lines = page.get_by_role("grid", name="Lines of the log")
    lines.press("ArrowDown")
    expect(lines.get_by_role("row", selected=True)).to_contain_text(re.compile("^2"))
    assert missing == []
