"""A conversation as an engineer has it: questions, charts, evidence, files, on a desk and on a phone."""

import re
from contextlib import closing

import pytest
from driving import ANSWER_MS, ask, opened, until
from playwright.sync_api import Page, expect

import db
from instrumentgpt.storage.runs import list_runs, read_events


def answers(page: Page, count: int) -> None:
    """Wait until `count` questions have their finished answers."""
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2 * count, timeout=ANSWER_MS)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=ANSWER_MS)
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("Offline analyst", timeout=ANSWER_MS)


def tools_of_last_run(server, page: Page) -> list[str]:
    conversation = re.search(r"conv=(\w+)", page.url)[1]
    with closing(db.connect(server.home / "instrumentgpt.db")) as database:
        run = list_runs(database, conversation)[0]
        return [line for _, line in read_events(database, run.id) if '"Tool"' in line]


def test_the_chinese_conversation_with_a_second_question_that_fetches_nothing_again(page, offline):
    opened(page, offline.url)
    page.get_by_role("button", name="10.1.1.47 為什麼溫度波動？").click()
    answers(page, 1)
    first = page.get_by_test_id("stChatMessage").last
    expect(first).to_contain_text("zspr 052")
    expect(first).to_contain_text("°C")
    expect(first.get_by_test_id("stPlotlyChart")).to_be_visible()
    assert any('"fetch_log"' in line for line in tools_of_last_run(offline, page))
    ask(page, "那 kp 可以調高嗎？")
    answers(page, 2)
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("kp")
    assert not any('"fetch_log"' in line for line in tools_of_last_run(offline, page))
    page.reload()
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible(timeout=ANSWER_MS)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("turn 2")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("zspr 052")


def test_evidence_opens_the_lines_in_the_page_and_stays_an_address(page, context, offline):
    opened(page, offline.url)
    ask(page, "What is wrong with zspr 051?")
    answers(page, 1)
    link = page.get_by_test_id("stChatMessage").last.get_by_role("link", name=re.compile(r"^L [\d,]+$")).first
    number, address = link.inner_text().removeprefix("L "), link.get_attribute("href")
    link.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Line {number}")
    expect(dialog).to_contain_text(re.compile(rf"{number} +▶"))
    assert len(context.pages) == 1
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    second = opened(context.new_page(), offline.url + "/" + address)
    expect(second.get_by_role("dialog")).to_contain_text(re.compile(rf"{number} +▶"))


@pytest.mark.parametrize("log", ["../../instrumentgpt.db", "/etc/passwd", "nothing.log"])
def test_an_address_cannot_open_any_other_file(page, offline, log):
    with closing(db.connect(offline.home / "instrumentgpt.db")) as database:
        conversation = db.create_conversation(database)
        db.add_message(database, conversation, "user", "hello")
    opened(page, f"{offline.url}/?conv={conversation}&log={log}&line=1")
    expect(page.get_by_role("dialog")).to_contain_text(re.compile("is not (here|in the inventory)"))
    expect(page.get_by_role("dialog")).not_to_contain_text("root:")


def test_a_dropped_log_is_read_and_named_with_its_question(page, offline, tmp_path):
    log = tmp_path / "oven 7.csv"
    rows = [f"{second},60.0,{60 + (second % 20) / 10:.1f},50" for second in range(600)]
    log.write_text("\n".join(["time,setpoint,pv,output", *rows]), encoding="utf-8")
    opened(page, offline.url)
    page.get_by_test_id("stChatInput").locator("input[type=file]").set_input_files(log)
    expect(page.get_by_test_id("stChatInput")).to_contain_text("oven 7.csv")
    ask(page, "What is wrong here?")
    answers(page, 1)
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text("oven 7.csv")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("oven 7.csv")


def test_five_hundred_messages_open_at_the_last_twenty(page, offline):
    with closing(db.connect(offline.home / "instrumentgpt.db")) as database, db.transaction(database):
        conversation = db.create_conversation(database)
        for number in range(250):
            db.add_message(database, conversation, "user", f"question {number}")
            db.add_message(database, conversation, "assistant", f"answer {number}")
    opened(page, f"{offline.url}/?conv={conversation}")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(20)
    page.get_by_role("button", name="Load earlier").click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(40)
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text("question 230")


