"""The prompts of every mode at turns 1, 3, 10 and 50, as readable files with their tokens.

    python -m bench.prompts [--folder bench/results/prompts]

The talk before the turn is made up (memory_talk); the turn itself is a real one of the offline analyst, whose
prompts are those that any agent gets. An interview asks only an agent, so there a program answers "?"; a plan
and a panel are agreed to. The file has the first prompt of each task and its last.
"""

import argparse
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import db
from bench.memory_talk import exchanges
from instrumentgpt.agents.events import Text
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.storage.runs import get_prompt, list_prompts, start_run
from instrumentgpt.turn.runs import consume
from instrumentgpt.turn.turn import open_turn

TURNS = (1, 3, 10, 50)
PROGRAM = """#!/bin/sh
cat >/dev/null
echo '{"type": "result", "subtype": "success", "is_error": false, "result": "?"}'
"""
ASKED = {  # mode → what is asked in it
    "chat": "zspr 053 why does channel 2 swing?",
    "investigate": "compare zspr 050 and zspr 053 and write a report",
    "interview": "zspr 053 has been unreliable since Monday",
    "panel": "zspr 051: too little power, or a failing heater?",
}


def main(folder: Path) -> None:
    """Write a file per mode and turn, and print the tokens of each."""
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{'mode':12} {'turn':>4} {'prompts':>8} {'tokens, first':>14} {'all':>7}")
    for mode, question in ASKED.items():
        for turn in TURNS:
            with TemporaryDirectory(prefix="prompts-bench-") as home:
                texts = prompts_of(Path(home), mode, question, turn)
            tokens = [count_tokens(text) for _, text in texts]
            tasks = [task for task, _ in texts]
            kept = {
                *map(tasks.index, tasks),
                *(n for n, task in enumerate(tasks) if task not in tasks[n + 1 :]),
            }
            told = [f"# {tasks[n]}: {tokens[n]} tokens\n\n{texts[n][1]}\n" for n in sorted(kept)]
            (folder / f"{mode}-{turn:02}.md").write_text("\n".join(told), encoding="utf-8")
            print(f"{mode:12} {turn:4} {len(texts):8} {tokens[0]:14} {sum(tokens):7}")


def prompts_of(home: Path, mode: str, question: str, turn: int) -> list[tuple[str, str]]:
    """Return (task, text) of each prompt of the question, asked as turn number `turn` of a conversation."""
    os.environ["INSTRUMENTGPT_HOME"] = str(home)
    program, path = home / "agent", home / "instrumentgpt.db"
    program.write_text(PROGRAM)
    program.chmod(0o700)
    os.environ["PATH"] = f"{home}:{os.environ['PATH']}"
    database = db.connect(path)
    conversation = db.create_conversation(database)
    for said, answer in exchanges(turn - 1)[0]:
        message = db.add_message(database, conversation, "user", said)
        before = open_turn(database, start_run(database, conversation, "offline", "chat", message))
        before.prompt("offline")
        before.take(Text(answer))
        before.save("ok")
    known = len(list_prompts(database, conversation))
    agent = "cursor" if mode == "interview" else "offline"
    for said in (question, "yes") if mode in ("investigate", "panel") else (question,):
        for _ in consume(path, conversation, said, mode=mode, agent=agent):
            pass
    sent = [
        get_prompt(database, conversation, row[0]) for row in list_prompts(database, conversation)[known:]
    ]
    database.close()
    return [(one.task, one.text) for one in sent if one]


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    given.add_argument("--folder", type=Path, default=Path(__file__).parent / "results" / "prompts")
    main(given.parse_args().folder)
