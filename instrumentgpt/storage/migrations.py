"""The tables, as numbered steps; one that has been released is never changed: write a new one below it.

Steps are applied with foreign keys off, in one transaction (connection.py).
"""

import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database
from sqlite_utils.db import ForeignKey
from sqlite_utils.migrations import Migrations

from instrumentgpt.memory.state import (
    FILED,
    IN_QUESTION,
    ITEM_FIELDS,
    RULED_OUT,
    DiagnosticState,
    bare,
    device_key,
)
from instrumentgpt.memory.terms import terms

MIGRATIONS = Migrations("instrumentgpt.storage")
UNRELEASED = Migrations("instrumentgpt")  # the steps of before there were these; `LAST` was their end
LAST = "memory_is_data"
WORDS = "tokenize = \"unicode61 remove_diacritics 0 tokenchars '._:/-'\""
TYPES = {"text": str, "whole": int, "real": float, "blob": bytes}


@MIGRATIONS()
def m001_tables(database: Database) -> None:
    """All tables; an old application's conversations and messages are taken over, whatever their columns."""
    if unreleased := {row.name for row in UNRELEASED.applied(database)}:
        if "summaries_are_runs" not in unreleased:
            database.table("runs").add_column("kind", str, not_null_default="turn")
            database.table("runs").drop_index("one_live_run_per_conversation")
            _one_live_run_of_a_kind(database)
            database.table("summary_jobs").drop()
        return
    _conversations_and_messages(database)
    conversation, message = {"conversation_id": "conversations"}, {"message_id": "messages"}
    of_message = {**conversation, **message}
    _table(
        database, "runs", "id", {**conversation, "question_message_id": "messages?"},
        {"status": "running", "kind": "turn"}, text="id conversation_id agent mode status kind",
        whole="question_message_id? pid? stop_requested=0",
        real="process_started? started_at finished_at? began_at? started_clock? began_clock?",
    )  # fmt: skip
    database.table("runs").create_index(["conversation_id", "started_at"], "runs_of")
    _one_live_run_of_a_kind(database)
    _table(
        database, "run_events", ("run_id", "number"), {"run_id": "runs"}, text="run_id event", whole="number"
    )
    _table(
        database, "artifacts", "id", of_message, {"file": ""},
        text="id conversation_id run_id? kind title alt file", whole="message_id? size",
        real="created_at removed_at?", blob="content",
    )  # fmt: skip
    _table(
        database, "agent_sessions", ("conversation_id", "agent", "workspace"), conversation,
        text="conversation_id agent workspace session_id",
    )  # fmt: skip
    _table(
        database, "permissions", "id", conversation,
        whole="id may_run may_edit may_browse=0", text="conversation_id changed_by", real="changed_at",
    )  # fmt: skip
    _table(
        database, "state_items", "id", {**conversation, "message_id": "messages?"}, {"log": ""},
        whole="id message_id? line?", text="conversation_id device field text source log", real="created_at",
    )  # fmt: skip
    _table(
        database, "device_states", ("conversation_id", "device"), conversation,
        text="conversation_id device state",
    )  # fmt: skip
    _table(database, "settings", "name", text="name value")
    _table(database, "notes", ("scope", "id"), text="id scope kind text", real="updated_at")
    _table(
        database, "facts", "id", of_message, dict.fromkeys(
            ("channel", "parameter", "value", "unit", "said", "log", "clock", "dated"), ""
        ),
        whole="id message_id line? since=0 age=0",
        text="conversation_id kind device channel parameter value unit said source log clock dated",
    )  # fmt: skip
    _table(
        database, "nicknames", "id", of_message,
        whole="id message_id", text="conversation_id device nickname kind",
    )  # fmt: skip
    _table(
        database, "revisions", "id", conversation, {"channel": ""},
        whole="id after", real="changed_at undone_at?",
        text="conversation_id device field channel name action old new changed_by undone_by?",
    )  # fmt: skip
    _table(
        database, "prompts", "id", of_message, whole="id message_id budget",
        text="conversation_id run_id task agent", real="sent_at", blob="text",
    )  # fmt: skip
    _table(
        database, "mode_states", ("conversation_id", "mode"), conversation,
        text="conversation_id mode state", real="updated_at",
    )  # fmt: skip
    _table(
        database, "offers", ("message_id", "number"), message,
        whole="message_id number", text="label text mode",
    )  # fmt: skip
    _table(
        database, "documents", "id", {"conversation_id": "conversations?"}, whole="id",
        text="conversation_id? ref kind title file", real="saved_at",
    )  # fmt: skip
    database.table("documents").create_index(["file"], unique=True)
    _table(
        database, "entities", ("conversation_id", "ref"), conversation, {"flag": "", "retained": ""},
        text="conversation_id ref kind type label flag retained link",
        whole="number first_message last_message",
    )  # fmt: skip
    database.table("entities").create_index(["conversation_id", "type", "link"], unique=True)
    _table(
        database, "panels", "id", conversation, whole="id",
        text="conversation_id question agent status brief plan", real="created_at ended_at?",
    )  # fmt: skip
    _table(
        database, "panel_steps", "id", {"panel_id": "panels"}, text="stage expert content",
        whole="id panel_id sub_problem round tokens_in tokens_out", real="cost seconds done_at",
    )  # fmt: skip
    database.table("panel_steps").create_index(
        ["panel_id", "sub_problem", "stage", "round", "expert"], unique=True
    )
    for table, columns in INDICES:
        database.table(table).create_index(columns.split(), f"{table}_{'_'.join(columns.split())}")
    database.execute(
        "CREATE INDEX facts_by_key ON facts (conversation_id, kind, device, channel, parameter, age)"
    )
    _indices_of_words(database)
    database.execute(
        "CREATE TRIGGER notes_forgotten AFTER DELETE ON conversations"
        " BEGIN DELETE FROM notes WHERE scope = old.id; END"
    )


