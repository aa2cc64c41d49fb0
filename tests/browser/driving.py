"""What the browser tests share: a real Streamlit server, an agent that counts, and a page to type into."""

import os
import re
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as NotInTime
from playwright.sync_api import expect as describing
from sqlite_utils import Database

import db
from instrumentgpt.fleet.cases import WORDS
from instrumentgpt.instruments.language import Sentence, phrase, table
from instrumentgpt.modes.registry import MODES
from instrumentgpt.ui.language import CHINESE

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync "
    # else each new window runs two pages of the address bar, for 0.7 s of CPU time
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,MediaRouter,OptimizationHints,Translate"
)
START_SECONDS = 120
ANSWER_MS = 60_000  # of one step: only what never comes is waited for so long
STEP_MS = 3_000  # of one try at something that is tried again
TOKEN = secrets.token_urlsafe(24)  # of all servers of these tests
SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
VARIANTS = [(locale, size) for locale in ("en-GB", "zh-TW") for size in SIZES]  # of a visitor
if not os.environ.get("EVERY_VARIANT"):
    VARIANTS = VARIANTS[-1:]  # the strictest: nothing may be wider than a phone, and no word be English
PICTURES = os.environ.get("PICTURES")  # a folder for what a visitor looks at
TERMS = frozenset(  # names, units and what both languages call alike
    re.findall(
        r"\w+",
        "Alt CLI CSV Chromium Claude Code Codex Ctrl Cursor English GB Gemini HTML InstrumentGPT MB Markdown "
        "OK PATH PDF PI PID PNG Report Shift ZSPR heater kB kd ki kp log oven timeout tokens zip zspr",
    )
)
OWN_WORDS = "code, pre, style, script, textarea, .lines, [href^='#'], [role=img], [aria-hidden=true]"
READ = """words => {
  const found = [...document.querySelectorAll(":placeholder-shown")].map(box => box.placeholder)
  for (const named of document.querySelectorAll("[aria-label], [title]"))
    if (!named.closest(words) && named.checkVisibility())
      found.push(named.ariaLabel ?? "", named.title ?? "")
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const around = texts.currentNode.parentElement
    if (!around.closest(words) && around.checkVisibility()) found.push(texts.currentNode.data)
  }
  return found
}"""
WIDER = """() => [...document.querySelectorAll("*")].filter(box =>
  box.scrollWidth > box.clientWidth + 1 && box.checkVisibility()
  && /auto|scroll/.test(getComputedStyle(box).overflowX) && box.getBoundingClientRect().right > 0
  && !box.closest(".lines, pre, .dvn-scroller, [role=tablist], textarea"))
  .map(box => box.outerHTML.slice(0, 200))"""
