"""Takes the pictures of this folder anew: `python docs/screenshots/take.py [NAME …]`, about three minutes.

A server in a home of its own, answered by the offline analyst on the demo logs, in the system's Chromium.
It needs fonts for Chinese and for coloured signs: apt-get install fonts-noto-cjk fonts-noto-color-emoji
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "tests" / "browser")]

from driving import CHROMIUM, FLAGS, Server, ask, opened, running, with_token  # noqa: E402

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
WORK_MS = 120_000
SETTLED_MS = 2_500  # charts drawn, messages scrolled to
QUESTION = "What is wrong with zspr 053?"


def answered(page: Page, words: str) -> None:
    """Wait until the newest answer is there, with `words`, and the page has come to rest."""
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text(words, timeout=WORK_MS)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=WORK_MS)
    page.wait_for_timeout(SETTLED_MS)


def in_mode(page: Page, server: Server, mode: str) -> None:
    opened(page, server.url)
    page.get_by_test_id("stBottom").get_by_role("radio", name=mode).click()


def shown_from_the_top(page: Page) -> None:
    for _ in range(2):  # the page itself goes to its end, once
        page.get_by_test_id("stChatMessage").first.evaluate("one => one.scrollIntoView({block: 'end'})")
        page.wait_for_timeout(SETTLED_MS)


def diagnosed(page: Page, server: Server) -> None:
    opened(page, server.url)
    ask(page, QUESTION)
    answered(page, "Next:")


def start(page: Page, server: Server) -> None:
    opened(page, server.url)
    page.wait_for_timeout(SETTLED_MS)


def chat(page: Page, server: Server) -> None:
    diagnosed(page, server)
    shown_from_the_top(page)


def advice(page: Page, server: Server) -> None:
    diagnosed(page, server)


def chinese(page: Page, server: Server) -> None:
    opened(page, server.url)
    ask(page, "10.1.1.47 為什麼溫度波動？")
    answered(page, "下一步")
    ask(page, "那 kp 可以調高嗎？")
    answered(page, "尚未證實")


def evidence(page: Page, server: Server) -> None:
    chat(page, server)
    page.get_by_test_id("stChatMessage").last.get_by_role("link", name="L 517").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("ProcessValue=64.59C")
    page.wait_for_timeout(SETTLED_MS)


def interview(page: Page, server: Server) -> None:
    in_mode(page, server, "Interview")
    ask(page, "the oven is off by two degrees since Monday")
    answered(page, "❓")
    ask(page, "zspr 053. For example yesterday at 14:00 it read 57 when set to 55")
    answered(page, "57 when set to 55")
    shown_from_the_top(page)


def investigate(page: Page, server: Server) -> None:
    in_mode(page, server, "Investigate")
    ask(page, "compare the six ovens since Monday and write a report")
    page.get_by_role("button", name="Yes, go ahead").click(timeout=WORK_MS)
    answered(page, "gen_report_1")


def panel(page: Page, server: Server) -> None:
    in_mode(page, server, "Panel")
    ask(page, "10.1.1.46 too little power or a failing heater?")
    page.get_by_role("button", name="Start the panel").click(timeout=WORK_MS)
    expect(page.get_by_role("button", name="What to do next")).to_be_visible(timeout=WORK_MS)
    answered(page, "What it cost")
    page.mouse.move(DESK["width"] / 2, DESK["height"] / 2)
    page.mouse.wheel(0, 10 * DESK["height"])
    page.wait_for_timeout(SETTLED_MS)


def logs(page: Page, server: Server) -> None:
    log = "InstrumentDebug_2026-02-20_08-47-19.73.log"
    page.goto(with_token(server.address("logs", device="zspr 053", log=log)))
    expect(page.get_by_text("Oscillation from the gains").first).to_be_visible(timeout=WORK_MS)
    page.wait_for_timeout(2 * SETTLED_MS)


def instruments(page: Page, server: Server) -> None:
    page.goto(with_token(server.address("instruments")))
    expect(page.get_by_test_id("stAlert")).to_have_count(1, timeout=WORK_MS)  # all are being judged
    expect(page.get_by_test_id("stAlert")).to_have_count(0, timeout=WORK_MS)
    table = page.get_by_test_id("stDataFrame").first.bounding_box()
    assert table is not None
    page.mouse.click(table["x"] + 12, table["y"] + 35 + 35 + 17)  # the box of the second row, on a canvas
    expect(page.get_by_test_id("stPlotlyChart")).to_be_visible(timeout=WORK_MS)
    page.wait_for_timeout(SETTLED_MS)


Size, Colours = dict[str, int], str
PICTURES: dict[str, tuple[Callable[[Page, Server], None], Size, Colours]] = {
    "start": (start, DESK, "light"),
    "chat-light": (chat, {"width": 1440, "height": 1150}, "light"),
    "chat-dark": (advice, DESK, "dark"),
    "chat-chinese": (chinese, DESK, "light"),
    "evidence": (evidence, DESK, "light"),
    "interview": (interview, DESK, "light"),
    "investigate": (investigate, DESK, "light"),
    "panel": (panel, DESK, "light"),
    "phone": (advice, PHONE, "light"),
    "instruments": (instruments, {"width": 1280, "height": 1000}, "light"),
    "logs-light": (logs, {"width": 1280, "height": 1100}, "light"),
}


def take(browser: Browser, server: Server, name: str) -> None:
    """Take one picture with a new visitor of the page."""
    draw, size, colours = PICTURES[name]
    context = browser.new_context(viewport=size, locale="en-GB", color_scheme=colours)  # type: ignore[arg-type]
    draw(page := context.new_page(), server)
    page.screenshot(path=str(HERE / f"{name}.png"))
    context.close()


def main(names: list[str]) -> None:
    """Take the pictures that are named, or all."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        with running(Path(folder), {"agent": "offline"}) as server:
            for name in names or PICTURES:
                take(browser, server, name)
                print(f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
