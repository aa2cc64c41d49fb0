"""The tables, as numbered steps; one that has been released is never changed: write a new one below it.

Steps are applied with foreign keys off, in one transaction (connection.py).
"""

from collections.abc import Mapping

from sqlite_utils import Database
from sqlite_utils.db import ForeignKey
from sqlite_utils.migrations import Migrations

from instrumentgpt.memory.terms import terms

MIGRATIONS = Migrations("instrumentgpt.storage")
UNRELEASED = Migrations("instrumentgpt")  # the steps of before there were these
LAST = "m116_onsets"  # of the steps that m117 stands for, none of which was released
WORDS = "tokenize = \"unicode61 remove_diacritics 0 tokenchars '._:/-'\""
TYPES = {"text": str, "whole": int, "real": float, "blob": bytes}
OF_MESSAGES = ("facts", "nicknames", "state_items", "offers", "artifacts", "prompts")


@MIGRATIONS()
def m117_tables(database: Database) -> None:
    """All tables; an old application's conversations and messages are taken over, whatever their columns."""
    if LAST in {row.name for row in MIGRATIONS.applied(database)}:
        return
    _conversations_and_messages(database)
    _of_conversations(database)
    _of_the_lab(database)
    for table, columns, *name in INDICES:
        plain = f"{table.removeprefix('all_')}_{'_'.join(columns.split())}"
        database.table(table).create_index(columns.split(), "".join(name) or plain)
    for table, columns in UNIQUE:
        database.table(table).create_index(columns.split(), unique=True)
    _indices_of_words(database)
    _views(database)


def _of_conversations(database: Database) -> None:
    """Make the tables of what conversations have; `all_…` of those whose rows go with a deleted message."""
    conversation, message = {"conversation_id": "conversations"}, {"message_id": "all_messages"}
    of_message = {**conversation, **message}
    _table(
        database, "runs", "id", {**conversation, "question_message_id": "all_messages?"},
        {"status": "running", "kind": "turn"}, text="id conversation_id agent mode status kind",
        whole="question_message_id? pid? stop_requested=0",
        real="process_started? started_at finished_at? began_at? started_clock? began_clock?",
    )  # fmt: skip
    database.execute(
        "CREATE UNIQUE INDEX one_live_run_of_a_kind ON runs (conversation_id, kind) WHERE status = 'running'"
    )
    _table(
        database, "run_events", ("run_id", "number"), {"run_id": "runs"}, text="run_id event", whole="number"
    )
    _table(
        database, "all_artifacts", "id", of_message, {"file": ""},
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
        database, "all_state_items", "id", {**conversation, "message_id": "all_messages?"}, {"log": ""},
        whole="id message_id? line?", text="conversation_id device field text source log", real="created_at",
    )  # fmt: skip
    _table(
        database, "device_states", ("conversation_id", "device"), conversation,
        text="conversation_id device state",
    )  # fmt: skip
    _table(database, "settings", "name", text="name value")
    _table(database, "notes", ("scope", "id"), text="id scope kind text", real="updated_at")
    _table(
        database, "all_facts", "id", of_message, dict.fromkeys(
            ("channel", "parameter", "value", "unit", "said", "log", "clock", "dated"), ""
        ),
        whole="id message_id line? since=0 age=0",
        text="conversation_id kind device channel parameter value unit said source log clock dated",
    )  # fmt: skip
    _table(
        database, "all_nicknames", "id", of_message,
        whole="id message_id", text="conversation_id device nickname kind",
    )  # fmt: skip
    _table(
        database, "revisions", "id", conversation, {"channel": ""},
        whole="id after", real="changed_at undone_at?",
        text="conversation_id device field channel name action old new changed_by undone_by?",
    )  # fmt: skip
    _table(
        database, "all_prompts", "id", of_message, whole="id message_id budget",
        text="conversation_id run_id task agent", real="sent_at", blob="text",
    )  # fmt: skip
    _table(
        database, "mode_states", ("conversation_id", "mode"), conversation,
        text="conversation_id mode state", real="updated_at",
    )  # fmt: skip
    _table(
        database, "all_offers", ("message_id", "number"), message,
        whole="message_id number", text="label text mode",
    )  # fmt: skip
    _table(
        database, "documents", "id", {"conversation_id": "conversations?"}, whole="id",
        text="conversation_id? ref kind title file", real="saved_at",
    )  # fmt: skip
    _table(
        database, "entities", ("conversation_id", "ref"), conversation, {"flag": "", "retained": ""},
        text="conversation_id ref kind type label flag retained link",
        whole="number first_message last_message",
    )  # fmt: skip
    _table(
        database, "all_panels", "id", conversation, whole="id",
        text="conversation_id question agent status brief plan", real="created_at ended_at?",
    )  # fmt: skip
    _table(
        database, "panel_steps", "id", {"panel_id": "all_panels"}, text="stage expert content",
        whole="id panel_id sub_problem round tokens_in tokens_out", real="cost seconds done_at",
    )  # fmt: skip
    _table(database, "marks", "message_id", message, whole="message_id", text="marks")
    _table(
        database, "ratings", "message_id", message, whole="message_id helped", text="reason who",
        real="rated_at",
    )  # fmt: skip
    database.execute(
        "CREATE TRIGGER notes_forgotten AFTER DELETE ON conversations"
        " BEGIN DELETE FROM notes WHERE scope = old.id; END"
    )


