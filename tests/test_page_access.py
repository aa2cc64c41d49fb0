"""Who may reach the page, and what it may do: the gate before Streamlit, and the server as it is run."""

import base64
import hashlib
import http.client
import os
import re
import runpy
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from itsdangerous import TimestampSigner
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

import db
from instrumentgpt.storage.paths import keep_private
from instrumentgpt.ui import server
from instrumentgpt.ui.server import LOOPBACK, Access, Gate, send_at_once

ROOT = Path(__file__).parents[1]
START_SECONDS = 100  # of a busy machine
PAGE = "http://127.0.0.1:8501"
TOKEN = "a-token-of-this-start"
ANYTHING = ("/", "/logs", "/_stcore/host-config", "/_stcore/upload_file/s/f", "/media/x.png", "/static/x.js")


async def inside(request):
    return PlainTextResponse(f"inside {request.url.path}?{request.url.query}")


async def wire(websocket):
    await websocket.accept()
    await websocket.send_text("inside")
    await websocket.close()


def client(token: str = TOKEN, key: bytes = b"k" * 32, hosts=LOOPBACK, base: str = PAGE) -> TestClient:
    """Return a browser's side of a gate before something that answers everything."""
    routes = [WebSocketRoute("/_stcore/stream", wire), Route("/{path:path}", inside, methods=["GET", "PUT"])]
    gate = Gate(
        Starlette(routes=routes), Access(token, key, hosts), "default-src 'self'; connect-src ws://{host}"
    )
    return TestClient(gate, base_url=base, follow_redirects=False)


def signed_in(**kwargs) -> TestClient:
    browser = client(**kwargs)
    assert browser.get(f"/?token={TOKEN}").status_code == 303
    return browser


def hears(browser: TestClient, **headers: str) -> bool:
    """Return whether the websocket opens to `headers`."""
    stream = f"ws://{browser.base_url.netloc.decode()}/_stcore/stream"
    try:
        with browser.websocket_connect(stream, headers=headers) as opened:
            return opened.receive_text() == "inside"
    except (WebSocketDisconnect, WebSocketDenialResponse):
        return False


@pytest.mark.parametrize("path", ANYTHING)
@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", f"?token={TOKEN}x", "?token=%C3%A9"])
def test_without_the_token_there_is_a_page_that_asks_for_it_and_nothing_else(path, query):
    answer = client().get(path + query)
    assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert "inside" not in answer.text and TOKEN not in answer.text
    assert "access token" in answer.text and "權杖" in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_the_token_is_left_at_the_gate_for_a_cookie_and_the_rest_of_the_link_stays():
    browser = client()
    answer = browser.get(f"/logs?conv=c1&token={TOKEN}&msg=3&q=a%26b")
    assert answer.status_code == 303
    assert answer.headers["location"] == "./logs?conv=c1&msg=3&q=a%26b"
    assert re.search(r"^instrumentgpt-8501=.*HttpOnly.*SameSite=lax", answer.headers["set-cookie"], re.I)
    assert browser.get("/logs?conv=c1").text == "inside /logs?conv=c1"


def test_a_token_in_the_address_is_taken_out_also_of_one_who_is_in():
    assert signed_in().get("/?conv=c&token=an-older-one").headers["location"] == "./?conv=c"


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "/a/../%0d%0aSet-Cookie:x"])
def test_no_link_with_the_token_leads_out_of_the_page(path):
    location = client().get(f"{PAGE}{path}?token={TOKEN}").headers["location"]
    assert location.startswith("./") and "evil" not in location and "\n" not in location


def test_the_form_for_the_token_keeps_where_one_wanted_to_go():
    page = client().get('/?conv=c1&x="><script>alert(1)</script>').text
    assert '<input type="hidden" name="conv" value="c1">' in page and "<script>" not in page


@pytest.mark.parametrize("key", [b"", b"o" * 32])
def test_a_cookie_that_nobody_gave_out_opens_nothing(key):
    name = "instrumentgpt-8501"
    for value in ("", "in", "in.aaaa.bbbb", TimestampSigner(key, salt=name).sign("in").decode()):
        browser = client()
        browser.cookies.set(name, value)
        assert browser.get("/").status_code == 403 and not hears(browser, origin=PAGE)


def test_a_tab_of_an_earlier_start_goes_on_but_not_at_another_home_or_port():
    cookie = dict(signed_in().cookies)
    for kwargs, status in (({"token": "of-the-next-start"}, 200), ({"key": b"o" * 32}, 403)):
        later = client(**kwargs)
        later.cookies.update(cookie)
        assert later.get("/").status_code == status
    other = client(base="http://127.0.0.1:8502")
    other.cookies.update({"instrumentgpt-8502": next(iter(cookie.values()))})
    assert other.get("/").status_code == 403


