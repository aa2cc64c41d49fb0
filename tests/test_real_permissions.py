"""The table of attempts: what real agents do when their model asks for what was not allowed, or was.

The model calls tools by their names whether they are offered or not. Harm is what is seen of it: a canary in
what the agent sends its model, a file, a request that reaches a server; never what the agent says.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass

import pytest
from real_agents import AGENTS, NO_FAULT, asking
from scripted_model import Answer

import db
from instrumentgpt.agents import sandbox
from instrumentgpt.agents.events import Done
from instrumentgpt.storage.conversations import save_permission

READ, STORED, RAN, FETCHED = "canary-in-a-file", "canary-in-a-database", "canary-42-ran", "/canary-fetched"
HERE, OUTSIDE = "printf 'canary-%d-ran' 42; touch ran-here", "touch {0}/ran; cat {0}/secret.txt"
WEB = {  # agent → its tools that reach other machines, also those that its service would use for it
    "claude": {"WebFetch", "WebSearch", "web_search", "web_fetch"},
    "codex": {"web_search", "web_search_preview", "image_generation"},
    "gemini": {"google_web_search", "web_fetch", "googleSearch", "urlContext"},
    "opencode": {"webfetch", "websearch", "codesearch"},
}
EVERYTHING = {"may_run": True, "may_edit": True, "may_browse": True}
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


def attempts(agent, place):
    """Return the calls that `agent`'s model asks for: (tool, arguments), by what they would do."""
    secret, stored = f"{place.folder}/secret.txt", str(place.stored)
    commands = HERE, OUTSIDE.format(place.folder)
    url = f"http://127.0.0.1:{place.port}{FETCHED}"
    new = {name: f"{folder}/written" for name, folder in place.writable.items()}
    if agent == "claude":
        return [
            *(("Read", {"file_path": path}) for path in (secret, stored, "/etc/passwd")),
            ("Grep", {"pattern": "canary", "path": str(place.folder), "output_mode": "content"}),
            ("Grep", {"pattern": "root", "path": "/etc", "output_mode": "content", "glob": "passwd"}),
            *(("Write", {"file_path": path, "content": "x"}) for path in new.values()),
            *(("Bash", {"command": command, "description": "look"}) for command in commands),
            ("WebFetch", {"url": url, "prompt": "what is there?"}),
            ("WebSearch", {"query": "pid tuning"}),
        ]
    if agent == "codex":
        patch = "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\n"
        return [
            *(("exec_command", {"cmd": f"cat {path}"}) for path in (secret, stored, "/etc/passwd")),
            ("shell_command", {"command": f"cat {secret}"}),
            ("shell", {"command": ["cat", secret]}),
            ("view_image", {"path": secret}),
            *(("apply_patch", patch.format(path)) for path in new.values()),
            *(("exec_command", {"cmd": command}) for command in commands),
            *(("shell_command", {"command": command}) for command in commands),
            ("exec_command", {"cmd": f"python3 -c \"import urllib.request as u; u.urlopen('{url}')\""}),
        ]
    if agent == "gemini":
        return [
            *(("read_file", {"file_path": path}) for path in (secret, stored, "/etc/passwd")),
            ("read_many_files", {"include": [secret, "/etc/passwd"]}),
            ("grep_search", {"pattern": "canary", "dir_path": str(place.folder)}),
            *(("write_file", {"file_path": path, "content": "x"}) for path in new.values()),
            *(("run_shell_command", {"command": command}) for command in commands),
            ("web_fetch", {"prompt": f"What is at {url} ?"}),
            ("google_web_search", {"query": "pid tuning"}),
        ]
    return [
        *(("read", {"filePath": path}) for path in (secret, stored, "/etc/passwd")),
        ("grep", {"pattern": "canary", "path": str(place.folder)}),
        *(("write", {"filePath": path, "content": "x"}) for path in new.values()),
        *(("bash", {"command": command, "description": "look"}) for command in commands),
        ("webfetch", {"url": url, "format": "text"}),
        ("websearch", {"query": "pid tuning"}),
    ]


@dataclass
class Place:
    """Where the attempts are made: `folder` is somebody else's, `stored` another instance's database."""

    folder: object
    stored: object
    workspace: object
    source: object
    port: int = 0

    @property
    def writable(self):
        return {"outside": self.folder, "workspace": self.workspace, "source": self.source}


@dataclass
class Attempted:
    """What was seen of all attempts of one agent."""

    agent: str
    place: Place
    requests: list
    events: list

    @property
    def told(self):
        """All that reached the model, and all that the agent told us."""
        return " ".join([*(asked.text for asked in self.requests), *map(str, self.events)])

    def made(self, name):
        return {where for where, folder in self.place.writable.items() if (folder / name).exists()}


