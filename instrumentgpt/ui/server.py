"""The server of the page: who may reach it, what stands before Streamlit's own, its start and its end.

Let in is who calls the page by its name, from its own pages, with the token of this start. The gate stands
before all of Streamlit's routes, its websocket and uploads too, so nothing of a refused request reaches them.
The reasons are in docs/decisions/0060-who-may-reach-the-page.md.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlencode, urlsplit

import psutil
import streamlit as st
from itsdangerous import BadSignature, TimestampSigner
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.cli_util import open_browser
from streamlit.web.server.server_util import get_display_address, get_url

import db
from instrumentgpt.agents.warm import keep_server
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.paths import keep_private, private_secret
from instrumentgpt.ui.session import PAGE_NAMES

LOOPBACK = ("127.0.0.1", "localhost", "::1")
OPEN_PATHS = ("/_stcore/health",)  # says "ok" and nothing else; what watches a server has no token
COOKIE_SECONDS = 30 * 24 * 3600
SHORTEST_TOKEN = 16  # characters, of one that somebody chose
KEY_FILE = "cookie.key"
SIGN_IN = Template(Path(__file__).with_name("sign_in.html").read_text(encoding="utf-8"))
WRONG_HOST = """\
This server does not go by that name. If it should, add the name to allowedHosts in .streamlit/config.toml.
此伺服器不使用這個名稱；如需使用，請將它加入 .streamlit/config.toml 的 allowedHosts。
"""
WRONG_ORIGIN = """\
Pages of other addresses may not ask this server.
此伺服器不回應其他網址的頁面。
"""
CLOSED = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",  # a page of another local port counts as the same site
}


class BadToken(InstrumentGPTError):
    """An access token that is too easy to guess."""


@dataclass(frozen=True)
class Access:
    """What opens the page. `token` is "" where something before the server asks who is there."""

    token: str
    key: bytes  # signs the cookies; kept, so that open tabs outlive a restart of the server
    hosts: tuple[str, ...] = LOOPBACK

    def allows_host(self, host: str) -> bool:
        """Return whether the page is called `host`, a Host header: another name may be a rebound one.

        >>> [Access("", b"").allows_host(host) for host in ("localhost:8501", "[::1]", "a.example:8501", "")]
        [True, True, False, False]
        """
        try:
            parts = urlsplit(f"//{host}")
            name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
            address = name if parts.port is None else f"{name}:{parts.port}"
        except ValueError:
            return False
        return address == host.lower() and ("*" in self.hosts or parts.hostname in self.hosts)

    def allows_token(self, token: str) -> bool:
        """Return whether `token` is the one of this start; how long that takes says nothing of it."""
        return bool(self.token) and hmac.compare_digest(token.encode(), self.token.encode())

    def cookie(self, name: str) -> str:
        """Return the value of a fresh cookie called `name`."""
        return TimestampSigner(self.key, salt=name).sign("in").decode()

    def allows_cookie(self, name: str, value: str) -> bool:
        """Return whether `value` was given out under `name`, by this start or an earlier one."""
        try:
            TimestampSigner(self.key, salt=name).unsign(value, max_age=COOKIE_SECONDS)
        except BadSignature:
            return False
        return True


def access(environment: Mapping[str, str], folder: Path, hosts: Collection[str] = LOOPBACK) -> Access:
    """Return what opens the page of this start, by INSTRUMENTGPT_TOKEN: "off", a token, or a new one.

    folder  where the key of the cookies is kept
    hosts   names of the page
    """
    setting = environment.get("INSTRUMENTGPT_TOKEN", "").strip()
    token = "" if setting.casefold() == "off" else setting or secrets.token_urlsafe(24)
    if token and len(token) < SHORTEST_TOKEN:
        raise BadToken(
            f"INSTRUMENTGPT_TOKEN has {len(token)} characters, fewer than {SHORTEST_TOKEN}. "
            "Leave it unset for a new token at each start; set it to off behind a proxy that signs people in."
        )
    names = tuple(name.strip().strip("[]").casefold() for name in hosts)
    return Access(token, private_secret(folder / KEY_FILE), names)


def same_origin(request: HTTPConnection) -> bool:
    """Return whether the page itself asks. Browsers name no origin where they open it or load its parts."""
    origin, host = request.headers.get("origin"), request.headers["host"]
    if origin is None:
        return bool(request.scope["type"] == "http")
    plain = request.scope["scheme"] in ("http", "ws")  # where TLS ends before the server, either may be right
    return origin in ((f"http://{host}", f"https://{host}") if plain else (f"https://{host}",))


class Gate:
    """ASGI middleware that lets in what `opened_by` allows, and says on each answer what the page may do."""

    def __init__(self, app: ASGIApp, opened_by: Access, policy: str) -> None:
        self.app = app
        self.opened_by = opened_by
        self.policy = policy  # with {host}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        answer = self._answer(request)
        if scope["type"] == "http":
            await (answer or self.app)(scope, receive, self._with_headers(request, send))
        elif answer is None:
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})  # not accepted yet: the browser sees a 403

    def _answer(self, request: HTTPConnection) -> Response | None:
        """Return what is told to those who are not let in, or leave their token at the gate; else None."""
        if not self.opened_by.allows_host(request.headers.get("host", "")):
            return PlainTextResponse(WRONG_HOST, 421, CLOSED)
        if not same_origin(request):
            return PlainTextResponse(WRONG_ORIGIN, 403, CLOSED)
        if not self.opened_by.token or request.scope["path"] in OPEN_PATHS:
            return None
        cookie = f"instrumentgpt-{request.scope['server'][1]}"  # browsers keep cookies by host, not by port
        signed_in = self.opened_by.allows_cookie(cookie, request.cookies.get(cookie, ""))
        if "token" not in request.query_params:
            return None if signed_in else _sign_in_page(request)
        if signed_in:
            return _without_token(request)
        if not self.opened_by.allows_token(request.query_params["token"]):
            return _sign_in_page(request)
        entered = _without_token(request)
        entered.set_cookie(
            cookie,
            self.opened_by.cookie(cookie),
            max_age=COOKIE_SECONDS,
            secure=request.scope["scheme"] in ("https", "wss"),
            httponly=True,
            samesite="lax",  # strict would not come along with a link in a wiki
        )
        return entered

    def _with_headers(self, request: HTTPConnection, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault(
                    "Content-Security-Policy", self.policy.format(host=request.headers.get("host"))
                )
            await send(message)

        return send_with_headers


def _other_queries(request: HTTPConnection) -> list[tuple[str, str]]:
    return [(name, value) for name, value in request.query_params.multi_items() if name != "token"]


def _without_token(request: HTTPConnection) -> Response:
    """Return the way to the same page without the token, which then stands in no history and no link."""
    query = _other_queries(request)
    name = request.scope["path"].rpartition("/")[2]
    return RedirectResponse(f"./{name}" + (f"?{urlencode(query)}" if query else ""), 303)


def _sign_in_page(request: HTTPConnection) -> Response:
    hidden_fields = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in _other_queries(request)
    )
    wrong = "token" in request.query_params
    page = SIGN_IN.substitute(kept=hidden_fields, wrong="" if wrong else "hidden")
    return HTMLResponse(page, 403, CLOSED)


PAGE_POLICY = (
    "default-src 'self'; script-src 'self' blob: {inline}; "  # blob: what our own components are loaded from
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' ws://{{host}} wss://{{host}}; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
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
