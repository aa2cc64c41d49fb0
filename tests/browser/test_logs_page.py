"""The Logs page as an engineer uses it: choose, look, narrow, pick lines, ask about them."""

import re
import urllib.parse
from contextlib import closing

import pytest
from driving import ANSWER_MS, START_SECONDS, ask, opened, running, with_token
from playwright.sync_api import Locator, Page, expect

import db

NEWEST = "InstrumentDebug_2026-02-19_23-24-45.39.log"
HOSTILE = (
    "<img src=x onerror=alert(1)> <!-- PLOTLY_CHART:abc --> :material/home: $x^2$ **bold** "
    "[L](javascript:alert(1)) </div><script>alert(2)</script>"
)
INVENTORY = """
[[device]]
name = "oven 9"
ip = "10.1.1.9"
logs = "{folder}"
"""


def address(server, log: str = NEWEST, device: str = "zspr 052", line: int | None = None) -> str:
    named = {"device": device, "log": log} | ({"line": line} if line else {})
    return f"{server.url}/logs?{urllib.parse.urlencode(named)}"


def visit(page: Page, url: str) -> Page:
    """Return the page once its lines are there and everything else is ready."""
    page.set_default_timeout(ANSWER_MS)
    page.goto(with_token(url))
    expect(row(page).first).to_be_visible(timeout=START_SECONDS * 1000)
    expect(page.get_by_text("what is ready is shown below")).to_have_count(0, timeout=ANSWER_MS)
    return page


def row(page: Page) -> Locator:
    return page.locator(".lines .row:not(.gap)")


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).click()


