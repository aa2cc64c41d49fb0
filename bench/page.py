"""The page in a real browser: loading and drawing anew with many messages, and how soon an answer shows.

    python -m bench.page          # writes bench/results/page.txt

A server of its own on loopback, a database of its own, the offline analyst, the demo's instruments.
Every number is the median of REPEATS runs, in seconds: ratios count, absolute times are the machine's.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

import db
from tests.browser.driving import CHROMIUM, FLAGS, Server, ask, counting_agent, opened, running, with_token

RESULT = Path(__file__).parent / "results" / "page.txt"
SIZES = (10, 100, 500)  # messages
QUESTION, FOLLOW_UP = "10.1.1.47 為什麼溫度波動？", "那 kp 可以調高嗎？"
REPEATS = 3
PATIENCE_MS = 60_000
NOTHING_FOUND = "Nothing that was asked, answered or found has these words."


def main() -> int:
    """Measure, print and write the result; return 0, or 1 without a browser."""
    if not CHROMIUM:
        print("no chromium on this machine. Install it: apt-get install chromium", file=sys.stderr)
        return 1
    lines = [
        f"page in Chromium, median of {REPEATS}, seconds ({time.strftime('%Y-%m-%d')}, python -m bench.page)"
    ]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        (Path(folder) / "offline").mkdir()
        (Path(folder) / "counting").mkdir()
        with running(Path(folder) / "offline", {"agent": "offline"}) as server:
            opened(browser.new_page(), server.url).close()  # the first load imports everything
            lines += [loading(browser, server, size) for size in SIZES]
            lines += answering(browser, server)
        settings = counting_agent(Path(folder) / "counting", words=600, seconds=0.05)
        with running(Path(folder) / "counting", settings) as server:
            lines += [stopping(browser, server), streaming(browser, server)]
        browser.close()
    text = "\n".join(lines) + "\n"
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


def median(measure: Callable[[], float]) -> float:
    """Return the median of REPEATS measurements."""
    return statistics.median(measure() for _ in range(REPEATS))


def loading(browser: Browser, server: Server, size: int) -> str:
    """Return how long a conversation of `size` messages takes to open, and to draw anew after a click."""
    with closing(db.connect(server.home / "instrumentgpt.db")) as database, db.transaction(database):
        conversation = db.create_conversation(database)
        for number in range(size // 2):
            db.add_message(database, conversation, "user", f"question {number}")
            db.add_message(database, conversation, "assistant", f"**answer {number}**\n\n- one\n- two")
    load = median(lambda: load_seconds(browser, f"{server.url}/?conv={conversation}", size))
    page = opened(browser.new_page(), f"{server.url}/?conv={conversation}")
    last_shown(page, size)
    again = median(lambda: rerun_seconds(page))
    page.close()
    return f"{size:4} messages   load {load:5.2f}   draw anew {again:5.2f}"


def load_seconds(browser: Browser, address: str, size: int) -> float:
    """Return the seconds from asking for the page to its last message."""
    page = browser.new_page()
    begun = time.perf_counter()
    page.goto(with_token(address))
    last_shown(page, size)
    seconds = time.perf_counter() - begun
    page.close()
    return seconds


def last_shown(page: Page, size: int) -> None:
    """Wait for the newest message."""
    expect(page.get_by_text(f"answer {size // 2 - 1}", exact=True)).to_be_visible(timeout=PATIENCE_MS)


def rerun_seconds(page: Page) -> float:
    """Return the seconds of one run of the script: from typing into the search to its result, and back."""
    search = page.get_by_test_id("stSidebar").get_by_label("Search everything")
    begun = time.perf_counter()
    search.fill("no such words")
    search.press("Enter")
    expect(page.get_by_text(NOTHING_FOUND)).to_be_visible(timeout=PATIENCE_MS)
    seconds = time.perf_counter() - begun
    search.fill("")
    search.press("Enter")
    expect(page.get_by_text(NOTHING_FOUND)).to_have_count(0, timeout=PATIENCE_MS)
    return seconds


def answering(browser: Browser, server: Server) -> list[str]:
    """Return how soon the first words, the chart and the whole answer show, for two questions in a row."""
    asked: dict[str, list[tuple[float, float]]] = {QUESTION: [], FOLLOW_UP: []}
    for _ in range(REPEATS):
        page = opened(browser.new_page(), server.url)
        for number, question in enumerate(asked, start=1):
            asked[question].append(answer_seconds(page, question, number))
        page.close()
    return [
        f"{question}   first words {statistics.median(first for first, _ in times):5.2f}"
        f"   whole answer {statistics.median(whole for _, whole in times):5.2f}"
        for question, times in asked.items()
    ]


def answer_seconds(page: Page, question: str, number: int) -> tuple[float, float]:
    """Return (seconds to the first words, to the whole answer) of the conversation's question `number`."""
    begun = time.perf_counter()
    ask(page, question)
    answer = page.get_by_test_id("stChatMessage").nth(2 * number - 1)
    expect(answer.get_by_test_id("stMarkdown").first).not_to_be_empty(timeout=PATIENCE_MS)
    first = time.perf_counter() - begun
    expect(answer.get_by_text("Offline analyst ·")).to_be_visible(timeout=PATIENCE_MS)
    return first, time.perf_counter() - begun


def stopping(browser: Browser, server: Server) -> str:
    """Return how long Stop takes, from the click to the marked answer on the page."""
    return f"Stop   click to marked answer {median(lambda: stop_seconds(browser, server)):5.2f}"


def stop_seconds(browser: Browser, server: Server) -> float:
    """Return the seconds from the click on Stop to the mark."""
    page = opened(browser.new_page(), server.url)
    ask(page, "count")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("word5", timeout=PATIENCE_MS)
    begun = time.perf_counter()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped before the end")).to_be_visible(timeout=PATIENCE_MS)
    seconds = time.perf_counter() - begun
    page.close()
    return seconds


def streaming(browser: Browser, server: Server) -> str:
    """Return the longest pause between words on screen while an agent says 20 a second."""
    page = opened(browser.new_page(), server.url)
    ask(page, "count")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("word5", timeout=PATIENCE_MS)
    pauses = page.evaluate(
        """async () => {
            const seen = [], end = performance.now() + 10000
            let last = "", since = performance.now()
            while (performance.now() < end) {
                const messages = document.querySelectorAll("[data-testid=stChatMessage]")
                const text = messages[messages.length - 1].innerText
                const now = performance.now()
                if (text !== last) { seen.push(now - since); last = text; since = now }
                await new Promise(requestAnimationFrame)
            }
            return seen
        }"""
    )
    page.get_by_role("button", name="Stop").click()
    page.close()
    ordered = sorted(pauses)
    p95 = ordered[int(0.95 * len(ordered))]
    return (
        f"20 words a second   {len(pauses)} changes on screen in 10 s, pause median "
        f"{statistics.median(pauses) / 1000:5.3f}, p95 {p95 / 1000:5.3f}, longest {ordered[-1] / 1000:5.3f}"
    )


if __name__ == "__main__":
    sys.exit(main())