def attempt_all(agent, folder, patch, **allowed):
    """Let `agent` try everything in one answer; return what was seen."""
    patch.setenv("HOME", str(folder / "user"))
    patch.setenv("INSTRUMENTGPT_HOME", str(folder / "home"))
    if agent == "codex":  # to a model that it does not know it offers no tool to edit with
        patch.setenv("INSTRUMENTGPT_AGENT", "codex")
        patch.setenv("INSTRUMENTGPT_MODEL", "gpt-5.5")
    outside, other, source = folder / "outside", folder / "other", folder / "source"
    for made in (folder / "user", outside, other, source):
        made.mkdir()
    (outside / "secret.txt").write_text(READ)
    (source / "pid.c").write_text("int main() {}")
    with closing(sqlite3.connect(other / "instrumentgpt.db")) as stored:
        stored.execute("CREATE TABLE messages (content TEXT)")
        stored.execute("INSERT INTO messages VALUES (?)", (STORED,))
        stored.commit()
    device = f'[[device]]\nname = "zspr 051"\nip = "10.1.1.46"\nlogs = "{folder}"\nsource = "{source}"\n'
    (folder / "devices.toml").write_text(device)
    patch.setenv("INSTRUMENTGPT_INVENTORY", str(folder / "devices.toml"))
    with closing(db.connect(folder / "home" / "instrumentgpt.db")) as database:
        conversation = db.create_conversation(database)
        if allowed:
            save_permission(database, conversation, changed_by="ana", **allowed)
        place = Place(
            outside, other / "instrumentgpt.db", folder / "home" / "workspaces" / conversation, source
        )

        def play(asked):
            calls = attempts(agent, place)
            step = len(asked.results)
            return Answer(("I try.",), calls[step]) if asked.tools and step < len(calls) else NO_FAULT

        given = {"words": "Is zspr 051 fine?", "conversation": conversation, "database": database}
        with asking(agent, folder, patch, play, **given) as question:
            place.port = question.port
            *events, done = question.end()
        assert isinstance(done, Done) and done.outcome in ("ok", "tools-denied"), events
        tried = max(len(asked.results) for asked in question.requests)
        assert tried == len(attempts(agent, place)), (tried, question.results())
        return Attempted(agent, place, question.requests, [*events, done])


@pytest.fixture(scope="module", params=AGENTS)
def agent(request):
    return request.param


@pytest.fixture(scope="module", params=["by its own settings", "in the sandbox"])
def reader(request, agent, tmp_path_factory):
    """An agent that may only read, and has tried everything."""
    if request.param == "in the sandbox" and not sandbox.is_there():
        pytest.skip("NO SANDBOX IS TESTED: this kernel has no Landlock of Linux 6.2 or newer")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSTRUMENTGPT_SANDBOX", "on" if request.param == "in the sandbox" else "off")
        return attempt_all(agent, tmp_path_factory.mktemp(agent), patch)


def test_it_reads_nothing_outside(reader):
    assert READ not in reader.told and "root:x:0" not in reader.told


def test_it_reads_no_other_instances_database(reader):
    assert STORED not in reader.told


def test_it_writes_nothing(reader):
    assert reader.made("written") == set()


def test_it_runs_no_command(reader):
    assert RAN not in reader.told
    assert reader.made("ran") | reader.made("ran-here") == set()


def test_it_reaches_no_other_machine(reader):
    assert FETCHED not in [asked.prompt for asked in reader.requests]
    assert not WEB[reader.agent] & {tool for asked in reader.requests for tool in asked.tools}


@pytest.fixture(scope="module")
def allowed(agent, tmp_path_factory):
    """An agent in the sandbox that may do everything there is a switch for, and has tried everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSTRUMENTGPT_SANDBOX", "on")
        return attempt_all(agent, tmp_path_factory.mktemp(agent), patch, **EVERYTHING)


def test_what_was_allowed_works(allowed):
    assert RAN in allowed.told
    assert allowed.made("written") == {"workspace", "source"}
    offered = {tool for asked in allowed.requests for tool in asked.tools}
    assert WEB[allowed.agent] & offered
    if allowed.agent == "opencode":  # the others' go through their service
        assert FETCHED in [asked.prompt for asked in allowed.requests]


@pytest.mark.skipif(not sandbox.is_there(), reason="NO SANDBOX IS TESTED: this kernel has no Landlock")
def test_what_was_allowed_opens_nothing_outside(allowed):
    assert READ not in allowed.told and STORED not in allowed.told
    assert "outside" not in allowed.made("written") | allowed.made("ran")
