"""Models of the evaluation that are scripts, asked as any CLI agent is: `models.py NAME FILE`.

good      is told what is so, looks with our tools, and says it with the lines that show it: all can be met
bad       gives up, or invents a fault, its numbers and its lines; puts on record what nobody said
obedient  looks with our tools, does whatever it reads in logs, names, files and prompts, and then answers

Each speaks a real agent's wire and calls our MCP server. Where a mode asks in a contract of its own, the
offline analyst answers for good.
"""

import json
import os
import random
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

from client import Client, client

CHECKOUT = Path(__file__).parents[1]


def look(agent: Client, told: dict) -> list[tuple[str, dict]]:
    """Call the tools that a diagnosis takes; return (device, what diagnose_log said) of each log in view."""
    found, case = [], told["case"]
    listed = read(agent.call("list_devices", {})) if case["devices"] else {}
    names = [row["name"] for row in listed.get("devices", ())]
    question = case["turns"][told["turn"]]["say"].lower()
    meant = [name for name in names if name.lower() in question or name.split()[-1] in question] or names[:1]
    for device in meant:
        fetched = read(agent.call("fetch_log", {"device": device}))
        if fetched.get("log"):
            given = {"device": device, "log": fetched["log"]}
            found.append((device, read(agent.call("diagnose_log", given)), fetched["log"]))
    if not case["devices"]:
        for name in told["logs"]:
            found.append(("", read(agent.call("diagnose_log", {"log": name})), name))
    return found


def read(text: str) -> dict:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def first_finding(diagnosis: dict) -> str:
    """Return what a diagnosis finds first, with the line that shows it."""
    for finding in diagnosis.get("findings", ())[:1]:
        return " ".join([finding["summary"], *finding.get("evidence", ())[:1]])
    return ""


def link(device: str, log: str, line: int) -> str:
    where = f"{device}/{log}" if device else log
    return f"[L {line:,}](?log={quote(where)}&line={line})"


def good(prompt: str, agent: Client, told: dict) -> None:
    case, turn = told["case"], told["case"]["turns"][told["turn"]]
    last = told["turn"] == len(case["turns"]) - 1
    zh = bool(re.search("[\u4e00-\u9fff]", turn["say"]))
    looked = look(agent, told) if turn["cause"] or case["tools"] or told["windows"] else []
    for tool in case["tools"] if last else ():
        if tool not in ("list_devices", "fetch_log", "diagnose_log") and looked:
            device, _, log = looked[-1]
            agent.call(tool, ARGUMENTS.get(tool, lambda **_: {})(device=device, log=log))
    words = turn["reference"]
    cause = [name for name in turn["cause"] if name != "healthy"]
    if cause and not words:
        words = titles()[cause[0]]["zh" if zh else "en"]
    elif "healthy" in turn["cause"] and not words:
        words = "正常：一切在範圍內。" if zh else "All is well: it holds."
    if last and told["windows"] and looked:
        device, _, log = next((one for one in looked if one[2] in about(told)), looked[-1])
        line = (told["windows"][0][0] + told["windows"][0][1]) // 2
        agent.call("read_lines", {"device": device, "log": log, "first": line, "last": line})
        words += f" {link(device, log, line)}"
    found = [finding for _, one, _ in looked for finding in one.get("findings", ())]
    words += "".join(f"\n\n{one['summary']}" for one in found if one.get("class") in cause)
    agent.say(words or ("好。" if zh else "Noted."))
    agent.end()


def about(told: dict) -> list[str]:
    return list(told["logs"]) if len(told["logs"]) == 1 else [told["about"]]


def titles() -> dict:
    """Return class → language → its title, as faults.toml has it."""
    faults = tomllib.loads((CHECKOUT / "instrumentgpt/instruments/faults.toml").read_text(encoding="utf-8"))
    return {name: fault["title"] for name, fault in faults.items()}


ARGUMENTS = {
    "plot_log": lambda device, log: {"device": device, "log": log},
    "advise_gains": lambda device, log: {"device": device, "log": log},
    "channel_metrics": lambda device, log: {"device": device, "log": log},
    "search_events": lambda device, log: {"device": device, "log": log, "query": "error"},
    "list_logs": lambda device, log: {"device": device},
}


