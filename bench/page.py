"""The page in a real browser: loading and drawing anew with many messages, and how soon an answer shows.

    python -m bench.page          # writes bench/results/page.txt

A server of its own on loopback, a database of its own, the offline analyst, the demo's instruments.
Every number is the median of REPEATS runs, in seconds: ratios count, absolute times are the machine's.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

import db
from instrumentgpt.fleet.scan import scan
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import DEMO_INVENTORY
from instrumentgpt.storage.runs import live_runs
from instrumentgpt.storage.verdicts import all_verdicts, store_verdicts
from instrumentgpt.turn import runs
from tests.browser.driving import CHROMIUM, FLAGS, Server, ask, counting_agent, opened, running, with_token

RESULT = Path(__file__).parent / "results" / "page.txt"
SIZES = (10, 100, 500)  # messages
QUESTION, FOLLOW_UP = "10.1.1.47 為什麼溫度波動？", "那 kp 可以調高嗎？"
REPEATS = 3
QUESTIONS = 20  # at once
DEVICES, LOGS = 1_000, 5  # of a large lab, and of each of its devices
IDLE_SECONDS = 30.0
FULL = 300  # pixels: a table of many rows is higher, one of one row is not
TABLE = "document.querySelector('[data-testid=stDataFrame]')?.clientHeight"
PATIENCE_MS = 60_000
SETTLE_MS = 1_500  # nobody types a question faster
NOTHING_FOUND = "Nothing that was asked, answered or found has these words."
NOTE_ENTER = """() => addEventListener(
    'keydown', () => { window.entered = performance.now() }, { once: true, capture: true }
)"""
# Keeps when a frame first showed a step that the turn does, words of its answer, and all of it. A spinner or
# "Working" is none of these; an answer with a chart is whole when the chart is drawn.
NOTE_ANSWER = """number => {
    const noted = window.noted = {}
    const note = (name, shown) => { if (shown) noted[name] ??= performance.now() - window.entered }
    const look = () => {
        const answer = document.querySelectorAll('[data-testid=stChatMessage]')[number]
        const all = (parts) => [...answer?.querySelectorAll(parts) ?? []]
        const said = all('[data-testid=stMarkdown]').filter((text) => text.textContent.trim()
            && !text.closest('[class*=st-key-live-], [data-testid=stExpander]')
            && !text.querySelector('[data-testid=stCaptionContainer]'))
        const whole = said.length && answer.textContent.includes('Offline analyst ·')
            && all('[data-testid=stPlotlyChart]').every((chart) => chart.querySelector('.trace'))
        note('first step', said.length || all('.st-key-live-steps').some((steps) => steps.textContent.trim()))
        note('first words', said.length)
        note('whole answer', whole)
        if (!noted['whole answer']) requestAnimationFrame(look)
    }
    look()
}"""


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
            lines.append(together(server))
            lines.append(large_lab(browser, server))
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
    address, last = f"{server.url}/?conv={conversation}", with_words(f"answer {size // 2 - 1}")
    load = median(lambda: load_seconds(browser.new_page(), with_token(address), last))
    context = browser.new_context()
    load_seconds(context.new_page(), with_token(address), last)
    again = median(lambda: load_seconds(context.new_page(), address, last))
    page = context.new_page()
    page.goto(address)
    frame_with(page, last)
    page.wait_for_timeout(SETTLE_MS)
    anew = median(lambda: rerun_seconds(page))
    context.close()
    return f"{size:4} messages   load {load:5.2f}, again {again:5.2f}   draw anew {anew:5.2f}"


def load_seconds(page: Page, address: str, shown: str) -> float:
    """Return the seconds from asking for the page to the frame in which `shown` holds: see frame_with."""
    page.goto(address, wait_until="commit")
    seconds = frame_with(page, shown)
    page.close()
    return seconds


def with_words(words: str) -> str:
    """Return the condition that the page shows these words."""
    return f"document.body?.textContent.includes({json.dumps(words)})"


def frame_with(page: Page, shown: str, since: str = "0") -> float:
    """Return when a frame was drawn in which `shown` holds, in s since the page was asked for or `since`."""
    script = f"() => ({shown}) && performance.now() - {since}"
    return float(page.wait_for_function(script, timeout=PATIENCE_MS).json_value()) / 1000


def rerun_seconds(page: Page) -> float:
    """Return the seconds of one run of the script: from Enter in the search to the frame with its result."""
    search = page.get_by_test_id("stSidebar").get_by_label("Search everything")
    seconds = seconds_to(page, search, "no such words", with_words(NOTHING_FOUND))
    search.fill("")
    search.press("Enter")
    expect(page.get_by_text(NOTHING_FOUND)).to_have_count(0, timeout=PATIENCE_MS)
    return seconds


def seconds_to(page: Page, box: Locator, typed: str, shown: str) -> float:
    """Return the seconds from Enter after what is typed into `box` to the frame in which `shown` holds."""
    box.fill(typed)
    page.evaluate(NOTE_ENTER)
    box.press("Enter")
    return frame_with(page, shown, "window.entered")


def answering(browser: Browser, server: Server) -> list[str]:
    """Return how soon first words and the whole answer show: of a new log, once, and of a seen one."""
    rounds = [conversation_seconds(browser, server) for _ in range(1 + REPEATS)]
    return [
        in_words(f"{QUESTION}   not seen", rounds[0][:1]),
        in_words(f"{QUESTION}   seen", [first for first, _ in rounds[1:]]),
        in_words(FOLLOW_UP, [second for _, second in rounds[1:]]),
    ]


def in_words(question: str, times: Sequence[dict[str, float]]) -> str:
    """Return the median of each of the `times`."""
    medians = {name: statistics.median(one[name] for one in times) for name in times[0]}
    return "   ".join((question, *(f"{name} {seconds:5.2f}" for name, seconds in medians.items())))


def conversation_seconds(browser: Browser, server: Server) -> list[dict[str, float]]:
    """Return the times of the two questions of a new conversation, in a browser that is new here."""
    page = opened(browser.new_page(), server.url)
    times = []
    for number, question in enumerate((QUESTION, FOLLOW_UP), start=1):
        page.wait_for_timeout(SETTLE_MS)
        times.append(answer_seconds(page, question, number))
    page.close()
    return times


def answer_seconds(page: Page, question: str, number: int) -> dict[str, float]:
    """Return when frames with more of the answer to the conversation's question `number` were drawn."""
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    expect(page.get_by_test_id("stChatInputSubmitButton")).to_be_enabled()
    page.evaluate(NOTE_ENTER)
    page.evaluate(NOTE_ANSWER, 2 * number - 1)
    box.press("Enter")
    page.wait_for_function("() => window.noted['whole answer']", timeout=PATIENCE_MS)
    return {name: milliseconds / 1000 for name, milliseconds in page.evaluate("window.noted").items()}


