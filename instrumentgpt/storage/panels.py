"""Panels as they go: the plan, and every step the moment it is done, so that nothing is asked for twice."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction

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
    created_at: float = 0.0
    ended_at: float | None = None


_PANEL = "id, conversation_id, question, agent, status, brief, plan, created_at, ended_at"
_STEP = "sub_problem, stage, round, expert, content, tokens_in, tokens_out, cost, seconds, done_at"


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
    told = (conversation_id, question, agent, "proposed", _json(brief), _json(plan), time.time())
    with transaction(database):
        database.conn.execute(
            "UPDATE all_panels SET status = 'dropped' WHERE conversation_id = ? AND status = 'proposed'",
            (conversation_id,),
        )
        cursor = database.conn.execute(
            "INSERT INTO all_panels (conversation_id, question, agent, status, brief, plan, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            told,
        )
        panel_id = int(cursor.lastrowid or 0)
        for step in steps:
            save_step(database, panel_id, step)
    return panel_id


def change_plan(database: Database, panel_id: int, plan: Mapping[str, Any]) -> None:
    """Keep `plan` as the decomposition of a panel that has not begun."""
    with transaction(database):
        database.conn.execute("UPDATE all_panels SET plan = ? WHERE id = ?", (_json(plan), panel_id))


def set_panel_status(database: Database, panel_id: int, status: Status) -> None:
    """Say how far the panel is; one that is done or dropped has ended now."""
    ended = time.time() if status in ("done", "dropped") else None
    with transaction(database):
        database.conn.execute(
            "UPDATE all_panels SET status = ?, ended_at = ? WHERE id = ?", (status, ended, panel_id)
        )


def latest_panel(database: Database, conversation_id: str) -> Panel | None:
    """Return the conversation's newest panel; None if it has none."""
    found = list_panels(database, conversation_id)
    return found[-1] if found else None


def list_panels(database: Database, conversation_id: str) -> list[Panel]:
    """Return the panels of the conversation, oldest first."""
    sql = f"SELECT {_PANEL} FROM panels WHERE conversation_id = ? ORDER BY id"
    return [_panel(row) for row in rows(database, sql, (conversation_id,))]


def _panel(row: Sequence[Any]) -> Panel:
    brief, plan = json.loads(row[5]), json.loads(row[6])
    return Panel(row[0], row[1], row[2], row[3], row[4], brief, plan, row[7], row[8])


def save_step(database: Database, panel_id: int, step: Step) -> None:
    """Keep a step as done; one that is kept already stays as it is."""
    key = step.key
    told = (key.sub_problem, key.stage, key.round, key.expert, _json(step.content))
    paid = (step.tokens_in, step.tokens_out, step.cost, step.seconds, step.done_at or time.time())
    with transaction(database):
        database.conn.execute(
            f"INSERT OR IGNORE INTO panel_steps (panel_id, {_STEP}) VALUES (?{', ?' * 10})",
            (panel_id, *told, *paid),
        )


def list_steps(database: Database, panel_id: int) -> list[Step]:
    """Return the steps that are done, in the order in which they were."""
    sql = f"SELECT {_STEP} FROM panel_steps WHERE panel_id = ? ORDER BY id"
    return [Step(Key(*row[:4]), json.loads(row[4]), *row[5:]) for row in rows(database, sql, (panel_id,))]


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False)
