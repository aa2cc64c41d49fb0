"""A CLI agent for tests: does what its first argument says, then (mostly) speaks Cursor's stream.

Used as a program, never imported: `python fake_agent.py BEHAVIOUR [ARGUMENT …] [agent options]`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

TRANSCRIPTS = Path(__file__).parent / "transcripts" / "cursor"
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def emit(kind, **fields):
    print(json.dumps({"type": kind, **fields}), flush=True)


def say(text):
    emit("assistant", message={"content": [{"type": "text", "text": text}]}, timestamp_ms=1)


def result(text):
    emit("result", subtype="success", is_error=False, result=text)


def replay(name):
    sys.stdout.buffer.write((TRANSCRIPTS / f"{name}.jsonl").read_bytes())
    sys.stdout.flush()
    stderr, meta = TRANSCRIPTS / f"{name}.stderr", TRANSCRIPTS / f"{name}.meta.json"
    if stderr.exists():
        sys.stderr.write(stderr.read_text())
    code = json.loads(meta.read_text())["exit_code"] if meta.exists() else 0
    if code is None:
        time.sleep(60)
    sys.exit(code)


def echo():
    prompt = sys.stdin.buffer.read().decode()
    say(f"{len(prompt)} characters, {prompt[-3:]}")
    result(f"{len(prompt)} characters, {prompt[-3:]}")


def deaf():
    """Answer at once and leave, without reading the prompt."""
    result("no need to ask")


def lingers():
    """Stay after the last word, as cursor-agent does."""
    say("done")
    result("done")
    time.sleep(60)


def silent():
    time.sleep(60)


def falls_silent():
    say("one moment")
    time.sleep(60)


def works_quietly(seconds):
    emit("tool_call", subtype="started", call_id="1", tool_call={"shellToolCall": {"args": {}}})
    time.sleep(float(seconds))
    emit("tool_call", subtype="completed", call_id="1", tool_call={"shellToolCall": {"args": {}}})
    result("found it")


def chatters():
    for number in range(10_000):
        say(f"{number} ")
        time.sleep(0.01)


def stubborn():
    """Ignore SIGTERM, and start a child of the same kind in a session of its own."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ignoring = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", ignoring], start_new_session=True, stdout=subprocess.PIPE)
    child.stdout.readline()
    say(f"{child.pid} {os.getpid()}")
    time.sleep(60)


def leaves_grandchild():
    """End after the result, with a grandchild that holds stdout open."""
    child = subprocess.Popen(SLEEP)
    say(str(child.pid))
    result(str(child.pid))


def grandchild_without_result():
    child = subprocess.Popen(SLEEP)
    say(str(child.pid))


def floods_stderr():
    for _ in range(4096):
        sys.stderr.write("x" * 1023 + "\n")
    sys.stderr.write("last words\n")
    say("heard through the noise")
    result("heard through the noise")


def long_lines(count):
    for _ in range(int(count)):
        say("y" * 1_000_000)
    result("y" * 1_000_000 * int(count))


def fails(text):
    sys.stderr.write(text)
    sys.exit(1)


def says_nothing():
    pass


def breaks_off():
    say("The cause is")


def killed():
    say("so far")
    os.kill(os.getpid(), signal.SIGKILL)


def closes_stdout():
    say("so far")
    os.close(1)
    time.sleep(60)


if __name__ == "__main__":
    behaviour, *arguments = sys.argv[1:]
    globals()[behaviour](*[argument for argument in arguments if not argument.startswith("-")])