INDICES = (
    *((table, "conversation_id message_id") for table in ("artifacts", "facts", "nicknames")),
    *((table, "message_id") for table in ("artifacts", "facts", "nicknames", "prompts", "state_items")),
    *((table, "conversation_id id") for table in ("permissions", "revisions", "prompts", "panels")),
    ("state_items", "conversation_id device"),
    ("state_items", "device field"),
    ("artifacts", "run_id"),
    ("documents", "conversation_id"),
)


def _table(
    database: Database,
    name: str,
    pk: str | tuple[str, ...],
    parents: Mapping[str, str] = {},
    defaults: Mapping[str, str] = {},
    **columns: str,
) -> None:
    """Make a table whose columns are named by type, "name?" if it may be NULL, "name=0" with a default.

    parents  column → the table that it names a row of; the row goes with that one, "table?": forgets it
    """
    listed = [(word, TYPES[kind]) for kind, words in columns.items() for word in words.split()]
    numbers = {name: int(number) for name, _, number in (word.partition("=") for word, _ in listed) if number}
    database.table(name).create(
        {word.partition("=")[0].rstrip("?"): kind for word, kind in listed},
        pk=pk,
        not_null={word.partition("=")[0] for word, _ in listed if not word.endswith("?")} - {pk},
        defaults={**defaults, **numbers},
        foreign_keys=[
            ForeignKey(
                name, column, to.rstrip("?"), "id", on_delete="SET NULL" if to.endswith("?") else "CASCADE"
            )
            for column, to in parents.items()
        ],
    )


def _one_live_run_of_a_kind(database: Database) -> None:
    database.execute(
        "CREATE UNIQUE INDEX one_live_run_of_a_kind ON runs (conversation_id, kind) WHERE status = 'running'"
    )


def _conversations_and_messages(database: Database) -> None:
    database.table("conversations").create(
        {"id": str, "title": str, "created_at": float, "updated_at": float}, pk="id",
        not_null={"title", "created_at", "updated_at"}, defaults={"title": ""}, if_not_exists=True,
    )  # fmt: skip
    database.execute(  # an id is given once: summaries name messages by it
        "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,"
        " role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), content TEXT NOT NULL,"
        " created_at REAL NOT NULL)"
    )
    memory = {"summary": (str, ""), "diagnostic_state": (str, "")}
    times: dict[str, tuple[type, None]] = {"created_at": (float, None)}
    _complete(database, "conversations", {"title": (str, ""), **times, "updated_at": (float, None), **memory})
    texts = dict.fromkeys(("conversation_id", "role", "content", "run_id"), (str, None))
    _complete(database, "messages", {**texts, **times, "status": (str, "complete")})
    database.table("messages").create_index(["conversation_id", "id", "role"], "messages_in_order")