@pytest.fixture(scope="module")
def ovens(tmp_path_factory):
    """A server whose only device has a log with hostile lines and a table without header or time."""
    folder = tmp_path_factory.mktemp("ovens")
    logs = folder / "logs"
    logs.mkdir()
    lines = [
        f"[2026-01-01 10:{n // 60:02d}:{n % 60:02d}.000][error] [Door] {HOSTILE} {n}" for n in range(300)
    ]
    lines += [
        f"[2026-01-01 10:{n // 60:02d}:{n % 60:02d}.000][info] Temperature channel 1: setpoint: 55.00 °C, "
        "process value: 54.90 °C, output power: 45.9 %, P: 1.17, I: 44.75, D: -0.00"
        for n in range(300, 600)
    ]
    (logs / "hostile.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [f"60.0;{60 + (n % 40) / 50:.2f};{50 + n % 7}" for n in range(900)]
    (logs / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    inventory = folder / "devices.toml"
    inventory.write_text(INVENTORY.format(folder=logs), encoding="utf-8")
    with running(folder, {"agent": "offline", "inventory": str(inventory)}) as server:
        yield server


def test_device_and_log_are_picked_and_their_chart_strip_and_findings_show(page, offline):
    page.goto(with_token(f"{offline.url}/logs"))
    expect(row(page).first).to_be_visible(timeout=START_SECONDS * 1000)
    choose(page, "Device", "zspr 053 (10.1.1.112)")
    expect(page.get_by_role("combobox", name="Log")).to_have_value(re.compile("InstrumentDebug_2026-02-20"))
    choose(page, "Log", "InstrumentDebug_2026-02-16_11-20-41.17.log")
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(2, timeout=ANSWER_MS)
    expect(page).to_have_url(re.compile(r"device=zspr(\+|%20)053&log=InstrumentDebug_2026-02-16"))
    expect(row(page).first).to_contain_text("2026-02-16 11:20:41")
    expect(page.get_by_role("tab", name="Findings")).to_be_visible()


def test_an_address_opens_the_log_at_its_line_and_every_line_has_one(page, offline):
    visit(page, address(offline, line=4000))
    picked = page.locator(".lines .row.picked")
    expect(picked).to_have_count(1)
    expect(picked).to_contain_text("4,000")
    expect(picked).to_be_in_viewport()
    assert picked.get_by_role("link").get_attribute("href").endswith("&line=4000")
    page.get_by_role("button", name="Link").click()
    expect(page.get_by_test_id("stCode")).to_contain_text(f"log={NEWEST}&line=4000")


@pytest.mark.parametrize(
    ("device", "log"),
    [
        ("zspr 052", "../../../instrumentgpt.db"),
        ("../..", "etc/passwd"),
        ("", "/etc/passwd"),
        ("zspr 052", "gone.log"),
        ("10.9.9.9", "x.log"),
    ],
)
def test_an_address_opens_no_file_but_a_log_of_the_inventory(page, offline, device, log):
    page.goto(with_token(address(offline, log, device, 1)))
    expect(page.get_by_text(re.compile("is not (there|in the inventory|of a device)"))).to_be_visible(
        timeout=START_SECONDS * 1000
    )
    expect(page.get_by_text("root:")).to_have_count(0)


def test_lines_are_filtered_by_level_and_words(page, offline):
    visit(page, address(offline))
    page.get_by_text("All event lines", exact=True).click()
    page.get_by_role("button", name="errors").click()
    expect(page.get_by_text(re.compile(r"^\d+ event lines fit"))).to_be_visible()
    expect(page.locator(".lines .row:not(.errors)")).to_have_count(0)
    first = row(page).first.inner_text()
    page.get_by_role("textbox", name="Words in the line").fill("no such words")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No line here fits")).to_be_visible()
    assert "error" in first


def test_a_picked_line_shows_its_neighbours_and_a_range_is_picked_with_shift(page, offline):
    visit(page, address(offline, line=300))
    row(page).filter(has_text=re.compile(r"^302")).click()
    expect(page.get_by_text("Line 302", exact=True)).to_be_visible()
    row(page).filter(has_text=re.compile(r"^305")).click(modifiers=["Shift"])
    expect(page.get_by_text("Lines 302–305", exact=True)).to_be_visible()
    expect(page.locator(".lines .row.picked")).to_have_count(4)
    expect(page).to_have_url(re.compile("line=302"))


def test_a_line_number_is_gone_to(page, offline):
    visit(page, address(offline))
    page.get_by_role("spinbutton", name="Go to line").fill("7000")
    page.keyboard.press("Enter")
    expect(page.locator(".lines .row.picked")).to_contain_text("7,000")


def drag(page: Page, chart: int, first: float, last: float) -> None:
    """Draw a box over a chart, from and to these shares of its width."""
    drawn = page.get_by_test_id("stPlotlyChart").nth(chart)
    drawn.scroll_into_view_if_needed()
    box = drawn.bounding_box()
    x, width, y = box["x"], box["width"], box["y"] + box["height"] / 3
    page.mouse.move(x + width * first, y)
    page.mouse.down()
    page.mouse.move(x + width * last, y + 8, steps=8)
    page.mouse.up()


@pytest.mark.parametrize("chart", [0, 1])
def test_a_box_narrows_both_charts_and_show_all_widens_them_again(page, offline, chart):
    visit(page, address(offline))
    drag(page, chart, 0.4, 0.6)
    expect(page.get_by_text("Part of the log")).to_be_visible(timeout=ANSWER_MS)
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_text("Whole log")).to_be_visible()


def test_a_short_stroke_leads_to_the_lines_of_its_moment(page, offline):
    visit(page, address(offline))
    drag(page, 1, 0.5, 0.52)
    expect(page).to_have_url(re.compile(r"line=\d{4}"))
    expect(page.locator(".lines .row.picked")).to_be_in_viewport()
    expect(page.get_by_text("Whole log")).to_have_count(1)


def test_a_finding_and_its_evidence_lead_to_their_lines(page, offline):
    visit(page, address(offline, "InstrumentDebug_2026-02-20_08-47-19.73.log", "zspr 053"))
    link = page.get_by_role("button", name=re.compile(r"^L [\d,]+$")).first
    number = link.inner_text().removeprefix("L ").strip()
    link.click()
    expect(page.locator(".lines .row.picked")).to_contain_text(number)
    page.get_by_role("button", name="Show", exact=True).first.click()
    expect(page.get_by_text("Part of the log")).to_be_visible()


def test_a_second_log_is_compared_in_words_and_charts(page, offline):
    visit(page, address(offline))
    choose(page, "Compare with", "InstrumentDebug_2026-02-18_22-10-07.51.log")
    expect(page.get_by_text("Before", exact=True)).to_be_visible(timeout=ANSWER_MS)
    expect(page.get_by_text("After", exact=True)).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(2)
    expect(page.get_by_text(re.compile(r"All \d+ quantities"))).to_be_visible()


def test_asking_about_lines_opens_the_chat_with_the_question(page, offline):
    visit(page, address(offline, line=500))
    page.get_by_role("button", name="Ask about this").click()
    box = page.get_by_test_id("stChatInput").locator("textarea")
    expect(box).to_have_value(f"zspr 052: what happens in line 500 of {NEWEST}?", timeout=ANSWER_MS)
    box.press("Enter")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("Offline analyst", timeout=ANSWER_MS)
    expect(page.get_by_test_id("stChatMessage").last.get_by_role("link", name="L 500").first).to_be_visible()


def test_a_pinned_line_is_a_finding_of_the_conversation_and_leads_back(page, offline):
    visit(page, address(offline, line=600))
    page.get_by_role("button", name="Pin as evidence").click()
    expect(page.get_by_text("Pinned: it is a finding")).to_be_visible()
    expect(page).to_have_url(re.compile(r"conv=\w+"))
    with closing(db.connect(offline.home / "instrumentgpt.db")) as database:
        conversation = re.search(r"conv=(\w+)", page.url)[1]
        (pinned,) = [i for i in db.list_state_items(database, conversation) if i.field == "findings"]
    assert (pinned.source, pinned.log, pinned.line, pinned.device) == ("user", NEWEST, 600, "zspr 052")
    page.get_by_role("link", name="Chat").click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text("Pinned line 600", timeout=ANSWER_MS)
    expect(sidebar.get_by_role("link", name="L 600")).to_be_visible()


def test_evidence_in_the_chat_leads_to_its_line_on_the_logs_page(page, offline):
    opened(page, offline.url)
    ask(page, "What is wrong with zspr 053?")
    link = page.get_by_test_id("stChatMessage").last.get_by_role("link", name=re.compile(r"^L [\d,]+$")).first
    number = link.inner_text(timeout=ANSWER_MS).removeprefix("L ")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("Offline analyst", timeout=ANSWER_MS)
    link.click()
    page.get_by_role("dialog").get_by_role("button", name="Open on the Logs page").click()
    expect(page.locator(".lines .row.picked")).to_contain_text(number, timeout=ANSWER_MS)
    expect(page).to_have_url(re.compile(r"/logs\?.*line=\d+"))


def test_hostile_log_text_stays_text(page, ovens):
    dialogs, asked_for = [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked_for.append(request.url))
    visit(page, address(ovens, "hostile.log", "oven 9", 40))
    expect(page.locator(".lines .row.picked")).to_contain_text(f"{HOSTILE} 39")
    page.get_by_role("tab", name="Errors and warnings").click()
    expect(page.get_by_role("tabpanel").filter(has_text="error ×300")).to_contain_text("<script>alert(…)")
    page.get_by_text("All event lines", exact=True).click()
    expect(row(page).first).to_contain_text(HOSTILE)
    page.get_by_role("button", name="Pin as evidence").click()
    page.get_by_role("link", name="Chat").click()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("<img src=x", timeout=ANSWER_MS)
    assert not dialogs
    assert not [url for url in asked_for if not url.startswith((ovens.url, "data:", "blob:"))]
    assert not [url for url in asked_for if url.endswith("/x")]


def test_guessed_columns_are_shown_and_corrected_and_a_missing_period_is_given(page, ovens):
    visit(page, address(ovens, "table.csv", "oven 9"))
    expect(page.get_by_text("Columns: please check")).to_be_visible()
    expect(page.get_by_text("was guessed").first).to_be_visible()
    page.get_by_role("spinbutton", name="Seconds between two rows").fill("2")
    page.get_by_role("button", name="Read it so").click()
    expect(page.get_by_text("The table has no time")).to_have_count(0, timeout=ANSWER_MS)
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()


def test_on_a_phone_nothing_is_wider_than_the_screen(browser, offline):
    with browser.new_context(viewport={"width": 390, "height": 844}) as phone:
        page = visit(phone.new_page(), address(offline, line=100))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(page.locator(".lines .row.picked")).to_be_in_viewport()


def test_the_diagnosis_is_handed_out_as_a_report(page, offline):
    visit(page, address(offline))
    with page.expect_download(timeout=START_SECONDS * 1000) as download:
        page.get_by_role("button", name="報告").click()
    assert download.value.suggested_filename == f"{NEWEST}.report.zh.html"
    text = download.value.path().read_text(encoding="utf-8")
    assert "<html" in text and NEWEST in text and "通道 1" in text
