"""The server of the page: what stands before Streamlit's own, and what happens when it starts and stops."""

import base64
import hashlib
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route
from streamlit.cli_util import open_browser
from streamlit.web.server.server_util import get_display_address, get_url

import db
from instrumentgpt.agents.warm import keep_server
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.paths import keep_private
from instrumentgpt.ui.access import LOOPBACK, Access, Gate, access
from instrumentgpt.ui.session import PAGE_NAMES

PAGE_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' blob: {inline}",  # blob: what our own components are loaded from
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws://{{host}} wss://{{host}}",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
# An origin of its own, that asks nobody for anything: scripts of a report draw its charts.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; frame-ancestors 'self'"
)
WHERE = 'window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href }'
OPENING = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={url}">'
OPEN_MESSAGE = "\n  InstrumentGPT is open at\n\n  {url}\n"


def page_text() -> str:
    """Return Streamlit's page, told where its server is.

    Otherwise it asks below the address of a page first, and the browser reports two 404 (streamlit #7074).
    """
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    page = page.replace("<title>Streamlit</title>", "<title>InstrumentGPT</title>")
    return page.replace("<head>", f"<head><script>{WHERE}</script>", 1)


def page_policy(page: str) -> str:
    """Return the Content-Security-Policy of the page, with the hashes of the scripts in it."""
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    return PAGE_POLICY.format(inline=" ".join(f"'sha256-{digest}'" for digest in hashes))


def report(request: Request) -> HTMLResponse:
    """Return a report that an answer made, as a page that can do nothing to the one around it."""
    with closing(db.connect(database_path())) as database:
        artifact = db.get_artifact(database, *request.path_params.values())
    if artifact is None or artifact.kind != "html":
        return HTMLResponse("No such report.", 404)
    return HTMLResponse(artifact.content, headers={"Content-Security-Policy": REPORT_POLICY})


def parts() -> dict[str, Any]:
    """Return what Streamlit's App is made of, beside the page.

    The token leaves the environment: agents have no use for it.
    """
    address = st.get_option("server.address") or ""
    hosts = st.get_option("server.allowedHosts") or (*LOOPBACK, address)
    opened_by = access(os.environ, home(), hosts)
    os.environ.pop("INSTRUMENTGPT_TOKEN", None)
    page = page_text()
    answer = partial(HTMLResponse, page, headers={"Cache-Control": "no-cache"})
    return {
        "routes": [
            Route("/report/{conversation_id}/{artifact_id}", report),
            Route("/chat", lambda request: RedirectResponse(f"./?{request.url.query}")),  # the first: "/"
            *(Route(f"/{name}", lambda request: answer()) for name in ("", *PAGE_NAMES)),
        ],
        "middleware": [Middleware(Gate, opened_by, page_policy(page))],
        "lifespan": partial(lifespan, opened_by),
    }


@asynccontextmanager
async def lifespan(opened_by: Access, app: st.App) -> AsyncIterator[None]:
    """Do what is to be done before the first answer of the server and, after the `yield`, at its end."""
    keep_private(home())
    keep_server()
    send_at_once()
    url = get_url(get_display_address(st.get_option("server.address") or "localhost"))
    url += f"/?token={opened_by.token}" if opened_by.token else ""
    print(OPEN_MESSAGE.format(url=url), flush=True)
    has_screen = sys.platform != "linux" or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    opening = home() / f"open-{st.get_option('server.port')}.html"
    if "--open" in sys.argv[1:] and has_screen:
        opening.write_text(OPENING.format(url=url), encoding="utf-8")  # a command line is everybody's to read
        open_browser(opening.as_uri())
    yield
    opening.unlink(missing_ok=True)


def send_at_once() -> None:
    """Let no packet wait for the last one's receipt, 40 ms on Linux: each file of the page would.

    asyncio leaves this undone where a listening socket names no protocol, as Streamlit's (uvicorn #3149).
    """
    with suppress(OSError, psutil.Error):  # slower is better than no page
        for connection in psutil.Process().net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN:
                with socket.socket(fileno=os.dup(connection.fd)) as listener:
                    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