def _complete(database: Database, table: str, columns: Mapping[str, tuple[type, str | None]]) -> None:
    """Add the columns that an old application's table lacks, and let it have those of its own."""
    existing = database.table(table).columns_dict
    for name, (kind, default) in columns.items():
        if name not in existing:
            database.table(table).add_column(name, kind, not_null_default=default)
            source = {"created_at": "timestamp", "updated_at": "created_at"}.get(name)
            if source in existing:
                database.execute(f"UPDATE {table} SET {name} = {source}")
        if kind is float:  # times written as text ('2026-02-19 23:24:45') become seconds, what is no time 0
            database.execute(
                f"UPDATE {table} SET {name} = coalesce(strftime('%s', {name}) + 0, {name} + 0, 0)"
                f" WHERE typeof({name}) NOT IN ('real', 'integer')"
            )
    strangers = {
        column.name: ""
        for column in database.table(table).columns
        if column.notnull and column.default_value is None and column.name not in {"id", *columns}
    }
    if strangers:
        database.table(table).transform(defaults=strangers)


def _indices_of_words(database: Database) -> None:
    """Make the indices of recall and search; messages that are there already are in the first."""
    for table, name, others in (
        ("messages", "message_terms", "conversation, "),
        ("state_items", "item_terms", ""),
    ):
        database.execute(f"CREATE VIRTUAL TABLE {name} USING fts5({others}terms, {WORDS})")
        database.execute(
            f"CREATE TRIGGER {name}_forgotten AFTER DELETE ON {table}"
            f" BEGIN DELETE FROM {name} WHERE rowid = old.id; END"
        )
    for row in database.query("SELECT id, conversation_id, content FROM messages"):
        _index(database, "messages", row)


def _index(database: Database, table: str, row: Mapping[str, Any]) -> None:
    if table == "messages":
        words = " ".join(terms(row["content"] or ""))
        sql = "INSERT INTO message_terms (rowid, conversation, terms) VALUES (?, ?, ?)"
        database.execute(sql, (row["id"], row["conversation_id"], words))
        return
    words = " ".join(terms(f"{row['device']}\n{row['text']}"))
    database.execute("INSERT INTO item_terms (rowid, terms) VALUES (?, ?)", (row["id"], words))


OF_MESSAGES = ("facts", "nicknames", "state_items", "offers", "artifacts", "prompts")


@MIGRATIONS()
def m002_deleted_in_place(database: Database) -> None:
    """Deleted messages have a mark; who reads messages, or what hangs on them, reads views without those."""
    database.table("messages").add_column("deleted_at", float)
    _table(
        database, "undeleted_memory", "conversation_id", {"conversation_id": "conversations"},
        text="conversation_id whole shown", whole="newest",
    )  # fmt: skip
    if database.table("deleted_rows").exists():
        _put_back(database)
        database.table("deleted_rows").drop()
    for trigger in ("facts_read", "facts_unread"):
        database.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    for table in ("messages", *OF_MESSAGES, "panels"):
        database.rename_table(table, f"all_{table}")
    database.execute(  # what every view looks into
        "CREATE INDEX messages_deleted ON all_messages (deleted_at) WHERE deleted_at IS NOT NULL"
    )
    database.create_view("deleted_messages", "SELECT id FROM all_messages WHERE deleted_at IS NOT NULL")
    database.create_view("messages", "SELECT * FROM all_messages WHERE id NOT IN deleted_messages")
    for table in OF_MESSAGES:
        there = "ifnull(message_id, 0) NOT IN deleted_messages"
        columns = "rowid AS rowid, *" if table == "artifacts" else "*"  # their order; others have a number
        database.create_view(table, f"SELECT {columns} FROM all_{table} WHERE {there}")
    meanwhile = (
        "SELECT 1 FROM deleted_messages JOIN runs ON question_message_id = deleted_messages.id WHERE"
        " runs.conversation_id = made.conversation_id AND created_at BETWEEN started_at AND finished_at"
    )
    database.create_view("panels", f"SELECT * FROM all_panels AS made WHERE NOT EXISTS ({meanwhile})")


