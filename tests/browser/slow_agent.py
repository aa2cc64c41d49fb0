"""An agent on Cursor's wire that counts aloud: `slow_agent.py WORDS SECONDS HELD`, a word every SECONDS.

While there is a file HELD, it says no more than twenty.
"""

import json
import sys
import time
from pathlib import Path


def say(kind, **fields):
    print(json.dumps({"type": kind, "session_id": "s1", **fields}), flush=True)


def words(text, **fields):
    say("assistant", message={"role": "assistant", "content": [{"type": "text", "text": text}]}, **fields)


def main(count, seconds, held):
    sys.stdin.read()
    say("system", subtype="init", model="slow", cwd=".", apiKeySource="none", permissionMode="default")
    call = {"args": {"command": "uptime"}}
    say("tool_call", subtype="started", call_id="c1", tool_call={"shellToolCall": call}, timestamp_ms=1)
    call["result"] = {"success": {"stdout": "up <b>3</b> days, $5 ~6 :red[x]", "exitCode": 0}}
    say("tool_call", subtype="completed", call_id="c1", tool_call={"shellToolCall": call}, timestamp_ms=2)
    text = ""
    for number in range(1, count + 1):
        time.sleep(seconds)
        while number > 20 and held.exists():
            time.sleep(0.05)
        text += f"word{number} "
        words(f"word{number} ", timestamp_ms=number)
    words(text)
    say("result", subtype="success", is_error=False, result=text, duration_ms=1, request_id="r")


if __name__ == "__main__" and sys.argv[-1] == "status":
    print("Logged in as engineer@bench")
elif __name__ == "__main__" and "--help" not in sys.argv:
    main(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]))
