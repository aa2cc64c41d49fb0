"""A real Streamlit server per worker, in a home of its own, driven by the system's Chromium."""

import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from driving import (
    CHROMIUM,
    FLAGS,
    SIZES,
    VARIANTS,
    Server,
    Visitor,
    counting_agent,
    opened,
    running,
    speaking,
)
from exchanges import share_judged
from playwright.sync_api import BrowserContext
from waiting import wait_for_forks

from instrumentgpt.settings import Settings
from instrumentgpt.storage.runs import live_runs
from instrumentgpt.turn import runs

JOURNEY_SECONDS = 240  # ends one that hangs: each of its steps has a limit of its own, see ANSWER_MS
AS_SHIPPED = dict.fromkeys(asdict(Settings()))
OFFLINE = {"agent": "offline"}
# the page alone, without the windows and services of a browser around it
BROWSER = shutil.which("chromium-headless-shell") or CHROMIUM
ECONOMY = (
    "--js-flags=--no-opt,--no-maglev",  # a page lives too briefly to pay for compiling it well
    "--renderer-process-limit=1",  # all pages of a worker in one process: none compiles Streamlit anew
)
RESTING = "/_stcore/health"  # a tab stays there: without one the process with the compiled scripts would end
# a new tab of the worker's window finds nothing that another left, such as the sidebar's width
FORGETTING = """if (window === top && location.protocol === "http:" && !sessionStorage.begun) {
    localStorage.clear()
    sessionStorage.begun = "yes"
}"""


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(JOURNEY_SECONDS, func_only=True))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    if not BROWSER:
        pytest.skip("NOT TESTED: no chromium on this machine. Install it: apt-get install chromium")
    return {"executable_path": BROWSER, "args": [*FLAGS.split(), *ECONOMY]}


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, object]:
    size, place = {"width": 1440, "height": 900}, {"locale": "en-GB", "timezone_id": "Asia/Taipei"}
    return {"viewport": size, **place, "reduced_motion": "reduce"}


@pytest.fixture(scope="session")
def context_of_worker(browser, browser_context_args) -> Iterator[BrowserContext]:
    """A browser's window that has the page's scripts already; every new one would load and compile them."""
    with browser.new_context(**browser_context_args) as context:
        context.add_init_script(FORGETTING)
        yield context


@pytest.fixture
def context(context_of_worker) -> Iterator[BrowserContext]:
    """The worker's window with nothing kept in it."""
    yield context_of_worker
    for page in context_of_worker.pages:
        if not page.url.endswith(RESTING):
            page.close()
    context_of_worker.clear_cookies()
    context_of_worker.clear_permissions()


@pytest.fixture(scope="session")
def server_of_worker(tmp_path_factory, context_of_worker, judged) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    share_judged(folder / "home" / "cache", judged)
    with running(folder, {}) as server:
        server.save(OFFLINE)
        page = opened(context_of_worker.new_page(), server.address())  # the first visit imports everything
        page.goto(f"{server.url}{RESTING}")
        wait_for_forks(server.home)
        yield server


@pytest.fixture
def server(server_of_worker) -> Iterator[Server]:
    """The worker's server, with the offline analyst; what a test sets, kills or leaves open is undone."""
    yield server_of_worker
    if server_of_worker.process.poll() is not None:
        server_of_worker.start()
    with server_of_worker.database() as database:
        left = [run.id for run in live_runs(database)]
    for run in left:
        runs.stop(server_of_worker.database_path, run)
    server_of_worker.save(AS_SHIPPED | OFFLINE)


@pytest.fixture(params=VARIANTS, ids="-".join)
def visitor(request, page, server) -> Visitor:
    """A page of each language and size, on a server that has only judged the demo's logs."""
    locale, size = request.param
    page.set_viewport_size(SIZES[size])
    speaking(page, locale)
    with server.database() as database:
        for emptied in ("cases", "alerts", "conversations", "notes"):
            database[emptied].delete_where()
        database["verdicts"].delete_where("device LIKE 'oven %'")
    return Visitor(page, locale, size)


@pytest.fixture
def counting(server) -> Iterator[Server]:
    """The worker's server, its agent counting to 60, held at the twentieth word while there is `held`."""
    server.held.touch()
    server.save(counting_agent(server.home.parent, words=60, seconds=0.02))
    yield server
    server.held.unlink(missing_ok=True)