@MIGRATIONS()
def m003_deleted_conversations(database: Database) -> None:
    """Deleted conversations have a mark, too; what panels kept for other conversations is read no more."""
    database.table("conversations").add_column("deleted_at", float)
    deleted = "SELECT id FROM conversations WHERE deleted_at IS NOT NULL"
    database.create_view("deleted_conversations", deleted)
    if "conclusions" in database.view_names():
        database.view("conclusions").drop()
    for table in ("conclusions", "all_conclusions", "conclusion_terms"):
        database.table(table).drop(ignore=True)


@MIGRATIONS()
def m010_verdicts(database: Database) -> None:
    """What scans judged, a row a log."""
    _table(
        database, "verdicts", ("device", "log"),
        text="device log modified state fault severity text_en text_zh figures errors",
        whole="size channel? line?", real="begun? ended? judged_at",
    )  # fmt: skip
    database.table("verdicts").create_index(["device", "begun"])


@MIGRATIONS()
def m011_alerts(database: Database) -> None:
    """What watches told of, from when it came to when it went."""
    _table(
        database, "alerts", "id", text="device fault severity text log verdict seen_by",
        whole="id channel? line?", real="raised_at sent_at? gone_at?",
    )  # fmt: skip


@MIGRATIONS()
def m012_cases(database: Database) -> None:
    """Cases with what is pinned to them, their changes and an index of their words."""
    _table(
        database, "cases", "id", {"conversation_id": "conversations?"},
        text="device model fault state symptom cause ruled_out action outcome notes conversation_id? log",
        whole="id channel? line?", real="opened_at changed_at settled_at? seen_until?",
    )  # fmt: skip
    database.table("cases").create_index(["device", "fault"])
    _table(
        database, "case_evidence", "id", {"case_id": "cases"}, text="kind text device log pinned_by",
        whole="id case_id line?", real="pinned_at", blob="content?",
    )  # fmt: skip
    _table(
        database, "case_changes", "id", {"case_id": "cases"}, text="field old new changed_by log",
        whole="id case_id line?", real="changed_at",
    )  # fmt: skip
    for table in ("case_evidence", "case_changes"):
        database.table(table).create_index(["case_id"])
    database.execute(f"CREATE VIRTUAL TABLE case_terms USING fts5(terms, {WORDS})")


@MIGRATIONS()
def m013_branches(database: Database) -> None:
    """Conversations that are pinned, tagged, or branched from a message of another."""
    for column, kind in (("pinned_at", float), ("branched_from", int)):
        database.table("conversations").add_column(column, kind)
    database.table("conversations").add_column("tags", str, not_null_default="")


@MIGRATIONS()
def m080_marks(database: Database) -> None:
    """Where the numbers of an agent's answer are from, beside the answer."""
    _table(
        database, "marks", "message_id", {"message_id": "all_messages"}, whole="message_id", text="marks"
    )  # fmt: skip


@MIGRATIONS()
def m098_ratings(database: Database) -> None:
    """Whether a person was helped by an answer, and why."""
    _table(
        database, "ratings", "message_id", {"message_id": "all_messages"}, whole="message_id helped",
        text="reason who", real="rated_at",
    )  # fmt: skip


@MIGRATIONS()
def m099_states_from_records(database: Database) -> None:
    """States are made of what is on record: what stood in them alone so far is put there."""
    for row in list(database.query("SELECT id, diagnostic_state FROM conversations")):
        now = {"state": row["diagnostic_state"] or "", "filed": _filed(database, row["id"])}
        kept = database.table("undeleted_memory").rows_where("conversation_id = ?", [row["id"]])
        whole, then, newest = next(
            ((json.loads(memory["whole"]), json.loads(memory["shown"]), memory["newest"]) for memory in kept),
            (now, now, 0),
        )
        asked_on = database.view("messages").count_where(
            "conversation_id = ? AND id > ?", [row["id"], newest]
        )
        if now["state"] or whole["state"] or now["filed"]:
            is_as_then = now["state"] == then["state"]
            _put_on_record(database, row["id"], whole, now, is_as_then, bool(asked_on))
    database.table("undeleted_memory").drop()


@MIGRATIONS()
def m116_onsets(database: Database) -> None:
    """When the fault of a verdict began: what was judged without is judged anew."""
    database.table("verdicts").add_column("onset", float)
    database.execute("UPDATE verdicts SET size = -1")


