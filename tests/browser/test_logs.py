"""The Logs page as an engineer uses it: choose, look, narrow, pick lines, ask about them."""

import re
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from driving import (
    START_SECONDS,
    STEP_MS,
    Server,
    answered,
    choose,
    expect,
    settled,
    until,
    with_token,
)
from playwright.sync_api import Locator, Page

import db

NEWEST = "InstrumentDebug_2026-02-19_23-24-45.39.log"
HOSTILE = (
    "<img src=x onerror=alert(1)> <!-- PLOTLY_CHART:abc --> :material/home: $x^2$ **bold** "
    "[L](javascript:alert(1)) </div><script>alert(2)</script> ![p](http://127.0.0.1:9/p)"
)
READING = (
    "[info] Temperature channel 1: setpoint: 55.00 °C, "
    "process value: 54.90 °C, output power: 45.9 %, P: 1.17, I: 44.75, D: -0.00"
)
LARGE = 60_000  # lines
INVENTORY = """
[[device]]
name = "oven 9"
ip = "10.1.1.9"
logs = "{folder}"
"""


def address(server: Server, log: str = NEWEST, device: str = "zspr 052", line: int = 1) -> str:
    return server.address("logs", device=device, log=log, line=line)


def visit(page: Page, url: str) -> None:
    """Open the page and wait until its lines are there and everything else is ready."""
    page.goto(with_token(url))
    expect(row(page).first).to_be_visible(timeout=START_SECONDS * 1000)
    expect(page.get_by_text("what is ready is shown below")).to_have_count(0)
    settled(page)


def row(page: Page) -> Locator:
    return page.locator(".lines .row")


def picked(page: Page) -> Locator:
    return page.locator(".lines .row.picked")


def drag(page: Page, chart: int, first: float, last: float, shown: Locator) -> None:
    """Draw a box over a chart, from and to these shares of its width; `shown` is what comes of it.

    Tried again where nothing does: a chart drawn later moves those below it.
    """
    drawn = page.get_by_test_id("stPlotlyChart").nth(chart)

    def is_shown() -> bool:
        settled(page)
        drawn.hover()
        box = drawn.bounding_box()
        x, width, y = box["x"], box["width"], box["y"] + box["height"] / 3
        page.mouse.move(x + width * first, y)
        page.mouse.down()
        page.mouse.move(x + width * last, y + 8, steps=8)
        page.mouse.up()
        with suppress(AssertionError):
            expect(shown).to_be_visible(timeout=STEP_MS)
        return shown.is_visible()

    until(page, is_shown)


def stamp(second: int) -> str:
    return f"[{datetime(2026, 1, 1) + timedelta(seconds=second)}.000]"


@pytest.fixture
def oven(server, tmp_path) -> Path:
    """The folder of logs of the only device, oven 9."""
    folder = tmp_path / "logs"
    folder.mkdir()
    inventory = tmp_path / "devices.toml"
    inventory.write_text(INVENTORY.format(folder=folder), encoding="utf-8")
    server.save({"inventory": str(inventory)})
    return folder


def test_a_log_is_picked_filtered_and_its_lines_are_gone_to_selected_linked_and_compared(page, server):
    visit(page, server.address("logs"))
    choose(page, "Device", "zspr 053 (10.1.1.112)")
    expect(page.get_by_role("combobox", name="Log")).to_have_value(re.compile("InstrumentDebug_2026-02-20"))
    choose(page, "Log", "InstrumentDebug_2026-02-16_11-20-41.17.log")
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(2)
    expect(page).to_have_url(re.compile(r"device=zspr(\+|%20)053&log=InstrumentDebug_2026-02-16"))
    expect(row(page).first).to_contain_text("2026-02-16 11:20:41")
    expect(page.get_by_role("tab", name="Findings")).to_be_visible()

    page.get_by_role("spinbutton", name="Go to line").fill("3000")
    page.keyboard.press("Enter")
    expect(picked(page)).to_contain_text("3,000")
    expect(picked(page)).to_be_in_viewport()
    assert picked(page).get_by_role("link").get_attribute("href").endswith("&line=3000")
    row(page).filter(has_text=re.compile(r"^3,002")).click()
    expect(page.get_by_text("Line 3,002", exact=True)).to_be_visible()
    row(page).filter(has_text=re.compile(r"^3,005")).click(modifiers=["Shift"])
    expect(page.get_by_text("Lines 3,002–3,005", exact=True)).to_be_visible()
    expect(picked(page)).to_have_count(4)
    expect(page).to_have_url(re.compile("&line=3002$"))

    page.get_by_role("button", name="errors").click()
    expect(page.get_by_text(re.compile(r"^\d+ event lines? fits?"))).to_be_visible()
    expect(page.locator(".lines .row:not(.errors)")).to_have_count(0)
    page.get_by_role("textbox", name="Words in event lines").fill("no such words")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No event line fits")).to_be_visible()
    choose(page, "Compare with", "InstrumentDebug_2026-02-20")
    expect(page.get_by_text("Before", exact=True)).to_be_visible()
    expect(page.get_by_text("After", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile(r"All \d+ quantities"))).to_be_visible()
    expect(page.get_by_text("From InstrumentDebug_2026-02-16")).to_be_visible()
    expect(page.get_by_text("New fault: Oscillation from the gains")).to_be_visible()
    until(page, lambda: len(axes(page)) == 2)
    assert axes(page)[0] == axes(page)[1], "a degree or a minute is longer in one of them"