def test_a_cookie_ends_after_its_time(monkeypatch):
    browser = signed_in()
    later = time.time() + server.COOKIE_SECONDS + 5
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: int(later))
    assert browser.get("/").status_code == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8501", 200),
        ("localhost:8501", 200),
        ("[::1]:8501", 200),
        ("LOCALHOST:9000", 200),  # the near end of a tunnel
        ("evil.example:8501", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.", 421),
        ("user@localhost", 421),
        ("localhost:x", 421),
        ("localhost/", 421),
        ("[::1", 421),
        ("", 421),
    ],
)
def test_a_name_that_somebody_pointed_at_this_machine_is_refused(host, status):
    browser = signed_in()
    assert browser.get("/", headers={"host": host}).status_code == status
    assert browser.get("/_stcore/health", headers={"host": host}).status_code == status
    assert hears(browser, host=host, origin=f"http://{host}") == (status == 200)


@pytest.mark.parametrize(
    "origin",
    ["http://127.0.0.1:9999", "http://127.0.0.1", "http://localhost:8501", "http://evil.example", "null", ""],
)
def test_a_page_of_another_address_is_refused_even_with_the_cookie(origin):
    browser = signed_in()
    assert not hears(browser, origin=origin)
    assert browser.get("/_stcore/host-config", headers={"origin": origin}).status_code == 403
    assert browser.put("/_stcore/upload_file/s/f", headers={"origin": origin}).status_code == 403
    assert browser.get("/_stcore/health", headers={"origin": origin}).status_code == 403


def test_the_page_itself_may_ask_and_listen():
    browser = signed_in()
    assert hears(browser, origin=PAGE)
    assert browser.put("/_stcore/upload_file/s/f", headers={"origin": PAGE}).status_code == 200


def test_a_websocket_needs_the_cookie_and_an_origin():
    assert not hears(client(), origin=PAGE)
    browser = signed_in()
    assert not hears(browser)


def test_health_is_told_to_all_who_call_the_page_by_its_name():
    assert client().get("/_stcore/health").text.startswith("inside")
    assert client().get("/_stcore/health/../../logs").status_code == 403


def test_where_a_proxy_signs_people_in_there_is_no_token_but_names_and_origins_count():
    browser = client(token="", hosts=("bench.example",), base="http://bench.example")
    assert browser.get("/?token=x").text == "inside /?token=x"
    assert hears(browser, origin="https://bench.example") and not hears(
        browser, origin="https://evil.example"
    )
    assert browser.get("/", headers={"host": "127.0.0.1:8501"}).status_code == 421


