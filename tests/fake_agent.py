"""A CLI agent for tests: does what its first argument says, then (mostly) speaks Cursor's stream.

Used as a program, never imported: `python fake_agent.py BEHAVIOUR [ARGUMENT …] [agent options]`.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

TRANSCRIPTS = Path(__file__).parent / "transcripts" / "cursor"
LONG = 600  # s: longer than any test, so that what should end it must
SLEEP = [sys.executable, "-c", f"import time; time.sleep({LONG})"]


def line(kind, **fields):
    return json.dumps({"type": kind, **fields})


def emit(kind, **fields):
    print(line(kind, **fields), flush=True)


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
        time.sleep(LONG)
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
    time.sleep(LONG)


def silent():
    time.sleep(LONG)


def falls_silent():
    say("one moment")
    time.sleep(LONG)


def connects(seconds):
    """Tell of nothing but its connection for so long, then answer."""
    for number in range(int(float(seconds) / 0.1)):
        emit(("connection", "retry")[number % 2], subtype="reconnecting")
        time.sleep(0.1)
    says("reached it")


def works_quietly(seconds):
    works(lambda: time.sleep(float(seconds)))


def works_until(path):
    """Have a tool at work until there is a file `path`."""

    def work():
        while not Path(path).exists():
            time.sleep(0.02)

    works(work)


def works(work):
    """Say nothing while a tool works; its end and the answer come at once, with no silence between them."""
    call = {"call_id": "1", "tool_call": {"shellToolCall": {"args": {}}}}
    emit("tool_call", subtype="started", **call)
    work()
    told = line("result", subtype="success", is_error=False, result="found it")
    sys.stdout.write(line("tool_call", subtype="completed", **call) + "\n" + told + "\n")
    sys.stdout.flush()


def chatters():
    for number in itertools.count():
        say(f"{number} ")
        time.sleep(0.01)


def stubborn():
    """Ignore SIGTERM, and start a child of the same kind in a session of its own."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ignoring = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", ignoring], start_new_session=True, stdout=subprocess.PIPE)
    child.stdout.readline()
    say(f"{child.pid} {os.getpid()}")
    time.sleep(LONG)


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


def huge_line(mebibytes):
    """Print a line of so many MiB, the longest a file in a tool's result, then answer."""
    print(json.dumps({"type": "tool_call", "result": "z" * (int(mebibytes) * 1024 * 1024)}))
    says("heard all the same")


def half_a_character():
    """End in the middle of a character, in the middle of a line."""
    say("so far")
    sys.stdout.buffer.write('{"type":"assistant","text":"溫'.encode()[:-1])
    sys.stdout.flush()


def unknown_events():
    for number in range(3):
        emit(f"novelty{number}", text="?")
    says("known again")


def mcp_child():
    """Stay after the result, with a server that has left the process group."""
    child = subprocess.Popen(SLEEP, start_new_session=True, stdout=subprocess.DEVNULL)
    says(f"{child.pid} {os.getpid()}")
    time.sleep(LONG)


def denied():
    asked = {"toolName": "set_output", "providerIdentifier": "bench", "args": {}}
    emit("tool_call", subtype="started", call_id="1", tool_call={"mcpToolCall": {"args": asked}})
    emit(
        "tool_call", subtype="completed", call_id="1", tool_call={"mcpToolCall": {"result": {"rejected": {}}}}
    )
    says("I may not.")


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
    time.sleep(LONG)


def call(tool, result, server="instrumentgpt"):
    asked = {"name": f"{server}-{tool}", "args": {}, "providerIdentifier": server, "toolName": tool}
    emit("tool_call", subtype="started", call_id=tool, tool_call={"mcpToolCall": {"args": asked}})
    content = [{"text": {"text": json.dumps(result)}}]
    told = {"args": asked, "result": {"success": {"content": content, "isError": False}}}
    emit("tool_call", subtype="completed", call_id=tool, tool_call={"mcpToolCall": told})


def artifacts():
    return Path.cwd().parents[1] / "runs" / os.environ["INSTRUMENTGPT_RUN"] / "artifacts"


def diagnoses():
    """Report a finding and a chart as our tools do, between two segments of text."""
    emit("assistant", message={"content": [{"type": "text", "text": "I look at the log."}]})
    (artifacts() / "chart.json").write_text('{"data": []}')
    finding = {"text": "channel 3 swings by 2.1 °C every 63 s", "evidence": [{"line": 18204}]}
    chart = {"kind": "plotly", "file": "chart.json", "title": "Channel 3", "alt": "pv swings"}
    log = "InstrumentDebug_2026-02-19_23-24-45.39.log"
    call("diagnose_log", {"summary": "1 finding", "log": log, "findings": [finding], "artifact": chart})
    emit("assistant", message={"content": [{"type": "text", "text": "It swings."}]})
    result("I look at the log.It swings.")


