"""A CLI agent for tests that has tools: it starts the MCP server its folder names, and calls what it is told.

Used as a program, never imported by a test: `python mcp_agent.py CALLS ANSWER [agent options]`, where
CALLS is JSON: [[tool, arguments], …]. It speaks Cursor's stream.
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "evals"))
from client import SERVER, Client


def work(calls, says):
    if not calls:
        agent = Client(None)
    else:
        entry = json.loads(Path(".cursor/mcp.json").read_text())["mcpServers"][SERVER]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen([entry["command"], *entry["args"]], env=entry["env"], **pipes) as server:
            agent = Client(server)
            agent.greet()
            for tool, arguments in calls:
                agent.call(tool, arguments)
            server.stdin.close()
    agent.say(says)
    agent.end()


if __name__ == "__main__":
    work(json.loads(sys.argv[1]), sys.argv[2])