describing.set_options(timeout=ANSWER_MS)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass
class Server:
    """`streamlit run app.py` on loopback; `kill` and `start` again keep port and home."""

    home: Path
    settings: dict[str, str]
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def held(self) -> Path:
        """A file: while it exists, an agent of this folder does not come to its end."""
        return self.home.parent / "held"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database_path(self) -> Path:
        return self.home / "instrumentgpt.db"

    def address(self, page: str = "", **query: str | int) -> str:
        """Return where `page` ("": the chat, "logs", "settings") opens at what the query names."""
        return f"{self.url}/{page}?{urlencode(query)}"

    def database(self) -> closing[Database]:
        return closing(db.connect(self.database_path))

    def save(self, settings: Mapping[str, Any]) -> None:
        """Save these settings, as the Settings page does; None: as shipped."""
        with self.database() as database:
            for name, value in settings.items():
                db.save_setting(database, name, value)

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port)]
        ours = {name: value for name, value in os.environ.items() if not name.startswith("INSTRUMENTGPT_")}
        places = {"INSTRUMENTGPT_HOME": str(self.home), "HOME": str(self.home.parent / "user")}
        places["INSTRUMENTGPT_TOKEN"] = TOKEN
        environment = {**ours, **places, **self.settings}
        with (self.home.parent / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with (
                suppress(OSError),
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=START_SECONDS),
            ):
                return
            time.sleep(0.05)
        raise TimeoutError(
            f"no server after {START_SECONDS} s: {(self.home.parent / 'server.log').read_text()}"
        )

    def kill(self) -> None:
        """End the server as a power cut would; what it started lives on."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(START_SECONDS)


@dataclass(frozen=True)
class Visitor:
    """Who reads the page in a language on a screen, and accepts no page that another would have to mend."""

    page: Page
    locale: str
    size: str

    def say(self, english: str, **fields: object) -> str:
        """Return what the page calls it."""
        return Sentence().format(english if self.is_english else table(CHINESE)[english], **fields)

    def of_case(self, word: str) -> str:
        return phrase(WORDS, word, "en" if self.is_english else "zh")

    @property
    def is_english(self) -> bool:
        return self.locale.startswith("en")

    def look(self, name: str) -> None:
        """Find nothing wider than the screen, no English in the Chinese page; keep the picture if wanted."""
        settled(self.page)
        if PICTURES:
            self.page.wait_for_timeout(600)
            self.page.screenshot(path=Path(PICTURES) / f"{name}-{self.locale}-{self.size}.png")
        with suppress(NotInTime):  # a table follows the size of the screen when it is drawn again
            self.page.wait_for_function(f"() => !({WIDER})().length", timeout=STEP_MS)
        wider = self.page.evaluate(WIDER)
        assert not wider, wider
        if not self.is_english:
            # until then Streamlit speaks its own
            self.page.locator("html[lang^=zh]").wait_for(state="attached")
            names = r"\S*[\d_./:@]\S*"
            texts = self.page.evaluate(READ, OWN_WORDS)
            words = [{*re.findall(r"[A-Za-z]{2,}", re.sub(names, " ", text))} for text in texts]
            english = [text for text, said in zip(texts, words, strict=True) if said - TERMS]
            assert not english, english


@dataclass(frozen=True)
class expect:
    """Playwright's assertions, which describe the page at each vain try: what comes is waited for first."""

    shown: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(describing(self.shown), name)

    def to_be_visible(self, timeout: float = ANSWER_MS) -> None:
        try:
            self.shown.wait_for(timeout=timeout)
        except NotInTime:
            describing(self.shown).to_be_visible(timeout=1)

    def to_contain_text(self, text: str | re.Pattern[str]) -> None:
        with suppress(NotInTime):
            self.shown.filter(has_text=text).wait_for(state="attached", timeout=ANSWER_MS)
        describing(self.shown).to_contain_text(text)


@contextmanager
def running(folder: Path, settings: dict[str, str]) -> Iterator[Server]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    server = Server(home, {f"INSTRUMENTGPT_{name.upper()}": value for name, value in settings.items()})
    server.start()
    try:
        yield server
    finally:
        server.kill()


def counting_agent(folder: Path, words: int, seconds: float) -> dict[str, str]:
    """Return the settings under which an agent says `words` words, one every `seconds`; see Server.held."""
    return scripted_agent(folder, "slow_agent.py", words, seconds, folder / "held")


def scripted_agent(folder: Path, script: str, *arguments: float | Path) -> dict[str, str]:
    """Return the settings under which `script` of this folder answers as Cursor's agent would.

    It becomes one file: of what does not belong to the system, an agent in its sandbox may read no other.
    """
    program = folder / "agent"
    told = f"import sys\nsys.argv[1:1] = {[str(argument) for argument in arguments]}\n"
    said = Path(__file__).with_name(script).read_text(encoding="utf-8")
    program.write_text(f"#!{sys.executable}\n{told}{said}", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"agent": "cursor", "agent_path": str(program)}


def ask(page: Page, question: str) -> None:
    """Type the question and send it, once its files are there: until then the page takes no Enter."""
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    expect(page.get_by_test_id("stChatInputSubmitButton")).to_be_enabled()
    box.press("Enter")


