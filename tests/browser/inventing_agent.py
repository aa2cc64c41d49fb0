"""An agent on Cursor's wire that answers with two numbers: `inventing_agent.py WORDS`."""

import json
import sys


def main(words):
    sys.stdin.read()
    said = {"role": "assistant", "content": [{"type": "text", "text": words}]}
    print(json.dumps({"type": "assistant", "session_id": "s1", "message": said}))
    told = {"type": "result", "subtype": "success", "is_error": False, "result": words}
    print(json.dumps({**told, "session_id": "s1", "duration_ms": 1, "request_id": "r"}), flush=True)


if __name__ == "__main__" and sys.argv[-1] == "status":
    print("Logged in as engineer@bench")
elif __name__ == "__main__" and "--help" not in sys.argv:
    main(sys.argv[1])
