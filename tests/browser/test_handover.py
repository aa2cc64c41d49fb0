"""What is handed on is read where it arrives: pasted text, printed pages."""

import re
from pathlib import Path

from driving import START_SECONDS, Server, Visitor, answered, ask, expect, opened
from playwright.sync_api import Page

PASTED = """() => new Promise(done => {
  document.body.innerHTML = "<textarea></textarea>"
  document.addEventListener("paste", event => done(
    Object.fromEntries(event.clipboardData.types.map(type => [type, event.clipboardData.getData(type)]))))
  document.querySelector("textarea").focus()
})"""
LINK = re.compile(r"\[L [\d,]+\]\((http[^)]+)\)")
OLDER = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"  # over plain http


def pasted(tab: Page, server: Server) -> list[str]:
    """Return what the clipboard hands to a page of this tab, as plain and as formatted text."""
    tab.goto(f"{server.url}/_stcore/health")
    tab.evaluate(f"() => {{ window.pasted = ({PASTED})() }}")
    tab.keyboard.press("Control+V")
    return tab.evaluate("window.pasted.then(it => [it['text/plain'], it['text/html']])")


def test_an_answer_is_copied_with_links_that_open_at_the_line_reported_worded_and_a_shift_handed_over(
    server: Server, visitor: Visitor, context
):
    page, say = visitor.page, visitor.say
    opened(page, server.address())
    ask(page, say("Why does the temperature of {ip} fluctuate?", ip="10.1.1.112"))
    answer = answered(page, 1)
    other, copied = context.new_page(), answer.get_by_role("status").filter(has_text=say("Copied"))
    answer.get_by_role("button", name=say("Copy the answer")).click()
    copied.wait_for()  # it is there for 2.5 s
    text, formatted = pasted(other, server)
    page.evaluate(OLDER)
    other.locator("textarea").fill("something else")
    other.keyboard.press("Control+A")
    other.keyboard.press("Control+X")
    copied.wait_for(state="detached")
    answer.get_by_role("button", name=say("Copy the answer")).click()
    copied.wait_for()
    assert pasted(other, server) == [text, formatted]
    answer.get_by_role("button", name=say("Hand over")).click()
    with page.expect_download() as report:
        page.get_by_role("button", name="PDF").click()
    assert Path(report.value.path()).read_bytes().startswith(b"%PDF")
    for kind in ("the vendor", "the technician", "the boss"):
        page.get_by_role("radio", name=say(kind)).click()
        expect(page.get_by_test_id("stPopoverBody")).to_contain_text("zspr 053")
        visitor.look(f"4-{kind.split()[1]}")
    assert "<!--" not in text and "](?" not in text
    assert "[zspr 053" in text and "<strong>" in formatted
    link = LINK.findall(text)[0]
    assert link.startswith(f"{server.url}/?conv=") and f'href="{link.replace("&", "&amp;")}"' in formatted
    other.goto(link)
    line = int(link.rpartition("line=")[2])
    expect(other.get_by_role("dialog")).to_contain_text(f"{line:,} ▶")
    other.close()

    page.goto(server.address("instruments"))
    page.get_by_role("button", name=say("Shift report")).click(timeout=START_SECONDS * 1000)
    page.get_by_test_id("stPopoverBody").get_by_role("textbox").fill("2026-02-19")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2026-02-19 00:00")).to_be_visible()
    visitor.look("4-shift")
    with page.expect_download() as report:
        page.get_by_role("button", name="HTML").click()
    text = Path(report.value.path()).read_text(encoding="utf-8")
    assert ("New faults" if visitor.is_english else "新故障") in text and "<script" not in text