def test_every_answer_says_what_the_page_may_do():
    for answer in (signed_in().get("/"), client().get("/"), client().get("/_stcore/health")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert signed_in().get("/").headers["content-security-policy"].endswith("connect-src ws://127.0.0.1:8501")


def test_the_token_is_new_at_each_start_or_chosen_or_off(tmp_path):
    tokens = {server.access({}, tmp_path).token for _ in range(3)}
    assert len(tokens) == 3 and min(map(len, tokens)) >= 32
    assert server.access({"INSTRUMENTGPT_TOKEN": "Off"}, tmp_path).token == ""
    assert server.access({"INSTRUMENTGPT_TOKEN": TOKEN}, tmp_path).token == TOKEN
    with pytest.raises(server.BadToken, match="3 characters"):
        server.access({"INSTRUMENTGPT_TOKEN": "abc"}, tmp_path)


def test_a_token_that_is_too_short_is_told_at_the_start_and_nothing_else(monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_TOKEN", "abc")
    with pytest.raises(SystemExit, match="error: INSTRUMENTGPT_TOKEN has 3"):
        runpy.run_path(str(ROOT / "app.py"), run_name="app")


def test_the_key_of_the_cookies_is_kept_and_its_owners_alone(tmp_path):
    first, second = server.access({}, tmp_path / "home"), server.access({}, tmp_path / "home")
    assert first.key == second.key and len(first.key) == 32
    (tmp_path / "home" / server.KEY_FILE).write_bytes(b"")  # a full disk, or a crash
    assert len(server.access({}, tmp_path / "home").key) == 32


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def _umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
def test_what_earlier_versions_left_open_becomes_its_owners_alone(tmp_path):
    home, outside = tmp_path / "home", tmp_path / "source.cpp"
    (home / "workspaces" / "c1").mkdir(parents=True)
    outside.write_text("x")
    for name in ("instrumentgpt.db", "instrumentgpt.db-wal", "workspaces/c1/answer.json"):
        (home / name).write_text("x")
    (home / "workspaces" / "c1" / "tool").write_text("x")
    (home / "workspaces" / "c1" / "tool").chmod(0o755)
    (home / "workspaces" / "c1" / "source").symlink_to(outside)
    keep_private(home)
    (home / "later").write_text("x")
    assert {mode(path) for path in (home, *home.rglob("*")) if path.is_dir()} == {0o700}
    assert {mode(path) for path in home.rglob("*") if path.is_file() and not path.is_symlink()} == {
        0o600,
        0o700,
    }
    assert mode(home / "workspaces" / "c1" / "tool") == 0o700 and mode(outside) == 0o644


@pytest.mark.usefixtures("_umask")
def test_a_new_database_is_its_owners_alone(tmp_path):
    opened = db.connect(tmp_path / "data" / "instrumentgpt.db")
    db.create_conversation(opened)
    assert {mode(path) for path in (tmp_path / "data").iterdir()} == {0o600}
    assert mode(tmp_path / "data") == 0o700
    opened.close()


AUDITED = """
import sys
def hook(event, args):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect"):
        host = args[1][0] if event == "socket.connect" else args[0]
        if isinstance(host, str) and host not in ("127.0.0.1", "::1", "localhost", "0.0.0.0"):
            print("OUTSIDE", event, host, flush=True)
            raise OSError("outside")
sys.addaudithook(hook)
from streamlit.web.cli import main
main()
"""


@dataclass(frozen=True)
class Started:
    """`streamlit run app.py` on loopback, and what it has printed."""

    home: Path
    log: Path
    port: int

    @property
    def token(self) -> str:
        return re.search(r"token=(\S+)", self.log.read_text())[1]

    def asked(self, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
        """Return status, headers and text of the answer to `path`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
        with closing(connection):
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, named, "" if answer.status == 101 else answer.read().decode()

    def listened(self, **headers: str) -> int:
        """Return the status of the answer to a websocket's opening."""
        opening = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        return self.asked("/_stcore/stream", **opening, **key, **headers)[0]


@pytest.fixture(scope="module")
def started(tmp_path_factory) -> Iterator[Started]:
    folder = tmp_path_factory.mktemp("started")
    (folder / "home").mkdir(mode=0o755)
    (folder / "home" / "older.log").touch(0o644)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = Started(folder / "home", folder / "log", listener.getsockname()[1])
    ours = {name: value for name, value in os.environ.items() if not name.startswith("INSTRUMENTGPT_")}
    command = [sys.executable, "-c", AUDITED, "run", "app.py", "--server.port", str(server.port)]
    with server.log.open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**ours, "INSTRUMENTGPT_HOME": str(server.home), "HOME": str(folder)},
            stdout=log,
            stderr=log,
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _is_healthy(server):
            assert process.poll() is None and time.monotonic() < deadline, server.log.read_text()
            time.sleep(0.05)
        yield server
    finally:
        process.kill()
        process.wait()


def _is_healthy(server: Started) -> bool:
    with suppress(OSError):
        return server.asked("/_stcore/health")[0] == 200
    return False


@pytest.mark.parametrize(
    "path", ["/", "/logs", "/_stcore/host-config", "/_stcore/metrics", "/report/c/a", "/manifest.json"]
)
def test_the_server_as_it_is_run_serves_nothing_without_the_token(started, path):
    status, _, text = started.asked(path)
    assert status == 403 and "access token" in text and started.token not in text


def test_the_link_that_is_printed_opens_the_page_and_its_websocket(started):
    own = {"Origin": f"http://127.0.0.1:{started.port}"}
    status, headers, _ = started.asked(f"/?token={started.token}")
    cookie = {"Cookie": headers["set-cookie"].partition(";")[0]}
    assert status == 303
    status, headers, page = started.asked("/", **cookie)
    policy = headers["content-security-policy"]
    assert status == 200 and "<title>" in page
    for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "img-src 'self' data: blob:;" in policy and "frame-ancestors 'none'" in policy
    assert f"connect-src 'self' ws://127.0.0.1:{started.port} " in policy
    assert started.listened(**cookie, **own) == 101
    assert started.listened(**own) == 403


def test_a_websocket_of_a_foreign_origin_is_refused_and_nobody_outside_is_asked(started):
    _, headers, _ = started.asked(f"/?token={started.token}")
    cookie = {"Cookie": headers["set-cookie"].partition(";")[0]}
    for origin in ("http://evil.example", "http://127.0.0.1:1", "null"):
        assert started.listened(Origin=origin, **cookie) == 403
        assert started.listened(Origin=origin) == 403
    assert "OUTSIDE" not in started.log.read_text()


def test_the_token_is_printed_once_and_stands_in_no_other_line(started):
    started.asked(f"/?token={started.token}")
    started.asked(f"/?token={started.token}", Host="evil.example")
    assert started.log.read_text().count(started.token) == 1


def test_the_home_of_a_running_server_is_its_owners_alone(started):
    assert mode(started.home) == 0o700
    assert {mode(path) for path in started.home.iterdir()} == {0o600}


def test_no_packet_of_the_page_waits_for_the_last_ones_receipt():
    with socket.socket() as listener:  # as Streamlit makes it: without the protocol, by which asyncio goes
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        send_at_once()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
