"""Our tools for CLI agents, over MCP: `python -m instrumentgpt.mcp_server --task FILE`.

The agent starts it, in the agent's own folder; the task file says which conversation it serves
(docs/architecture.md, "The task file"). It changes nothing but the cache of logs and the run's artifacts.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer

from instrumentgpt.mcp_tools import offered

SERVER = "instrumentgpt"
INSTRUCTIONS = (
    "Logs and control loops of laboratory instruments. Begin with fetch_log and diagnose_log; "
    "name times, numbers and log lines as evidence; put on record what you find. "
    "Nothing here changes an instrument."
)


def server(task: dict[str, Any]) -> MCPServer:
    """Return the server with all tools for `task`.

    Results are text: structured ones over stdio have hung an agent (Cursor, 2025).
    """
    made = MCPServer(SERVER, instructions=INSTRUCTIONS, log_level="WARNING")
    for name, tool in offered(task).items():
        if name != "note" or task.get("task") == "interview":
            made.add_tool(tool, structured_output=False)
    return made


def read_task(path: Path) -> dict[str, Any]:
    """Return the task file at `path`; exit with what is wrong, which the agent shows."""
    try:
        task = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        sys.exit(f"{path}: cannot be read as a task: {problem}. Ask again: each turn writes its own")
    return task if isinstance(task, dict) else {}


def main(arguments: list[str] | None = None) -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="instrumentgpt.mcp_server", description=INSTRUCTIONS)
    parser.add_argument(
        "--task", type=Path, help="the turn's task file; without it: no conversation, no recall"
    )
    given = parser.parse_args(arguments)
    server(read_task(given.task) if given.task else {}).run("stdio")


if __name__ == "__main__":
    main()