def _put_on_record(
    database: Database,
    conversation: str,
    whole: Mapping[str, Any],
    now: Mapping[str, Any],
    is_as_then: bool,
    asked_on: bool,
) -> None:
    """Record the states before all items; those that deleted turns alone spoke of go with the newest one.

    is_as_then, asked_on  whether the state in question is as it was, and anything was asked, since the last
                          deletion, when the `whole` was kept
    """
    sql = "SELECT max(id) FROM all_messages WHERE conversation_id = ? AND deleted_at IS NOT NULL"
    [deleted] = database.execute(sql, (conversation,)).fetchone()
    before, after = (DiagnosticState.deserialize(memory["state"]) for memory in (whole, now))
    is_same = device_key(before) == device_key(after)
    filed = {name: DiagnosticState.deserialize(old) for name, old in whole["filed"].items()}
    records = [(name, FILED, old, None if name in now["filed"] else deleted) for name, old in filed.items()]
    records += [(device_key(after), IN_QUESTION, before if is_same and is_as_then else after, None)]
    if not is_same:
        stays = asked_on or not is_as_then
        records += [(device_key(before), FILED if stays else IN_QUESTION, before, deleted)]
    sql = "SELECT ifnull(min(id), 1) FROM all_state_items"
    first = min(0, database.execute(sql).fetchone()[0]) - len(records)
    row = {"conversation_id": conversation, "source": "tool", "created_at": 0.0}
    for place, (device, field, state, message) in enumerate(records, start=first):
        made = {"id": place, "device": device, "field": field, "text": bare(state).serialize()}
        database.table("all_state_items").insert({**row, **made, "message_id": message})
    items = "SELECT id, device, field, text FROM all_state_items WHERE conversation_id = ? AND field IN "
    states = (before, after, *filed.values())
    for key, device, field, text in database.execute(f"{items} {ITEM_FIELDS}", (conversation,)).fetchall():
        holders = [device_key(state) for state in states if text in getattr(state, field)]
        if not device and holders:  # it was said before any device was named
            database.table("all_state_items").update(key, {"device": holders[0]})
        if field == "hypotheses" and not holders:
            made = {"device": device, "field": RULED_OUT, "text": text, "message_id": None}
            database.table("all_state_items").insert({**row, **made})


def _put_back(database: Database) -> None:
    """Put the rows of deleted turns, which lay beside the revisions that deleted them, into their tables."""
    kept: dict[int, dict[str, list[dict[str, Any]]]] = {}
    for row in database.query("SELECT revision_id, of_table, content FROM deleted_rows ORDER BY rowid"):
        content = json.loads(row["content"], object_hook=_with_bytes)
        kept.setdefault(row["revision_id"], {}).setdefault(row["of_table"], []).append(content)
    for rows_of_table in kept.values():
        [then], conversation = rows_of_table.pop("memory"), rows_of_table["messages"][0]["conversation_id"]
        links, _ = rows_of_table.pop("link", []), rows_of_table.pop("conclusions", [])
        for table, lost in rows_of_table.items():
            for row in lost:
                mark = {"deleted_at": then["at"]} if table == "messages" else {}
                database.table(table).insert({**row, **mark})
                if table in ("messages", "state_items"):
                    _index(database, table, row)
        for link in links:
            where = " AND ".join(f"{name} = ?" for name in link["key"])
            column, message = link["column"], link["message"]
            database.execute(
                f"UPDATE {link['table']} SET {column} = ifnull(min({column}, ?), ?) WHERE {where}",
                (message, message, *link["key"].values()),
            )
        whole = then["before"]
        whole["filed"] |= _filed(database, conversation)
        shown = {"state": database.table("conversations").get(conversation)["diagnostic_state"]}
        memory = {"whole": json.dumps(whole), "shown": json.dumps(shown), "newest": then["newest"]}
        database.table("undeleted_memory").insert(
            {"conversation_id": conversation, **memory}, pk="conversation_id", ignore=True
        )


def _with_bytes(value: dict[str, Any]) -> dict[str, Any] | bytes:
    return b64decode(value["base64"]) if value.keys() == {"base64"} else value


def _filed(database: Database, conversation: str) -> dict[str, str]:
    filed = database.table("device_states").rows_where("conversation_id = ?", [conversation])
    return {row["device"]: row["state"] for row in filed}