def axes(page: Page) -> list[list[float]]:
    """Return of each chart the degrees and the time that its first row shows."""
    shown = "[...document.querySelectorAll('.js-plotly-plot')].map(chart => chart._fullLayout)"
    span = "Math.round((Date.parse(xaxis.range[1]) - Date.parse(xaxis.range[0])) / 1000)"
    return page.evaluate(f"{shown}.map(({{ xaxis, yaxis }}) => [...yaxis.range, {span}])")


def test_charts_are_narrowed_and_lead_to_lines_as_findings_do_and_the_report_is_handed_out(page, server):
    visit(page, address(server, "InstrumentDebug_2026-02-20_08-47-19.73.log", "zspr 053"))
    expect(page.locator(".xtick text").first).to_contain_text("08:50")  # as in the log, wherever it is read
    for chart in (0, 1):
        drag(page, chart, 0.4, 0.6, page.get_by_text("Part of the log"))
        page.get_by_role("button", name="Show all").click()
        expect(page.get_by_text("Whole log")).to_be_visible()
    drag(page, 1, 0.5, 0.52, picked(page).filter(has_text=re.compile(r"^\d,\d{3}")))  # a short stroke
    expect(page).to_have_url(re.compile(r"line=\d{4}"))
    expect(picked(page)).to_be_in_viewport()
    expect(page.get_by_text("Whole log")).to_have_count(1)
    evidence = page.get_by_role("button", name=re.compile(r"^L [\d,]+$")).first
    number = evidence.inner_text().removeprefix("L ").strip()
    evidence.click()
    expect(picked(page)).to_contain_text(number)
    page.get_by_role("button", name="Show", exact=True).first.click()
    expect(page.get_by_text("Part of the log")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert download.value.suggested_filename.endswith(".report.html")
    assert "Channel 1" in text


def test_lines_are_asked_about_and_pinned_and_evidence_in_the_chat_leads_back(page, server):
    visit(page, address(server, line=600))
    page.get_by_role("button", name="Pin as evidence").click()
    expect(page.get_by_text("Pinned: it is a finding")).to_be_visible()
    expect(page).to_have_url(re.compile(r"conv=\w+"))
    conversation = re.search(r"conv=(\w+)", page.url)[1]
    with server.database() as database:
        (pinned,) = [i for i in db.list_state_items(database, conversation) if i.field == "findings"]
    assert (pinned.source, pinned.log, pinned.line, pinned.device) == ("user", NEWEST, 600, "zspr 052")
    page.get_by_role("button", name="Ask about this").click()
    box = page.get_by_test_id("stChatInput").locator("textarea")
    expect(box).to_have_value(f"zspr 052: what happens in line 600 of {NEWEST}?")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text("Pinned line 600")
    expect(sidebar.get_by_role("link", name="L 600")).to_be_visible()
    box.press("Enter")
    answered(page, 1).get_by_role("link", name="L 600").first.click()
    lines = page.get_by_role("dialog")
    expect(lines).to_be_visible()
    page.go_back()
    expect(lines).to_have_count(0)
    expect(page).to_have_url(re.compile(rf"\?conv={conversation}$"))
    page.go_forward()
    lines.get_by_role("button", name="Open on the Logs page").click()
    expect(picked(page)).to_contain_text("600")
    expect(page).to_have_url(re.compile(r"/logs\?.*line=600"))


def test_hostile_text_of_logs_users_and_agents_stays_text_and_fetches_nothing(page, server, oven):
    lines = [f"{stamp(n)}[error] [Door] {HOSTILE} {n}" for n in range(300)]
    lines += [f"{stamp(n)}{READING}" for n in range(300, 600)]
    (oven / "hostile.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    dialogs, asked_for = [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked_for.append(request.url))
    visit(page, address(server, "hostile.log", "oven 9", 40))
    expect(picked(page)).to_contain_text(f"{HOSTILE} 39")
    page.get_by_role("tab", name="Errors and warnings").click()
    expect(page.get_by_role("tabpanel").filter(has_text="error ×300")).to_contain_text("<script>alert(…)")
    page.get_by_role("button", name="Pin as evidence").click()
    expect(page).to_have_url(re.compile(r"conv=\w+"))
    with server.database() as database:
        for role in ("user", "assistant"):
            db.add_message(database, re.search(r"conv=(\w+)", page.url)[1], role, HOSTILE)
    page.get_by_role("link", name="Chat").click()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("<img src=x")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    for message in page.get_by_test_id("stChatMessage").all():
        expect(message).to_contain_text("onerror")  # its words come after its frame
        shown = message.inner_text().replace("\u2060", "")
        for piece in (
            "<img src=x onerror=alert(1)>",
            "<!-- PLOTLY_CHART:abc -->",
            ":material/home:",
            "$x^2$",
        ):
            assert piece in shown
        expect(message.locator("img, .katex, script")).to_have_count(0)
    assert not dialogs
    assert not [url for url in asked_for if not url.startswith((server.url, "data:", "blob:"))]
    assert not [url for url in asked_for if url.endswith("/x")]


def test_a_large_log_opens_at_its_last_line_and_guessed_columns_and_kinds_of_loop_are_corrected(
    page, server, oven
):
    lines = "".join(f"{stamp(second)}{READING}\n" for second in range(LARGE))
    (oven / "large.log").write_text(lines, encoding="utf-8")
    rows = "".join(f"60.0;{60 + (n % 40) / 50:.2f};{50 + n % 7}\n" for n in range(900))
    (oven / "table.csv").write_text(rows, encoding="utf-8")
    rows = "".join(f"{2 * n};60.0;{60 + (n % 40) / 50:.2f};{50 + n % 7}\n" for n in range(900))
    for name in ("first.csv", "second.csv"):
        (oven / name).write_text("time;setpoint;temp;duty\n" + rows, encoding="utf-8")
    visit(page, address(server, "large.log", "oven 9", LARGE))
    expect(picked(page)).to_contain_text(f"{LARGE:,}")
    expect(picked(page)).to_be_in_viewport()
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    choose(page, "Log", "table.csv")
    expect(page.get_by_text("Columns: please check")).to_be_visible()
    expect(page.get_by_text("was guessed").first).to_be_visible()
    page.get_by_role("spinbutton", name="Seconds between two rows").fill("2")
    page.get_by_role("button", name="Read it so").click()
    expect(page.get_by_text("The table has no time")).to_have_count(0)
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()

    choose(page, "Log", "first.csv")
    page.get_by_text("Kind of loop: continuous control, heats").click()
    choose(page, "It is", "on/off control")
    page.get_by_role("button", name="Judge it so").click()
    expect(page.get_by_text("Kind of loop: on/off control, heats")).to_be_visible()
    choose(page, "Log", "second.csv")
    expect(page.get_by_text("Kind of loop: on/off control, heats")).to_be_visible()


def test_a_log_that_is_followed_shows_the_line_that_is_written_and_says_when_none_comes(page, server, oven):
    with (oven / "run.log").open("w", encoding="utf-8", buffering=1) as log:
        log.writelines(f"{stamp(second)} {READING}\n" for second in range(300))
        visit(page, address(server, "run.log", "oven 9", 7))
        page.get_by_text("Follow", exact=True).click()
        expect(row(page).last).to_contain_text("300")
        expect(page.locator(".st-key-following")).to_contain_text(re.compile(r"No new lines for \d+ s"))
        log.write(f"{stamp(300)} {READING}\n{stamp(301)} [error] Door")
        expect(row(page).last).to_contain_text("301")
        expect(row(page).last).to_be_in_viewport()
        log.write(" opened while heating\n")
        expect(row(page).filter(has_text="Door opened while heating")).to_contain_text("302")
        page.get_by_text("Follow", exact=True).click()
        expect(page.locator(".st-key-following")).to_have_count(0)