def drop(page: Page, path: Path) -> None:
    """Drop a file on the input, and wait until it is there."""
    page.get_by_test_id("stChatInput").locator("input[type=file]").set_input_files(path)
    end = path.name[-8:]  # a long name is cut in its middle
    expect(page.get_by_test_id("stChatInput")).to_contain_text(end)


def in_mode(page: Page, server: Server, mode: str) -> None:
    """Open the page in the mode of this key, and wait for its input: the one drawn before takes no files."""
    opened(page, server.address())
    page.get_by_test_id("stBottom").get_by_role("radio", name=MODES[mode].label).click()
    expect(page.get_by_placeholder(MODES[mode].asks)).to_be_visible()


def messages(page: Page, count: int) -> Locator:
    """Return the messages once there are `count` of them and none is being written."""
    found = page.get_by_test_id("stChatMessage")
    expect(found).to_have_count(count)
    expect(page.get_by_role("button", name=re.compile("^(Stop|停止)$"))).to_have_count(0)
    settled(page)
    return found


def answered(page: Page, questions: int, by: str = "Offline analyst|離線分析程式") -> Locator:
    """Return the newest answer once `questions` have theirs, and it says who gave it."""
    newest = messages(page, 2 * questions).nth(2 * questions - 1)
    # cheaper than `expect`, which describes the page at each try
    newest.filter(has_text=re.compile(rf"({by}) ·")).wait_for()
    return newest


def inspector(page: Page, view: str) -> Locator:
    """Return the sidebar with a view of the memory, opened where the page keeps it closed."""
    sidebar = page.get_by_test_id("stSidebar")
    if (opener := page.get_by_test_id("stExpandSidebarButton")).is_visible():
        opener.click()
    tab = sidebar.get_by_role("tab", name=view)
    tab.scroll_into_view_if_needed()
    tab.click()
    return sidebar


def close_sidebar(page: Page) -> None:
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait until `condition` holds; fail if it does not come to."""
    deadline = time.monotonic() + ANSWER_MS / 1000
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        page.wait_for_timeout(100)


def settled(page: Page) -> None:
    """Wait until nothing of the page is being drawn anew: what is clicked on then stays where it is.

    A page that follows an answer is drawn without a pause; after a while it is taken as it is.
    """
    with suppress(NotInTime):
        page.locator('[data-test-script-state="notRunning"]').wait_for(timeout=STEP_MS)


def assert_fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def reloaded(page: Page) -> None:
    """Load the page again, and wait until what it is made of is there: it then takes clicks."""
    page.reload()
    page.locator("[data-test-script-state]").wait_for(state="attached")
    settled(page)


def pick(page: Page, opener: Locator, item: Locator) -> None:
    """Click on the item of a list or menu that `opener` opens; a page drawn anew may close it, or move it."""

    def is_picked() -> bool:
        try:
            if not item.is_visible():
                opener.click(timeout=STEP_MS)
            item.click(timeout=STEP_MS)
        except NotInTime:
            return False
        return True

    settled(page)
    until(page, is_picked)


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a select."""
    pick(page, page.get_by_role("combobox", name=label), page.get_by_role("option", name=option))


def speaking(page: Page, locale: str) -> None:
    """Let the page be asked for in this language from now on, as by a browser of it."""
    agent = {"userAgent": page.evaluate("navigator.userAgent"), "acceptLanguage": locale}
    page.context.new_cdp_session(page).send("Emulation.setUserAgentOverride", agent)


def with_token(url: str) -> str:
    """Return `url` as it is opened the first time: the access token is left at the gate for a cookie."""
    return f"{url}{'&' if '?' in url else '?'}token={TOKEN}"


def opened(page: Page, url: str) -> Page:
    """Return the page at `url` once it can be typed into."""
    page.set_default_timeout(ANSWER_MS)
    page.goto(with_token(url))
    page.get_by_test_id("stChatInput").wait_for(timeout=START_SECONDS * 1000)
    settled(page)
    return page
