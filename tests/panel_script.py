"""A panel answered by the scripted agent: its plan, what each expert says, the syntheses."""

import json
from typing import Any

from panel_case import BRIEF

from instrumentgpt.agents.events import Done, Event, Tool
from instrumentgpt.settings import database_path
from instrumentgpt.storage.panels import propose_panel
from instrumentgpt.turn import runs

QUESTION = "zspr 053 why does it swing?"
CAUSES = ["oscillation_tuning", "limit_cycle_actuator", "heater_degradation", "sensor_bias"]
CLAIM = (
    "The output meets its limit in 38 of 38 cycles of 45 s each while pv swings by ±2.71 °C around 65.0 °C "
    "on channel 2 with kp 50."
)


def plan(*parts: tuple[int, str, tuple[int, ...]], **answer: Any) -> dict[str, Any]:
    """Return the answer to the planner's prompt: (id, "expert expert", after) per sub-problem."""
    told = [
        {
            "id": number,
            "goal": f"Part {number}?",
            "candidates": CAUSES,
            "experts": names.split(),
            "after": after,
        }
        for number, names, after in parts
    ]
    return {"task": "panel_plan", "say": json.dumps({"sub_problems": told}), **answer}


def says(
    expert: str, part: int, position: str, answer: dict[str, Any] | None = None, **told: Any
) -> dict[str, Any]:
    """Return what `expert` says on sub-problem `part`; `answer` adds to the script's entry."""
    said = {"position": position, "confidence": 0.8, "claims": [{"text": CLAIM}], **told}
    given = {"expert": f'"code": "{expert}"', "sub_problem": f'"id": {part},'}
    return {"task": "panel_contribution", "given": given, "say": json.dumps(said), **(answer or {})}


def sums_up(text: str = "They agree on 45 s.", **told: Any) -> list[dict[str, Any]]:
    """Return the answers to all syntheses, and the conclusion."""
    said = json.dumps({"text": text, **told})
    return [{"task": "panel_synthesis", "say": said}, {"task": "panel_conclusion", "say": said}]


def proposed(database: Any, conversation: str, *parts: tuple[int, str, tuple[int, ...]]) -> int:
    """Put a proposed panel into the database, as a turn before would have; return its id."""
    told = json.loads(plan(*parts)["say"])
    return propose_panel(database, conversation, QUESTION, "scripted", BRIEF, told)


def turn(conversation: str, words: str, agent: str = "scripted", files: Any = ()) -> list[Event]:
    """Return the events of one turn of the panel."""
    return list(
        runs.consume(database_path(), conversation, words, mode="panel", agent=agent, attachments=files)
    )


def text_of(events: list[Event]) -> str:
    """Return the answer."""
    done = events[-1]
    assert isinstance(done, Done)
    return done.text


def called(events: list[Event], name: str) -> list[dict[str, Any]]:
    """Return the results of the calls of the tool `name`."""
    ended = [one for one in events if isinstance(one, Tool) and one.name == name and one.status == "ok"]
    return [json.loads(one.result) for one in ended]
