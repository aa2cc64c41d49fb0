"""Panels as they go: the plan, and every step the moment it is done, so that nothing is asked for twice."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.storage.connection import change, insert, rows, select, transaction

Status = Literal["proposed", "running", "done", "dropped"]
WHOLE = 0  # as a sub-problem: a step of the panel itself


@dataclass(frozen=True)
class Key:
    """Which step it is; `sub_problem` 0 stands for the whole panel, `expert` "" for nobody in particular."""

    sub_problem: int
    stage: str  # "brief", "plan", "contribution", "synthesis", "expert_memory", "result", "conclusion"
    round: int = 0
    expert: str = ""


@dataclass(frozen=True)
class Step:
    """A step that is done: what came of it, and what it cost.

    tokens_in, tokens_out  as the agent reports them, else estimated
    cost                   in dollars, as the agent reports it; 0 if it does not
    """

    key: Key
    content: Any
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    done_at: float = 0.0


@dataclass(frozen=True)
class Panel:
    """A panel of a conversation; `brief` is what the log says, `plan` the decomposition, both as JSON."""

    id: int
    conversation_id: str
    question: str
    agent: str
    status: Status
    brief: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)


def propose_panel(
    database: Database,
    conversation_id: str,
    question: str,
    agent: str,
    brief: Mapping[str, Any],
    plan: Mapping[str, Any],
    steps: Sequence[Step] = (),
) -> int:
    """Keep a proposed decomposition and what it took so far in place of an earlier one; return its id."""
    dropped = "UPDATE all_panels SET status = 'dropped' WHERE conversation_id = ? AND status = 'proposed'"
    with transaction(database):
        change(database, dropped, (conversation_id,))
        panel_id = insert(
            database, "all_panels", conversation_id=conversation_id, question=question, agent=agent,
            status="proposed", brief=_json(brief), plan=_json(plan), created_at=time.time(),
        )  # fmt: skip
        for step in steps:
            save_step(database, panel_id, step)
    return panel_id


def change_plan(database: Database, panel_id: int, plan: Mapping[str, Any]) -> None:
    """Keep `plan` as the decomposition of a panel that has not begun."""
    change(database, "UPDATE all_panels SET plan = ? WHERE id = ?", (_json(plan), panel_id))


def set_panel_status(database: Database, panel_id: int, status: Status) -> None:
    """Say how far the panel is; one that is done or dropped has ended now."""
    ended = time.time() if status in ("done", "dropped") else None
    sql = "UPDATE all_panels SET status = ?, ended_at = ? WHERE id = ?"
    change(database, sql, (status, ended, panel_id))


def latest_panel(database: Database, conversation_id: str) -> Panel | None:
    """Return the conversation's newest panel; None if it has none."""
    source = "panels WHERE conversation_id = ? ORDER BY id DESC LIMIT 1"
    for panel in select(database, Panel, source, (conversation_id,)):
        return replace(panel, brief=json.loads(str(panel.brief)), plan=json.loads(str(panel.plan)))
    return None


def save_step(database: Database, panel_id: int, step: Step) -> None:
    """Keep a step as done; one that is kept already stays as it is."""
    row = {**vars(step.key), **vars(step), "content": _json(step.content)}
    row["done_at"] = step.done_at or time.time()
    del row["key"]
    insert(database, "panel_steps", "INSERT OR IGNORE", panel_id=panel_id, **row)


def list_steps(database: Database, panel_id: int) -> list[Step]:
    """Return the steps that are done, in the order in which they were."""
    sql = (
        "SELECT sub_problem, stage, round, expert, content, tokens_in, tokens_out, cost, seconds, done_at"
        " FROM panel_steps WHERE panel_id = ? ORDER BY id"
    )
    return [Step(Key(*row[:4]), json.loads(row[4]), *row[5:]) for row in rows(database, sql, (panel_id,))]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
