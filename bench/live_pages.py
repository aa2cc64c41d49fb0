"""Answers while they are written, in a real browser: how late words show, and what pages cost the server.

`python -m bench.wrapper` runs it and keeps its figures.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import numpy as np
import psutil
from playwright.sync_api import Browser, Page, expect, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.driving import CHROMIUM, FLAGS, Server, ask, opened, running, with_token

PAUSE = 0.23  # s between two words; no divisor of the page's second
WORDS = 120  # whose delay is measured
PAGES = (1, 5, 20)  # that show the same answer grow
CPU_SECONDS = 10.0
SETTLE_SECONDS = 3.0  # after the last page has opened
AIM_MS = 250.0  # of the delay, p95
PATIENCE_MS = 60_000
SAID = b"at1"  # how each word begins: the time in ms
# Says the time at which it says it, in a word of the answer; never ends by itself before COUNT words.
AGENT = """#!{python}
import json, sys, time
if "--help" in sys.argv:
    sys.exit(0)
if "status" in sys.argv:
    print("Logged in as bench")
    sys.exit(0)
say = lambda line: print(json.dumps(line), flush=True)
for number in range({count}):
    time.sleep({pause})
    word = f"at{{time.time() * 1000:.0f}} "
    say({{"type": "assistant", "timestamp_ms": 1, "message": {{"content": [{{"text": word}}]}}}})
say({{"type": "result", "subtype": "success", "result": ""}})
"""
# Keeps, for every word of the growing answer, when it was said and when the frame that shows it was drawn.
WATCH = """() => {
    window.shown = new Map()
    const look = () => requestAnimationFrame(() => {
        const answer = [...document.querySelectorAll('[data-testid="stChatMessage"]')].at(-1)
        for (const [, said] of (answer?.textContent ?? '').matchAll(/at(\\d{13})/g))
            if (!window.shown.has(said)) window.shown.set(said, Date.now() - Number(said))
    })
    new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true})
}"""


def measured() -> list[str]:
    """Return the delay from an agent's stdout to the screen, and the server's CPU by live pages."""
    if not CHROMIUM:
        return ["stdout to browser, live pages: not measured, no chromium on this machine"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        try:
            return [delay(browser), *cpu(browser)]
        finally:
            browser.close()


def delay(browser: Browser) -> str:
    """Return the delay from a line on stdout to its words in the browser, p50 and p95."""
    with _speaking(browser, WORDS) as (_, page):
        page.evaluate(WATCH)
        page.wait_for_function(f"window.shown.size >= {WORDS - 10}", timeout=PATIENCE_MS)
        delays = [float(late) for late in page.evaluate("[...window.shown.values()]")]
    p50, p95 = np.percentile(np.array(delays[5:]), [50, 95])  # what was there before it watched is no delay
    verdict = "within" if p95 <= AIM_MS else "over"
    return f"stdout to browser: p50 {p50:.0f} ms, p95 {p95:.0f} ms ({verdict} the aim of {AIM_MS:g} ms)"


def cpu(browser: Browser) -> Iterator[str]:
    """Yield the CPU of the server while PAGES show the same answer grow, four words a second.

    The pages are clients that speak Streamlit's wire: twenty tabs would take both cores for drawing.
    """
    with _speaking(browser, 100_000) as (server, page):
        conversation = parse_qs(urlsplit(page.url).query)["conv"][0]
        page.goto("about:blank")
        for count in PAGES:
            with ThreadPoolExecutor(1) as thread:  # Playwright has an event loop in this one
                spent, heard = thread.submit(asyncio.run, _watched(server, conversation, count)).result()
            assert heard >= count * CPU_SECONDS, "a page did not follow the answer"
            pages = f"{count} live page{'s' * (count > 1)}"
            yield f"{pages}: {100 * spent / CPU_SECONDS:.0f} % of a core in the server"
        opened(page, f"{server.url}/?conv={conversation}")


async def _watched(server: Server, conversation: str, count: int) -> tuple[float, int]:
    """Return the CPU seconds that the server spends on `count` pages, and how often they heard new text."""
    assert server.process is not None
    process, heard = psutil.Process(server.process.pid), [0] * count
    jar = aiohttp.CookieJar(unsafe=True)  # takes cookies of an IP address
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        await session.get(with_token(server.url))
        pages = [asyncio.create_task(_page(session, server, conversation, heard, n)) for n in range(count)]
        await asyncio.sleep(SETTLE_SECONDS + count / 2)
        before, told = process.cpu_times(), sum(heard)
        await asyncio.sleep(CPU_SECONDS)
        after, told = process.cpu_times(), sum(heard) - told
        for page in pages:
            page.cancel()
        await asyncio.gather(*pages, return_exceptions=True)
    return (after.user - before.user) + (after.system - before.system), told


async def _page(
    session: aiohttp.ClientSession, server: Server, conversation: str, heard: list[int], number: int
) -> None:
    """Open the conversation as a browser does, run its fragments when they are due, count what is told."""
    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    async with session.ws_connect(
        address, protocols=["streamlit"], origin=server.url, max_msg_size=0
    ) as wire:
        await wire.send_bytes(_rerun(conversation))
        async with asyncio.TaskGroup() as fragments:
            due: dict[str, asyncio.Task[None]] = {}
            async for message in wire:
                told = ForwardMsg.FromString(message.data)
                heard[number] += told.WhichOneof("type") == "delta" and SAID in message.data
                fragment = told.auto_rerun.fragment_id
                if fragment and fragment not in due:
                    again = _repeat(wire, _rerun(conversation, fragment), told.auto_rerun.interval)
                    due[fragment] = fragments.create_task(again)


async def _repeat(wire: aiohttp.ClientWebSocketResponse, message: bytes, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        await wire.send_bytes(message)


def _rerun(conversation: str, fragment: str = "") -> bytes:
    told = BackMsg()
    told.rerun_script.query_string = f"conv={conversation}"
    if fragment:
        told.rerun_script.fragment_id, told.rerun_script.is_auto_rerun = fragment, True
    return bytes(told.SerializeToString())


@contextmanager
def _speaking(browser: Browser, count: int) -> Iterator[tuple[Server, Page]]:
    """A server, and a page of it with an answer of `count` words that has begun to grow."""
    with tempfile.TemporaryDirectory() as folder:
        agent = Path(folder) / "agent"
        agent.write_text(AGENT.format(python=sys.executable, count=count, pause=PAUSE), encoding="utf-8")
        agent.chmod(0o755)
        settings = {"agent": "cursor", "agent_path": str(agent), "total_seconds": "600"}
        with running(Path(folder), settings) as server, browser.new_context() as context:
            page = opened(context.new_page(), server.url)
            ask(page, "how are you?")
            _await_words(page)
            try:
                yield server, page
            finally:
                stop = page.get_by_role("button", name="Stop")
                if stop.count():
                    stop.click()
                    expect(page.get_by_text("Stopped before the end")).to_be_visible(timeout=PATIENCE_MS)


def _await_words(page: Page) -> None:
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text(SAID.decode(), timeout=PATIENCE_MS)
