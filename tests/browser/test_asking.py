"""Questions as engineers ask them: of a device, by a command, with a file, of another agent, and edited."""

import re

from driving import Server, answered, ask, drop, expect, messages, opened, pick, scripted_agent, speaking
from playwright.sync_api import Page

import db
from instrumentgpt.storage.runs import list_runs, read_events

LIGHT = re.compile(r"rgb\(2\d\d, 2\d\d, 2\d\d\)")
OURS = "離線分析程式"
ENGLISH = re.compile(r"^[^\u4e00-\u9fff]*[A-Za-z]+ [a-z]+ [a-z]+[^\u4e00-\u9fff]*$")  # a line of it alone
EVIDENCE = re.compile(r"^L [\d,]+$")


def conversation_of(page: Page) -> str:
    return re.search(r"conv=(\w+)", page.url)[1]


def tools_of_last_run(server: Server, page: Page) -> list[str]:
    with server.database() as database:
        run = list_runs(database, conversation_of(page))[0]
        return [line for _, line in read_events(database, run.id) if '"Tool"' in line]


def test_a_question_in_chinese_brings_chart_and_evidence_and_the_next_one_fetches_nothing(
    page, context, server
):
    speaking(page, "zh-TW")
    opened(page, server.address())
    tabs = len(context.pages)
    page.get_by_role("button", name="10.1.1.47 為什麼溫度波動？").dblclick()
    first = answered(page, 1, OURS)  # a double click asks once
    expect(first).to_contain_text("zspr 052")
    expect(first).to_contain_text("°C")
    chart = first.get_by_test_id("stPlotlyChart")
    expect(chart).to_be_visible()
    assert any('"fetch_log"' in line for line in tools_of_last_run(server, page))
    link = first.get_by_role("link", name=EVIDENCE).first
    number, address = link.inner_text().removeprefix("L "), link.get_attribute("href")
    link.click()
    expect(page.get_by_role("dialog")).to_contain_text(re.compile(rf"{number} +▶"))
    assert len(context.pages) == tabs
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    ask(page, "那 kp 可以調高嗎？")
    expect(answered(page, 2, OURS)).to_contain_text("kp")
    assert not any('"fetch_log"' in line for line in tools_of_last_run(server, page))
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server.url}/{address}")
    expect(page.get_by_role("dialog")).to_contain_text(re.compile(rf"{number} +▶"))
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(16, 23, 28)")
    expect(chart.locator(".xtick text").first).to_have_css("fill", LIGHT)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("第 2 輪")
    with server.database() as database:
        titles = {one.title for one in db.list_conversations(database)}  # of others' tests on this server
    for part in ("stSidebar", "stMainBlockContainer", "stBottom"):
        shown = set(page.get_by_test_id(part).inner_text().split("\n"))
        assert not [line for line in shown - titles if ENGLISH.search(line)]


def test_a_device_is_observed_by_a_command_with_evidence_and_chart(page, server):
    opened(page, server.address())
    ask(page, "$observe 053 2")
    observed = answered(page, 1, by="command")
    expect(observed).to_contain_text("channel 2: pv")
    observed.get_by_role("link", name=EVIDENCE).first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Line ")
    page.keyboard.press("Escape")
    ask(page, "$tool plot_log channel=2")
    expect(answered(page, 2, by="command").get_by_test_id("stPlotlyChart")).to_be_visible()


def test_a_dropped_log_is_read_and_200_kilobytes_are_pasted_without_loss(page, context, server, tmp_path):
    log = tmp_path / "oven 7.csv"
    rows = [f"{second},60.0,{60 + (second % 20) / 10:.1f},50" for second in range(600)]
    log.write_text("\n".join(["time,setpoint,pv,output", *rows]), encoding="utf-8")
    opened(page, server.address())
    drop(page, log)
    ask(page, "What is wrong here?")
    expect(answered(page, 1)).to_contain_text("oven 7.csv")
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text("oven 7.csv")

    context.grant_permissions(["clipboard-read", "clipboard-write"])
    lines = [
        f"[08:{n // 60:02d}:{n % 60:02d}] SetPoint=65.0 ProcessValue={60 + n % 7}.5 行 {n}"
        for n in range(5_000)
    ]
    text = "\n".join(["為什麼溫度波動？", *lines])
    assert len(text.encode()) > 200_000
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.focus()
    page.keyboard.press("Control+V")
    expect(box).to_have_value(text)
    box.press("Enter")
    answered(page, 2)
    with server.database() as database:
        assert db.list_messages(database, conversation_of(page))[2].content == text
    asked = page.get_by_test_id("stChatMessage").nth(2)
    assert asked.bounding_box()["height"] < 600, "a long question scrolls in a frame of its own"
    expect(asked).to_contain_text(lines[-1])


def test_a_refused_tool_and_thinking_show_and_others_are_asked_the_same_and_something_better(page, server):
    server.held.touch()
    server.save(scripted_agent(server.home.parent, "thinking_agent.py", server.held))
    opened(page, server.address())
    ask(page, "有哪些設備？")
    live = page.get_by_test_id("stChatMessage").last
    expect(live.get_by_text("Thinking", exact=True)).to_be_visible()
    expect(live).to_contain_text("Shell · rm -rf / · not allowed")
    expect(live.get_by_text("kp first.")).to_be_hidden()  # folded
    server.held.unlink()
    first = answered(page, 1, by="Cursor agent")
    expect(first).to_contain_text("Not allowed: Shell")
    expect(first).to_contain_text("kp is too high.")
    expect(first).to_contain_text(
        re.compile(r"Cursor agent · thinker-1 · \d+\.\d s · tokens: 12\.3k in, 410 out")
    )
    first.get_by_text("Thinking", exact=True).click()
    expect(first).to_contain_text("kp first. <img src=x onerror=alert(1)> :red[x] $5 ~6")

    again = first.locator("[class*=st-key-again]").get_by_role("button")
    pick(page, again, page.get_by_text("Ask Offline analyst"))
    expect(answered(page, 2)).to_contain_text("zspr 052")
    both = messages(page, 4)
    expect(both.nth(1)).to_contain_text("kp is too high.")
    expect(both.nth(2)).to_contain_text("有哪些設備？")
    both.nth(2).locator("[class*=st-key-edit]").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Question")).to_have_value("有哪些設備？")
    dialog.get_by_label("Question").fill("and the gains?")
    dialog.get_by_role("button", name="Ask").click()
    expect(dialog).to_have_count(0)
    expect(answered(page, 3, by="Cursor agent")).to_contain_text("kp is too high.")
    expect(both.nth(2)).to_contain_text("有哪些設備？")