def _of_the_lab(database: Database) -> None:
    """Make the tables of what scans judged, what watches told of, and cases with what is pinned to them."""
    _table(
        database, "verdicts", ("device", "log"),
        text="device log modified state fault severity text_en text_zh figures errors",
        whole="size channel? line?", real="begun? ended? judged_at onset?",
    )  # fmt: skip
    _table(
        database, "alerts", "id", text="device fault severity text log verdict seen_by",
        whole="id channel? line?", real="raised_at sent_at? gone_at?",
    )  # fmt: skip
    _table(
        database, "cases", "id", {"conversation_id": "conversations?"},
        text="device model fault state symptom cause ruled_out action outcome notes conversation_id? log",
        whole="id channel? line?", real="opened_at changed_at settled_at? seen_until?",
    )  # fmt: skip
    _table(
        database, "case_evidence", "id", {"case_id": "cases"}, text="kind text device log pinned_by",
        whole="id case_id line?", real="pinned_at", blob="content?",
    )  # fmt: skip
    _table(
        database, "case_changes", "id", {"case_id": "cases"}, text="field old new changed_by log",
        whole="id case_id line?", real="changed_at",
    )  # fmt: skip


UNIQUE = (
    ("documents", "file"),
    ("entities", "conversation_id type link"),
    ("panel_steps", "panel_id sub_problem stage round expert"),
)
INDICES = (  # table, columns, name; without one it is made of both
    *((f"all_{table}", "conversation_id message_id") for table in ("artifacts", "facts", "nicknames")),
    *((f"all_{table}", "message_id") for table in OF_MESSAGES if table != "offers"),
    *((table, "conversation_id id") for table in ("permissions", "revisions", "all_prompts", "all_panels")),
    ("all_state_items", "conversation_id device"),
    ("all_state_items", "device field"),
    ("all_artifacts", "run_id"),
    ("documents", "conversation_id"),
    ("runs", "conversation_id started_at", "runs_of"),
    ("all_facts", "conversation_id kind device channel parameter age", "facts_by_key"),
    ("verdicts", "device begun", "idx_verdicts_device_begun"),
    ("cases", "device fault", "idx_cases_device_fault"),
    *((table, "case_id", f"idx_{table}_case_id") for table in ("case_evidence", "case_changes")),
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
    for name, columns in LATER.items():
        for column, kind in columns.items():
            database.table(name).add_column(column, kind, not_null_default="" if kind is str else None)
    database.rename_table("messages", "all_messages")


LATER: dict[str, dict[str, type]] = {  # columns that no old application has; deleted_at: till when it was
    "messages": {"deleted_at": float},
    "conversations": {"deleted_at": float, "pinned_at": float, "branched_from": int, "tags": str},
}


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
        ("all_messages", "message_terms", "conversation, "),
        ("all_state_items", "item_terms", ""),
        ("cases", "case_terms", ""),
    ):
        database.execute(f"CREATE VIRTUAL TABLE {name} USING fts5({others}terms, {WORDS})")
        if table != "cases":
            database.execute(
                f"CREATE TRIGGER {name}_forgotten AFTER DELETE ON {table}"
                f" BEGIN DELETE FROM {name} WHERE rowid = old.id; END"
            )
    sql = "INSERT INTO message_terms (rowid, conversation, terms) VALUES (?, ?, ?)"
    for row in database.query("SELECT id, conversation_id, content FROM all_messages"):
        database.execute(sql, (row["id"], row["conversation_id"], " ".join(terms(row["content"] or ""))))


def _views(database: Database) -> None:
    """Let who reads messages, or what hangs on them, read views without those that are deleted."""
    database.execute(  # what every view looks into
        "CREATE INDEX messages_deleted ON all_messages (deleted_at) WHERE deleted_at IS NOT NULL"
    )
    for name, table in (("messages", "all_messages"), ("conversations", "conversations")):
        database.create_view(f"deleted_{name}", f"SELECT id FROM {table} WHERE deleted_at IS NOT NULL")
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