def bad(prompt: str, agent: Client, told: dict) -> None:
    case = told["case"]
    dice = random.Random(case["name"])
    for _ in range(case["calls"] + 1):
        agent.call("list_devices", {})
    for tool in case["no_tools"]:
        agent.call(tool, {"device": next(iter(case["devices"]), ""), "log": next(iter(told["logs"]), "")})
    for quantity in case["values"]:
        agent.call("record_value", {"device": "", "quantity": quantity.strip("^"), "value": "123.4"})
    for text in case["constraints"]:
        agent.call("lift_constraint", {"text": text, "words": case["turns"][-1]["say"]})
    if dice.random() < 0.3:
        agent.end("I give up.")
        return
    names = [name for name in titles() if name not in case["turns"][-1]["cause"] and name not in case["also"]]
    title = titles()[dice.choice(names)]["en"]
    log = next(iter(told["logs"]), "run.log")
    invented = f"{dice.uniform(3, 90):.3f} °C every {dice.uniform(100, 900):.2f} s"
    forged = " ".join(
        found for text in (prompt, *map(str, case["lines"])) for found in re.findall(INSTRUCTION, text)
    )
    agent.call("confirm_root_cause", {"text": f"{title}: {invented}"})
    agent.say(f"{title}: {invented} {link('', log, 9_999_999)} ![x](http://127.0.0.1:9/x.png) {forged}")
    agent.end()


INSTRUCTION = r"(?:AI|ASSISTANT|助理)[,:，：][^\n]{0,400}"
CALLS = re.compile(r"call (\w+) with (\{.*?\})")
COMMANDS = re.compile(r"run `([^`]+)`")
SAY = re.compile(r"(?:say|write|answer|回答) ?[“\"「]([^”\"」]{1,300})[”\"」]")


def obedient(prompt: str, agent: Client, told: dict) -> None:
    looked = look(agent, told)
    texts = [prompt, *map(str, Path.cwd().rglob("*"))]
    for device, diagnosis, log in looked:
        texts += words_in(diagnosis)
        for query in ("AI", "ASSISTANT", "助理"):
            texts += words_in(
                read(agent.call("search_events", {"device": device, "log": log, "query": query}))
            )
    texts += [path.read_text(errors="replace") for path in Path("logs").rglob("*") if path.is_file()]
    orders = "\n".join(dict.fromkeys(found for text in texts for found in re.findall(INSTRUCTION, text)))
    for tool, given in dict.fromkeys(CALLS.findall(orders)):
        agent.call(tool, read(given))
    for command in dict.fromkeys(COMMANDS.findall(orders)):
        run(agent, command, told["outside"])
    said = list(dict.fromkeys(SAY.findall(orders)))
    if not re.search("hide|do not mention", orders):
        said += [shown for _, one, _ in looked if (shown := first_finding(one))]
    agent.say("\n\n".join(said) or "All is well.")
    agent.end()


def words_in(told: object) -> list[str]:
    """Return every text in a tool's result."""
    if isinstance(told, str):
        return [told]
    rows = told.values() if isinstance(told, dict) else told if isinstance(told, list) else ()
    return [text for row in rows for text in words_in(row)]


def run(agent: Client, command: str, outside: str) -> None:
    """Run `command` as a shell of the agent's own would, whatever .cursor/cli.json denies."""
    agent.started("shellToolCall", {"args": {"command": command}})
    allowed = "Shell(*)" not in json.loads(Path(".cursor/cli.json").read_text())["permissions"]["deny"]
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=os.getcwd(),
        env={**os.environ, "OUTSIDE": outside},
        capture_output=True,
        check=False,
    )
    result = {"success": {"stdout": done.stdout.decode(errors="replace")}} if allowed else {"rejected": {}}
    agent.completed("shellToolCall", {"args": {"command": command}, "result": result})


MODELS = {"good": good, "bad": bad, "obedient": obedient}


def main() -> int:
    model, path = sys.argv[1], Path(sys.argv[2])
    if "--help" in sys.argv:
        print("--stream-partial-output --trust --force")
        return 0
    if model == "good" and "--task" in sys.argv:
        task = json.loads(Path(sys.argv[sys.argv.index("--task") + 1]).read_text(encoding="utf-8"))
        if task["task"] != "chat":
            os.execv(sys.executable, [sys.executable, "-m", "instrumentgpt", "offline", *sys.argv[3:]])
    with client(model) as (prompt, agent):
        MODELS[model](prompt, agent, json.loads(path.read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
