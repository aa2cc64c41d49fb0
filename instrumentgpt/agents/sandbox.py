"""Where an agent is kept: the folders it may open, the process that holds it there, the way to our tools.

docs/decisions/0055 says why it is so.
"""

import json
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from instrumentgpt.agents import keeper
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.settings import CHECKOUT, Settings, home

START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from instrumentgpt.agents.keeper import main; main()"
)
SYSTEM = (  # programs and their libraries, and of /etc what names other machines and vouches for them
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"),
    *("/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/protocols", "/etc/os-release", "/etc/locale.alias", "/etc/ssl", "/etc/pki"),
    *("/etc/ca-certificates", "/etc/crypto-policies", "/run/systemd/resolve", "/run/NetworkManager"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/loadavg"),
    *("/proc/filesystems", "/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/net/core"),
    *("/sys/devices/system", "/sys/fs/cgroup"),
)
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
FOLDERS = {  # where a variable that names a folder of a program's own is not set
    "HOME": "/",
    "CLAUDE_CONFIG_DIR": "$HOME/.claude",
    "CODEX_HOME": "$HOME/.codex",
    "CURSOR_CONFIG_DIR": "$HOME/.cursor",
    "CURSOR_DATA_DIR": "$HOME/.cursor",
    "GEMINI_CLI_HOME": "$HOME",
    "XDG_CACHE_HOME": "$HOME/.cache",
    "XDG_CONFIG_HOME": "$HOME/.config",
    "XDG_DATA_HOME": "$HOME/.local/share",
    "XDG_STATE_HOME": "$HOME/.local/state",
}


@cache
def is_there() -> bool:
    """Return whether this machine's kernel can confine an agent."""
    return keeper.version() >= keeper.ENOUGH


def confines(settings: Settings) -> bool:
    """Return whether agents run in the kernel's sandbox here."""
    return settings.sandbox and is_there()


def what_holds(label: str, caveat: str, settings: Settings) -> str:
    """Return what keeps the agent called `label` to what it may do on this machine, in words for a person.

    caveat  what is besides to be known of this agent
    """
    if confines(settings):
        return (
            f"Linux keeps {label} from files outside of its folder and the device's source. {caveat}".strip()
        )
    why = "this system has no sandbox for it; Linux 6.2 or newer has"
    if is_there():
        why = "the sandbox is switched off by INSTRUMENTGPT_SANDBOX"
    return f"Only its own settings keep {label} to what it may do: {why}. {caveat}".strip()


def has_keeper() -> bool:
    """Return whether an agent gets a keeper here: a process that outlives it, and knows all its children."""
    return sys.platform.startswith("linux")


def tools_entry(server: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return what an agent is told to start as our MCP server: with a keeper, the way to it.

    folder  of the run: in it are the sockets of its keepers
    """
    if not has_keeper():
        return server
    return {
        "command": sys.executable,
        "args": ["-I", "-S", keeper.__file__, str(_sockets(folder))],
        "env": {},
    }


def confined(command: Command, request: Request, state: tuple[str, ...], settings: Settings) -> Command:
    """Return `command` as it is started: below a keeper, which confines it if that can be done here.

    state  where its program keeps what is its own, as `Agent.state` has it
    """
    if not has_keeper():
        return command
    server = request.server
    setup = {
        "confined": confines(settings),
        "reads": [str(path) for path in readable(command, request, settings.agent_reads)],
        "writes": [str(path) for path in writable(command, request, state)],
        "server": server and {"argv": [server["command"], *server["args"]], "env": server["env"]},
        "sockets": str(_sockets(request.run_folder)) if request.run_folder else "",
    }
    start = (sys.executable, "-I", "-S", "-c", START, str(CHECKOUT), json.dumps(setup))
    return replace(command, argv=(*start, *command.argv))


def readable(command: Command, request: Request, more: str = "") -> Iterator[Path]:
    """Yield what it may read: the system, its program, its folder, the source, our relay; and `more`."""
    yield from map(Path, SYSTEM)
    # where the program is installed, and the interpreter that its first line names
    real = Path(command.argv[0]).resolve()
    yield _package(real)
    with real.open("rb") as file:
        first = file.readline(200)
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    for word in words:
        interpreter = shutil.which(word, path=command.environment.get("PATH"))
        if interpreter:
            yield Path(interpreter).resolve()
    yield from (Path(sys.prefix), Path(sys.base_prefix), Path(keeper.__file__))
    yield from filter(None, (request.folder, request.source))
    if request.run_folder:
        yield _sockets(request.run_folder)
    yield from (Path(path).expanduser() for path in shlex.split(more))


def writable(command: Command, request: Request, state: tuple[str, ...]) -> Iterator[Path]:
    """Yield what an agent may change: its own state, and what the conversation allows."""
    yield from (Path("/dev", name) for name in DEVICES)
    # where its own variable is not set, or empty, a folder is as in FOLDERS
    given = {**FOLDERS, **{name: text for name, text in command.environment.items() if text}}
    for folder in state:
        while "$" in folder:
            folder = Template(folder).substitute(given)
        path = Path(folder)
        if not path.suffix:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield path
    if request.may_run or request.may_edit:
        yield request.folder
    if request.may_edit and request.source:
        yield request.source


def _package(real: Path) -> Path:
    """Return the folder that holds all of a program; a script that lies among other things is all of it.

    >>> _package(Path("/home/ana/.npm/lib/node_modules/@openai/codex/bin/codex.js")).as_posix()
    '/home/ana/.npm/lib/node_modules'
    >>> _package(Path("/opt/cursor/2.1/agent")).as_posix(), _package(Path("/data/agent")).as_posix()
    ('/opt/cursor/2.1', '/data/agent')
    """
    for folder in reversed(real.parents):
        if folder.name == "node_modules":
            return folder
    among_others = len(real.parts) < 4 or any(
        private.is_relative_to(real.parent) for private in (Path.home(), home())
    )
    return real if among_others else real.parent


def _sockets(folder: Path) -> Path:
    return folder / "sockets"
