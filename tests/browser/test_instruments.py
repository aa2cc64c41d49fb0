"""The Instruments page as a lab's engineer opens it: who is worst, since when, and what next."""

import shutil

import pytest
from driving import ROOT, START_SECONDS, Server, settled, until, with_token
from playwright.sync_api import Page, expect

from instrumentgpt.storage.verdicts import standings


@pytest.mark.parametrize(
    "locale, title, asks",
    [("en-GB", "Instruments", "Ask what is wrong"), ("zh-TW", "儀器", "詢問哪裡有問題")],
)
def test_every_device_is_judged_by_itself_and_the_worst_leads_to_its_history_and_a_question(
    server: Server, browser, locale, title, asks
):
    page: Page = browser.new_context(locale=locale, viewport={"width": 1440, "height": 1100}).new_page()
    page.goto(with_token(server.address("instruments")))
    expect(page.get_by_role("heading", name=title)).to_be_visible(timeout=START_SECONDS * 1000)
    expect(page.get_by_text("zspr 051 (10.1.1.46)").first).to_be_attached()
    expect(page.get_by_test_id("stAlert")).to_have_count(0, timeout=START_SECONDS * 1000)  # all are judged
    settled(page)
    table = page.get_by_test_id("stDataFrame").first.bounding_box()
    page.mouse.click(table["x"] + 12, table["y"] + 35 + 17)  # the box of the first row, drawn on a canvas
    expect(page.get_by_role("heading", name="zspr 051 (10.1.1.46)")).to_be_visible()
    expect(page.locator(".xtick text").first).to_contain_text("2026-02-17")
    page.get_by_role("button", name=asks).click()
    expect(page.get_by_test_id("stChatInputTextArea")).to_have_value(
        "What is wrong with zspr 051?" if locale == "en-GB" else "zspr 051 哪裡有問題？"
    )
    page.context.close()


def test_an_instrument_is_tried_added_and_judged_without_leaving_the_page(
    server: Server, page: Page, tmp_path
):
    (tmp_path / "logs").mkdir()
    for log in (ROOT / "demo" / "logs" / "zspr_053").glob("*.gz"):
        shutil.copy(log, tmp_path / "logs")
    page.goto(with_token(server.address("instruments")))
    page.get_by_role("button", name="Add instrument").click(timeout=START_SECONDS * 1000)
    dialog = page.get_by_role("dialog")
    for label, text in (
        ("Name", "oven 7"),
        ("Folder of its logs", str(tmp_path / "no")),
    ):
        dialog.get_by_label(label, exact=True).fill(text)
    dialog.get_by_role("button", name="Look into the folder").click()
    expect(dialog.get_by_text("Correct its entry in the inventory")).to_be_visible()
    dialog.get_by_label("Folder of its logs", exact=True).fill(str(tmp_path / "logs"))
    dialog.get_by_role("button", name="Look into the folder").click()
    expect(dialog.get_by_text("2 logs, the newest")).to_be_visible()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("oven 7").first).to_be_attached()
    until(page, lambda: state_of(server, "oven 7") == "fault")


def state_of(server: Server, device: str) -> str:
    with server.database() as database:
        known = standings(database)
    return known[device].verdict.state if device in known else ""
