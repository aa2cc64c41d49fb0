"""Nothing on the page calls another host: what is shown cannot ask for it, and the browser would refuse."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from driving import expect, opened, until
from exchanges import exchange
from nasty_markdown import CASES

import db

STATED = re.compile(r"^Offline analyst · ")  # below each answer
SHOWN = 10  # exchanges that a page shows without being asked for more
LOADING = """url => {
    const image = document.createElement("img")
    image.src = url + "?image"
    const style = document.createElement("style")
    style.textContent = `body { background: url(${url}?style) }`
    const frame = document.createElement("iframe")
    frame.src = url + "?frame"
    document.body.append(image, style, frame)
    return fetch(url + "?fetch").then(() => "answered", () => "refused")
}"""


@pytest.fixture
def other_host() -> Iterator[tuple[str, list[str]]]:
    """The address of a server on another port, and what has been asked of it."""
    asked: list[str] = []

    class Noted(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Noted) as listener:
        Thread(target=listener.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listener.server_port}/x.png", asked
        listener.shutdown()


def test_what_stands_on_the_page_asks_nobody_even_where_the_browser_would_not_refuse(
    page, server, other_host
):
    url, asked = other_host
    opened(page, server.address())
    assert page.evaluate(LOADING, url) == "refused"
    assert asked == []
    page.context.new_cdp_session(page).send("Page.setBypassCSP", {"enabled": True})
    texts = [text.format(url=url) for text in CASES.values()]
    for start in range(0, len(texts), SHOWN):
        with server.database() as database:
            conversation = db.create_conversation(database)
            for text in texts[start : start + SHOWN]:
                exchange(database, conversation, text, text)
        opened(page, server.address(conv=conversation))
        expect(page.get_by_text(STATED)).to_have_count(len(texts[start : start + SHOWN]))
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        page.wait_for_load_state("networkidle")
    assert asked == []
    assert page.evaluate(LOADING, url) == "answered"  # the same browser loads what it is asked for
    expect(page.locator("iframe")).to_be_attached()
    until(page, lambda: {"/x.png?image", "/x.png?fetch"} <= set(asked))
