"""What is handed on is read where it arrives: pasted text, printed pages."""

import re
from pathlib import Path

import pytest
from driving import START_SECONDS, Server, answered, ask, opened, with_token
from playwright.sync_api import expect

PASTED = """() => new Promise(done => {
  document.body.innerHTML = "<textarea></textarea>"
  document.addEventListener("paste", event => done(
    Object.fromEntries(event.clipboardData.types.map(type => [type, event.clipboardData.getData(type)]))))
  document.querySelector("textarea").focus()
})"""
LINK = re.compile(r"\[L [\d,]+\]\((http[^)]+)\)")


NEWER, OLDER = "", "Object.defineProperty(navigator, 'clipboard', { value: undefined })"  # over plain http


@pytest.mark.parametrize(
    "locale, label, done, hand, boss, way",
    [
        ("en-GB", "Copy the answer", "Copied", "Hand over", "the boss", NEWER),
        ("zh-TW", "複製回答", "已複製", "交接", "主管", OLDER),
    ],
)
def test_an_answer_is_copied_by_one_click_as_text_and_formatted_and_its_links_open_at_the_line(
    server: Server, browser, locale, label, done, hand, boss, way
):
    context = browser.new_context(locale=locale)
    context.add_init_script(way)
    page = opened(context.new_page(), server.address())
    ask(page, "10.1.1.47 why does the temperature swing?")
    answer = answered(page, 1, "Offline analyst" if locale == "en-GB" else "離線分析程式")
    answer.get_by_role("button", name=label).click()
    answer.get_by_role("status").filter(has_text=done).wait_for()  # it is there for 2.5 s
    answer.get_by_role("button", name=hand).click()
    with page.expect_download() as report:
        page.get_by_role("button", name="PDF").click()
    assert Path(report.value.path()).read_bytes().startswith(b"%PDF")
    page.get_by_role("radio", name=boss).click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text("zspr 052")
    other = context.new_page()
    other.goto(f"{server.url}/_stcore/health")
    other.evaluate(f"() => {{ window.pasted = ({PASTED})() }}")
    other.keyboard.press("Control+V")
    text, formatted = other.evaluate("window.pasted.then(it => [it['text/plain'], it['text/html']])")
    assert "<!--" not in text and "](?" not in text
    assert "[zspr 052" in text and "<strong>" in formatted
    link = LINK.findall(text)[0]
    assert link.startswith(f"{server.url}/?conv=") and f'href="{link.replace("&", "&amp;")}"' in formatted
    other.goto(link)
    line = int(link.rpartition("line=")[2])
    expect(other.get_by_role("dialog")).to_contain_text(f"{line:,} ▶")
    context.close()


@pytest.mark.parametrize(
    "locale, menu, new", [("en-GB", "Shift report", "New faults"), ("zh-TW", "交班報告", "新故障")]
)
def test_a_shift_is_handed_over_from_the_page_of_instruments(server: Server, browser, locale, menu, new):
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(with_token(server.address("instruments")))
    page.get_by_role("button", name=menu).click(timeout=START_SECONDS * 1000)
    page.get_by_test_id("stPopoverBody").get_by_role("textbox").fill("2026-02-19")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2026-02-19 00:00")).to_be_visible()
    with page.expect_download() as report:
        page.get_by_role("button", name="HTML").click()
    text = Path(report.value.path()).read_text(encoding="utf-8")
    assert new in text and "<script" not in text
    context.close()