def test_forged_markers_html_and_directives_are_text(page, offline):
    forged = "<!-- PLOTLY_CHART:abc --> <img src=x onerror=alert(1)> :material/home: $x^2$ ~a~ ![p](http://127.0.0.1:9/p)"
    with closing(db.connect(offline.home / "instrumentgpt.db")) as database:
        conversation = db.create_conversation(database)
        db.add_message(database, conversation, "user", forged)
        db.add_message(database, conversation, "assistant", forged)
    asked_for = []
    page.on("request", lambda request: asked_for.append(request.url))
    opened(page, f"{offline.url}/?conv={conversation}")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    for message in page.get_by_test_id("stChatMessage").all():
        shown = message.inner_text().replace("\u2060", "")
        for piece in (
            "<!-- PLOTLY_CHART:abc -->",
            "<img src=x onerror=alert(1)>",
            ":material/home:",
            "$x^2$",
            "~a~",
        ):
            assert piece in shown
        expect(message.locator("img, .katex")).to_have_count(0)
    assert not [url for url in asked_for if not url.startswith((offline.url, "data:", "blob:"))]


def test_rename_and_delete_from_the_sidebar(page, offline):
    with closing(db.connect(offline.home / "instrumentgpt.db")) as database:
        conversation = db.create_conversation(database)
        db.add_message(database, conversation, "user", "door")
    opened(page, f"{offline.url}/?conv={conversation}")
    sidebar = page.get_by_test_id("stSidebar")
    menu = sidebar.locator(f".st-key-menu-{conversation}").get_by_role("button")
    menu.click()
    page.get_by_text("Rename", exact=True).click()
    page.get_by_role("dialog").get_by_label("Title").fill("Oven door")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(sidebar.get_by_role("button", name="Oven door")).to_be_visible()
    menu.click()
    page.get_by_text("Delete", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("cannot be undone")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(sidebar.get_by_role("button", name="Oven door")).to_have_count(0)
    expect(page.get_by_text("What is your instrument doing?")).to_be_visible()


def test_on_a_phone_nothing_is_wider_than_the_screen_and_the_memory_is_a_tap_away(browser, offline):
    with browser.new_context(viewport={"width": 390, "height": 844}) as phone:
        page = opened(phone.new_page(), offline.url)
        page.get_by_role("button", name="10.1.1.47 為什麼溫度波動？").click()
        answers(page, 1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(page.get_by_test_id("stSidebar").get_by_text("Memory")).to_be_visible()


def test_200_kilobytes_are_pasted_sent_and_kept_without_loss_or_a_frozen_page(page, context, offline):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    lines = [
        f"[08:{n // 60:02d}:{n % 60:02d}] SetPoint=65.0 ProcessValue={60 + n % 7}.5 行 {n}"
        for n in range(5_000)
    ]
    text = "\n".join(["為什麼溫度波動？", *lines])
    assert len(text.encode()) > 200_000
    opened(page, offline.url)
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.focus()
    page.keyboard.press("Control+V")
    expect(box).to_have_value(text)
    box.press("Enter")
    answers(page, 1)
    with closing(db.connect(offline.home / "instrumentgpt.db")) as database:
        conversation = re.search(r"conv=(\w+)", page.url)[1]
        assert db.list_messages(database, conversation)[0].content == text
    asked = page.get_by_test_id("stChatMessage").first
    assert asked.bounding_box()["height"] < 600, "a long question scrolls in a frame of its own"
    expect(asked).to_contain_text(lines[-1])


def scrolled_up(page: Page) -> bool:
    """Turn the wheel upwards; return whether the first message is there, and the page at rest."""
    first = page.get_by_test_id("stChatMessage").first
    page.mouse.wheel(0, -5_000)
    page.wait_for_timeout(1_000)  # what the page scrolls by itself comes last
    box = first.bounding_box()
    page.wait_for_timeout(1_000)
    return box is not None and box["y"] + box["height"] > 0 and box == first.bounding_box()


def test_a_question_asked_while_reading_further_up_brings_its_answer_into_view(page, offline):
    page.set_viewport_size({"width": 1280, "height": 640})
    opened(page, offline.url)
    ask(page, "What is wrong with zspr 053?")
    answers(page, 1)
    page.mouse.move(640, 300)
    until(page, lambda: scrolled_up(page))
    ask(page, "and zspr 051?")
    answers(page, 2)
    expect(page.get_by_test_id("stChatMessage").last.get_by_text("Offline analyst · ")).to_be_in_viewport()