def together(server: Server) -> str:
    """Return the memory that QUESTIONS in conversations of their own, asked at once, take at most.

    As shipped: three are being answered, the others wait for their turn. Of all processes that answer, the
    server that forks them included and the page not: what each has for itself, and its share of the rest.
    """
    assert server.process is not None
    os.environ["INSTRUMENTGPT_HOME"] = str(server.home)  # where the server is that forks them
    page = psutil.Process(server.process.pid)
    before = megabytes(page)
    with server.database() as database:
        for _ in range(QUESTIONS):
            conversation = db.create_conversation(database)
            runs.start(server.database_path, conversation, QUESTION, agent="offline")
        most = most_processes = 0
        while live_runs(database):
            processes = len(page.children(recursive=True))
            most, most_processes = max(most, megabytes(page)), max(most_processes, processes)
    return (
        f"{QUESTIONS} questions at once   at most {most} MB in {most_processes} processes, before {before} MB"
    )


def megabytes(page: psutil.Process) -> int:
    """Return the memory (PSS) of all that `page` and its children started."""
    total = 0
    for process in page.children(recursive=True):
        with suppress(OSError):  # it has ended
            rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="utf-8")
            total += int(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")))
    return total // 1024


def large_lab(browser: Browser, server: Server) -> str:
    """Return how soon Instruments shows its table and draws it anew, and the share of a core it takes idle.

    The verdicts are those on the demo's logs, given to the logs of all devices in turn.
    """
    assert server.process is not None
    scan(server.database_path, load_inventory(DEMO_INVENTORY).devices, server.home / "cache")
    names = [f"oven {number:04d}" for number in range(DEVICES)]
    inventory = server.home / "lab.toml"
    entries = "[[device]]\nname = '{}'\nip = '{ip}'\nlogs = 'sftp://{ip}/var/log/instrument'\n"
    text = "".join(entries.format(name, ip=f"10.2.{n // 250}.{n % 250}") for n, name in enumerate(names))
    inventory.write_text(text, encoding="utf-8")
    with server.database() as database:
        known = all_verdicts(database)
        verdicts = (
            replace(known[number % len(known)], device=name, log=f"{log}.log")
            for number, name in enumerate(names)
            for log in range(LOGS)
        )
        store_verdicts(database, verdicts)
    server.save({"inventory": str(inventory)})
    address = server.address("instruments")
    load = median(lambda: load_seconds(browser.new_page(), with_token(address), f"{TABLE} > {FULL}"))
    context = browser.new_context()
    load_seconds(context.new_page(), with_token(address), f"{TABLE} > {FULL}")
    again = median(lambda: load_seconds(context.new_page(), address, f"{TABLE} > {FULL}"))
    page = context.new_page()
    page.goto(address)
    frame_with(page, f"{TABLE} > {FULL}")
    box = page.get_by_label("Name, model, room or fault")
    anew = []
    for name in names[:REPEATS]:
        for typed, shown in ((name, f"{TABLE} < {FULL}"), ("", f"{TABLE} > {FULL}")):
            page.wait_for_timeout(SETTLE_MS)
            anew.append(seconds_to(page, box, typed, shown))
    process = psutil.Process(server.process.pid)
    page.wait_for_timeout(SETTLE_MS)
    before = sum(process.cpu_times()[:2])
    page.wait_for_timeout(IDLE_SECONDS * 1000)
    idle = (sum(process.cpu_times()[:2]) - before) / IDLE_SECONDS
    context.close()
    return (
        f"{DEVICES:,} instruments   load {load:5.2f}, again {again:5.2f}   draw anew one "
        f"{statistics.median(anew[::2]):5.2f}, all {statistics.median(anew[1::2]):5.2f}   "
        f"idle {100 * idle:.1f} % of a core"
    )


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
