"""A CLI agent for tests that has tools: it starts the MCP server its folder names, and calls what it is told.

Used as a program, never imported: `python mcp_agent.py CALLS ANSWER [agent options]`, where CALLS is JSON:
[[tool, arguments], …]. It speaks Cursor's stream.
"""

import asyncio
import json
import sys
from pathlib import Path

SERVER = "instrumentgpt"


def emit(kind, **fields):
    print(json.dumps({"type": kind, **fields}), flush=True)


def tell(call_id, name, arguments, result=None):
    asked = {"name": f"{SERVER}-{name}", "args": arguments, "providerIdentifier": SERVER, "toolName": name}
    told = {"args": asked} if result is None else {"args": asked, "result": result}
    subtype = "started" if result is None else "completed"
    emit("tool_call", subtype=subtype, call_id=call_id, tool_call={"mcpToolCall": told})


async def work(calls):
    from mcp import ClientSession, StdioServerParameters, stdio_client  # a second that other turns save

    entry = json.loads(Path(".cursor/mcp.json").read_text())["mcpServers"][SERVER]
    parameters = StdioServerParameters(command=entry["command"], args=entry["args"], env=entry["env"])
    async with stdio_client(parameters) as pipes, ClientSession(*pipes) as session:
        await session.initialize()
        for number, (name, arguments) in enumerate(calls):
            tell(str(number), name, arguments)
            result = await session.call_tool(name, arguments)
            content = [{"text": {"text": item.text}} for item in result.content]
            ended = {"success": {"content": content, "isError": bool(result.is_error)}}
            tell(str(number), name, arguments, ended)


if __name__ == "__main__":
    if calls := json.loads(sys.argv[1]):
        asyncio.run(work(calls))
    emit("assistant", message={"content": [{"type": "text", "text": sys.argv[2]}]})
    emit("result", subtype="success", is_error=False, result=sys.argv[2])
