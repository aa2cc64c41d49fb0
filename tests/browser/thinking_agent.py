"""An agent on Cursor's wire that thinks aloud, is refused a tool, and answers when HELD is gone."""

import json
import sys
import time
from pathlib import Path

HOSTILE = "<img src=x onerror=alert(1)> :red[x] $5 ~6"


def say(kind, **fields):
    print(json.dumps({"type": kind, "session_id": "s1", **fields}), flush=True)


def message(text):
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def main(held):
    sys.stdin.read()
    say("system", subtype="init", model="thinker-1", cwd=".", apiKeySource="none", permissionMode="default")
    say("thinking", subtype="delta", text=f"kp first. {HOSTILE}", timestamp_ms=1)
    call = {"args": {"command": "rm -rf /"}}
    say("tool_call", subtype="started", call_id="c1", tool_call={"shellToolCall": call}, timestamp_ms=2)
    call["result"] = {"rejected": {"reason": "not allowed here"}}
    say("tool_call", subtype="completed", call_id="c1", tool_call={"shellToolCall": call}, timestamp_ms=3)
    while held.exists():
        time.sleep(0.05)
    say("assistant", message=message("kp is too high."))
    usage = {"inputTokens": 12_340, "outputTokens": 410}
    say("result", subtype="success", is_error=False, result="kp is too high.", usage=usage, duration_ms=1)


if __name__ == "__main__" and sys.argv[-1] == "status":
    print("Logged in as engineer@bench")
elif __name__ == "__main__" and "--help" not in sys.argv:
    main(Path(sys.argv[1]))
