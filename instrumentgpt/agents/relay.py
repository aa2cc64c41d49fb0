"""What a confined agent starts as our MCP server: it hands its lines to and fro, to the tools outside.

A program of its own that imports nothing of ours: `relay.py SOCKETS`, the folder of the keepers' sockets.
"""

import os
import socket
import sys
import threading

WELCOME = b"+"  # the first byte to a process of the agent; any other is turned away
CHUNK = 64 * 1024  # bytes


def main() -> None:
    """Hand over until either side ends."""
    tools = _connected(sys.argv[1])
    if tools is None:
        sys.exit("No tools are served here: ask again")
    threading.Thread(target=_send, args=(tools,), daemon=True).start()
    while block := tools.recv(CHUNK):
        while block:
            block = block[os.write(1, block) :]


def _connected(folder: str) -> socket.socket | None:
    """Return a connection to the keeper of this process: each turns away who is not below it."""
    os.chdir(folder)
    for name in os.listdir("."):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(name)
            if connection.recv(1) == WELCOME:
                return connection
        except OSError:
            pass  # of a keeper that is gone
        connection.close()
    return None


def _send(tools: socket.socket) -> None:
    while block := os.read(0, CHUNK):
        tools.sendall(block)
    tools.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main()