def names_file(file):
    """Have a tool's result name `file` as its chart."""
    (artifacts() / "not_a_figure.json").write_text("[]")
    (artifacts() / "link.json").symlink_to(Path(__file__))
    call("plot_log", {"artifact": {"kind": "plotly", "file": file, "title": "x", "alt": "x"}})
    say("nothing to see")
    result("nothing to see")


def prompt():
    """Answer with the prompt itself."""
    said = sys.stdin.buffer.read().decode()
    say(said)
    result(said)


def environment():
    say("\n".join(sorted(os.environ)))
    result("\n".join(sorted(os.environ)))


def talks():
    """Say a sentence before each call, as agents do, and then the answer; the result glues them together."""
    answer = "## Result\n\nChannel 2 swings by 2.7 °C every 45 s.\n\n- kp is too high\n- ki is fine"
    (artifacts() / "chart.json").write_text('{"data": []}')
    chart = {"kind": "plotly", "file": "chart.json", "title": "Channel 2", "alt": "pv swings"}
    steps = {
        "I will read the device first.": ("fetch_log", {"summary": "fetched"}),
        "Now I run the checks.": ("diagnose_log", {"summary": "1 finding"}),
        "And draw the channel.": ("plot_log", {"summary": "drawn", "artifact": chart}),
        "I put it on record.": ("record_finding", {"summary": "noted"}),
    }
    for words, told in steps.items():
        for piece in words.partition(" "):
            say(piece)
            time.sleep(float(os.environ.get("TALKS_SLOWLY", 0)))
        message = {"content": [{"type": "text", "text": words}]}
        emit("assistant", message=message, timestamp_ms=1, model_call_id="m")
        call(*told)
        time.sleep(3 * float(os.environ.get("TALKS_SLOWLY", 0)))
    for piece in answer.partition("kp"):
        say(piece)
        time.sleep(float(os.environ.get("TALKS_SLOWLY", 0)))
    emit("assistant", message={"content": [{"type": "text", "text": answer}]})
    result("".join(steps) + answer)


def says(text):
    say(text)
    result(text)


def says_and_lingers_in_pieces():
    """Say a word a second for ever, with a child in a session of its own."""
    child = subprocess.Popen(SLEEP, start_new_session=True)
    say(f"{os.getpid()} {child.pid} ")
    for number in itertools.count():
        time.sleep(0.02)
        say(f"word{number} ")


def hides_a_child_and_lingers():
    """Say a word a second for ever; a child of nobody's, in a session of its own, has no environment."""
    hiding = f"setsid env -i sleep {LONG} <&- >/dev/null 2>&1 & echo $!"
    hidden = subprocess.run(["sh", "-c", hiding], capture_output=True, text=True, check=True).stdout
    say(f"{os.getpid()} {hidden.strip()} ")
    for number in itertools.count():
        time.sleep(0.02)
        say(f"word{number} ")


def hides_a_child_and_ends():
    hiding = f"setsid env -i sleep {LONG} <&- >/dev/null 2>&1 & echo $!"
    says(subprocess.run(["sh", "-c", hiding], capture_output=True, text=True, check=True).stdout.strip())


def resumes():
    names_its_session("s-1")


def names_its_session(session):
    """Say which session it goes on with, and call this one so; a number is so many letters."""
    session = "x" * int(session) if session.isdigit() else session
    emit("system", subtype="init", session_id=session, model="fake")
    arguments = sys.argv[2:]
    resumed = arguments[arguments.index("--resume") + 1] if "--resume" in arguments else ""
    says(f"the session {resumed}" if resumed else "a new session")


def forgets():
    """Refuse to go on with any session."""
    if "--resume" in sys.argv:
        fails("Could not restore the chat: unknown id")
    resumes()


def tells_its_key():
    key = os.environ["CURSOR_API_KEY"]
    asked = {"name": "shell", "args": {"command": f"curl -H {key}"}, "result": {"success": {"stdout": key}}}
    emit("tool_call", subtype="completed", call_id="1", tool_call={"shellToolCall": asked})
    for letter in key:
        say(letter)
    fails(f"refused: {key}")


def summarises(file, held=""):
    """Answer a request for a summary with the text of `file`, once there is none called `held`.

    Any other request is answered at once.
    """
    if "Summarise the record" not in sys.stdin.buffer.read().decode():
        says("I see.")
        return
    while held and Path(held).exists():
        time.sleep(0.02)
    text = Path(file).read_text(encoding="utf-8")
    say(text)
    emit(
        "result",
        subtype="success",
        is_error=False,
        result=text,
        usage={"inputTokens": 900, "outputTokens": 80},
    )


def help():
    print("--stream-partial-output --trust --approve-mcps --force --resume")


if __name__ == "__main__":
    behaviour, *arguments = sys.argv[1:]
    behaviour = "help" if "--help" in arguments else behaviour
    globals()[behaviour](*itertools.takewhile(lambda argument: not argument.startswith("-"), arguments))
