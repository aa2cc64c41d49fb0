"""A real Streamlit server in a home of its own, driven by the system's Chromium."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from driving import CHROMIUM, FLAGS, Server, counting_agent, running

BROWSER_SECONDS = 900  # for a test of many turns on a slow machine; each of its waits has its own bound


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(BROWSER_SECONDS))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    if not CHROMIUM:
        pytest.skip("NOT TESTED: no chromium on this machine. Install it: apt-get install chromium")
    return {"executable_path": CHROMIUM, "args": FLAGS.split()}


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, object]:
    return {"viewport": {"width": 1440, "height": 900}, "locale": "en-GB"}


@pytest.fixture
def serve(tmp_path) -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server of the test's own with these settings in its environment."""
    with ExitStack() as servers:
        yield lambda **settings: servers.enter_context(running(tmp_path, settings))


@pytest.fixture(scope="module")
def offline(tmp_path_factory) -> Iterator[Server]:
    """A server answered by the offline analyst, one for all tests of a module."""
    with running(tmp_path_factory.mktemp("offline"), {"agent": "offline"}) as server:
        yield server


@pytest.fixture(scope="module")
def counting(tmp_path_factory) -> Iterator[Server]:
    """A server whose agent counts to 60, ten words a second, one for all tests of a module."""
    folder = tmp_path_factory.mktemp("counting")
    with running(folder, counting_agent(folder, words=60, seconds=0.1)) as server:
        yield server


@pytest.fixture
def counting_alone(serve, tmp_path) -> Server:
    """The same for one test, which may kill it."""
    return serve(**counting_agent(tmp_path, words=60, seconds=0.1))


@pytest.fixture
def held(request) -> Iterator[Path]:
    """A file that holds the agent of the test's counting server at its twentieth word until it is deleted."""
    alone = "counting_alone" in request.fixturenames
    path = request.getfixturevalue("counting_alone" if alone else "counting").held
    path.touch()
    yield path
    path.unlink(missing_ok=True)
