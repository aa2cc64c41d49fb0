"""The tables, as numbered steps; one that has been released is never changed: write a new one below it.

Steps are applied with foreign keys off, in one transaction (connection.py).
"""

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from instrumentgpt.memory.terms import terms

MIGRATIONS = Migrations("instrumentgpt.storage")
LAST = "m116_onsets"  # of the steps that m117 stands for, none of which was released
CONVERSATION = "conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE"
MESSAGE = "message_id INTEGER NOT NULL REFERENCES all_messages(id) ON DELETE CASCADE"
CASE = "case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE"
OF_MESSAGES = ("facts", "nicknames", "state_items", "offers", "artifacts", "prompts")
WORDS = "tokenize = \"unicode61 remove_diacritics 0 tokenchars '._:/-'\""

# What conversations have: `all_…` of those whose rows go with a deleted message (a view leaves them out).
# An id of a message is given once: summaries name messages by it.
TABLES = f"""
CREATE TABLE conversations (
    id TEXT PRIMARY KEY, title TEXT NOT NULL DEFAULT '', created_at REAL NOT NULL,
    updated_at REAL NOT NULL, summary TEXT NOT NULL DEFAULT '', diagnostic_state TEXT NOT NULL DEFAULT '',
    deleted_at REAL, pinned_at REAL, branched_from INTEGER, tags TEXT NOT NULL DEFAULT '');
CREATE TABLE all_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, {CONVERSATION},
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), content TEXT NOT NULL,
    created_at REAL NOT NULL, run_id TEXT, status TEXT NOT NULL DEFAULT 'complete', deleted_at REAL);
CREATE TABLE runs (
    id TEXT PRIMARY KEY, {CONVERSATION}, agent TEXT NOT NULL, mode TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'running', kind TEXT NOT NULL DEFAULT 'turn',
    question_message_id INTEGER REFERENCES all_messages(id) ON DELETE SET NULL, pid INTEGER,
    stop_requested INTEGER NOT NULL DEFAULT 0, process_started REAL, started_at REAL NOT NULL,
    finished_at REAL, began_at REAL, started_clock REAL, began_clock REAL);
CREATE TABLE run_events (
    run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE, event TEXT NOT NULL,
    number INTEGER NOT NULL, PRIMARY KEY (run_id, number));
CREATE TABLE all_artifacts (
    id TEXT PRIMARY KEY, {CONVERSATION}, run_id TEXT, kind TEXT NOT NULL, title TEXT NOT NULL,
    alt TEXT NOT NULL, file TEXT NOT NULL DEFAULT '',
    message_id INTEGER REFERENCES all_messages(id) ON DELETE CASCADE, size INTEGER NOT NULL,
    created_at REAL NOT NULL, removed_at REAL, content BLOB NOT NULL);
CREATE TABLE agent_sessions (
    {CONVERSATION}, agent TEXT NOT NULL, workspace TEXT NOT NULL, session_id TEXT NOT NULL,
    PRIMARY KEY (conversation_id, agent, workspace));
CREATE TABLE permissions (
    id INTEGER PRIMARY KEY, may_run INTEGER NOT NULL, may_edit INTEGER NOT NULL,
    may_browse INTEGER NOT NULL DEFAULT 0, {CONVERSATION}, changed_by TEXT NOT NULL,
    changed_at REAL NOT NULL);
CREATE TABLE all_state_items (
    id INTEGER PRIMARY KEY, message_id INTEGER REFERENCES all_messages(id) ON DELETE SET NULL,
    line INTEGER, {CONVERSATION}, device TEXT NOT NULL, field TEXT NOT NULL, text TEXT NOT NULL,
    source TEXT NOT NULL, log TEXT NOT NULL DEFAULT '', created_at REAL NOT NULL);
CREATE TABLE device_states (
    {CONVERSATION}, device TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (conversation_id, device));
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE notes (
    id TEXT NOT NULL, scope TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
    updated_at REAL NOT NULL, PRIMARY KEY (scope, id));
CREATE TABLE all_facts (
    id INTEGER PRIMARY KEY, {MESSAGE}, line INTEGER, since INTEGER NOT NULL DEFAULT 0,
    age INTEGER NOT NULL DEFAULT 0, {CONVERSATION}, kind TEXT NOT NULL, device TEXT NOT NULL,
    channel TEXT NOT NULL DEFAULT '', parameter TEXT NOT NULL DEFAULT '', value TEXT NOT NULL DEFAULT '',
    unit TEXT NOT NULL DEFAULT '', said TEXT NOT NULL DEFAULT '', source TEXT NOT NULL,
    log TEXT NOT NULL DEFAULT '', clock TEXT NOT NULL DEFAULT '', dated TEXT NOT NULL DEFAULT '');
CREATE TABLE all_nicknames (
    id INTEGER PRIMARY KEY, {MESSAGE}, {CONVERSATION}, device TEXT NOT NULL, nickname TEXT NOT NULL,
    kind TEXT NOT NULL);
CREATE TABLE revisions (
    id INTEGER PRIMARY KEY, after INTEGER NOT NULL, changed_at REAL NOT NULL, undone_at REAL,
    {CONVERSATION}, device TEXT NOT NULL, field TEXT NOT NULL, channel TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL, action TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL,
    changed_by TEXT NOT NULL, undone_by TEXT);
CREATE TABLE all_prompts (
    id INTEGER PRIMARY KEY, {MESSAGE}, budget INTEGER NOT NULL, {CONVERSATION}, run_id TEXT NOT NULL,
    task TEXT NOT NULL, agent TEXT NOT NULL, sent_at REAL NOT NULL, text BLOB NOT NULL);
CREATE TABLE mode_states (
    {CONVERSATION}, mode TEXT NOT NULL, state TEXT NOT NULL, updated_at REAL NOT NULL,
    PRIMARY KEY (conversation_id, mode));
CREATE TABLE all_offers (
    {MESSAGE}, number INTEGER NOT NULL, label TEXT NOT NULL, text TEXT NOT NULL, mode TEXT NOT NULL,
    PRIMARY KEY (message_id, number));
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, conversation_id TEXT REFERENCES conversations(id) ON DELETE SET NULL,
    ref TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, file TEXT NOT NULL, saved_at REAL NOT NULL);
CREATE TABLE entities (
    {CONVERSATION}, ref TEXT NOT NULL, kind TEXT NOT NULL, type TEXT NOT NULL, label TEXT NOT NULL,
    flag TEXT NOT NULL DEFAULT '', retained TEXT NOT NULL DEFAULT '', link TEXT NOT NULL,
    number INTEGER NOT NULL, first_message INTEGER NOT NULL, last_message INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, ref));
CREATE TABLE all_panels (
    id INTEGER PRIMARY KEY, {CONVERSATION}, question TEXT NOT NULL, agent TEXT NOT NULL,
    status TEXT NOT NULL, brief TEXT NOT NULL, plan TEXT NOT NULL, created_at REAL NOT NULL, ended_at REAL);
CREATE TABLE panel_steps (
    stage TEXT NOT NULL, expert TEXT NOT NULL, content TEXT NOT NULL, id INTEGER PRIMARY KEY,
    panel_id INTEGER NOT NULL REFERENCES all_panels(id) ON DELETE CASCADE, sub_problem INTEGER NOT NULL,
    round INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost REAL NOT NULL,
    seconds REAL NOT NULL, done_at REAL NOT NULL);
CREATE TABLE marks (
    message_id INTEGER PRIMARY KEY REFERENCES all_messages(id) ON DELETE CASCADE, marks TEXT NOT NULL);
CREATE TABLE ratings (
    message_id INTEGER PRIMARY KEY REFERENCES all_messages(id) ON DELETE CASCADE, helped INTEGER NOT NULL,
    reason TEXT NOT NULL, who TEXT NOT NULL, rated_at REAL NOT NULL);
"""
# What scans judged, what watches told of, and cases with what is pinned to them.
TABLES_OF_THE_LAB = f"""
CREATE TABLE verdicts (
    device TEXT NOT NULL, log TEXT NOT NULL, modified TEXT NOT NULL, state TEXT NOT NULL,
    fault TEXT NOT NULL, severity TEXT NOT NULL, text_en TEXT NOT NULL, text_zh TEXT NOT NULL,
    figures TEXT NOT NULL, errors TEXT NOT NULL, size INTEGER NOT NULL, channel INTEGER, line INTEGER,
    begun REAL, ended REAL, judged_at REAL NOT NULL, onset REAL, PRIMARY KEY (device, log));
CREATE TABLE alerts (
    device TEXT NOT NULL, fault TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
    log TEXT NOT NULL, verdict TEXT NOT NULL, seen_by TEXT NOT NULL, id INTEGER PRIMARY KEY,
    channel INTEGER, line INTEGER, raised_at REAL NOT NULL, sent_at REAL, gone_at REAL);
CREATE TABLE cases (
    device TEXT NOT NULL, model TEXT NOT NULL, fault TEXT NOT NULL, state TEXT NOT NULL,
    symptom TEXT NOT NULL, cause TEXT NOT NULL, ruled_out TEXT NOT NULL, action TEXT NOT NULL,
    outcome TEXT NOT NULL, notes TEXT NOT NULL,
    conversation_id TEXT REFERENCES conversations(id) ON DELETE SET NULL, log TEXT NOT NULL,
    id INTEGER PRIMARY KEY, channel INTEGER, line INTEGER, opened_at REAL NOT NULL,
    changed_at REAL NOT NULL, settled_at REAL, seen_until REAL);
CREATE TABLE case_evidence (
    kind TEXT NOT NULL, text TEXT NOT NULL, device TEXT NOT NULL, log TEXT NOT NULL,
    pinned_by TEXT NOT NULL, id INTEGER PRIMARY KEY,
    {CASE}, line INTEGER, pinned_at REAL NOT NULL,
    content BLOB);
CREATE TABLE case_changes (
    field TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, changed_by TEXT NOT NULL, log TEXT NOT NULL,
    id INTEGER PRIMARY KEY, {CASE}, line INTEGER,
    changed_at REAL NOT NULL);
"""
INDICES = """
CREATE INDEX messages_in_order ON all_messages (conversation_id, id, role);
CREATE UNIQUE INDEX one_live_run_of_a_kind ON runs (conversation_id, kind) WHERE status = 'running';
CREATE INDEX artifacts_conversation_id_message_id ON all_artifacts (conversation_id, message_id);
CREATE INDEX facts_conversation_id_message_id ON all_facts (conversation_id, message_id);
CREATE INDEX nicknames_conversation_id_message_id ON all_nicknames (conversation_id, message_id);
CREATE INDEX facts_message_id ON all_facts (message_id);
CREATE INDEX nicknames_message_id ON all_nicknames (message_id);
CREATE INDEX state_items_message_id ON all_state_items (message_id);
CREATE INDEX artifacts_message_id ON all_artifacts (message_id);
CREATE INDEX prompts_message_id ON all_prompts (message_id);
CREATE INDEX permissions_conversation_id_id ON permissions (conversation_id, id);
CREATE INDEX revisions_conversation_id_id ON revisions (conversation_id, id);
CREATE INDEX prompts_conversation_id_id ON all_prompts (conversation_id, id);
CREATE INDEX panels_conversation_id_id ON all_panels (conversation_id, id);
CREATE INDEX state_items_conversation_id_device ON all_state_items (conversation_id, device);
CREATE INDEX state_items_device_field ON all_state_items (device, field);
CREATE INDEX artifacts_run_id ON all_artifacts (run_id);
CREATE INDEX documents_conversation_id ON documents (conversation_id);
CREATE INDEX runs_of ON runs (conversation_id, started_at);
CREATE INDEX facts_by_key ON all_facts (conversation_id, kind, device, channel, parameter, age);
CREATE INDEX idx_verdicts_device_begun ON verdicts (device, begun);
CREATE INDEX idx_cases_device_fault ON cases (device, fault);
CREATE INDEX idx_case_evidence_case_id ON case_evidence (case_id);
CREATE INDEX idx_case_changes_case_id ON case_changes (case_id);
CREATE UNIQUE INDEX idx_documents_file ON documents (file);
CREATE UNIQUE INDEX idx_entities_conversation_id_type_link ON entities (conversation_id, type, link);
CREATE UNIQUE INDEX idx_panel_steps_panel_id_sub_problem_stage_round_expert
    ON panel_steps (panel_id, sub_problem, stage, round, expert);
CREATE INDEX messages_deleted ON all_messages (deleted_at) WHERE deleted_at IS NOT NULL;
"""
# The words of recall and search, and what goes with a row that is deleted for good.
WORDS_AND_TRIGGERS = f"""
CREATE VIRTUAL TABLE message_terms USING fts5(conversation, terms, {WORDS});
CREATE VIRTUAL TABLE item_terms USING fts5(terms, {WORDS});
CREATE VIRTUAL TABLE case_terms USING fts5(terms, {WORDS});
CREATE TRIGGER message_terms_forgotten AFTER DELETE ON all_messages
    BEGIN DELETE FROM message_terms WHERE rowid = old.id; END;
CREATE TRIGGER item_terms_forgotten AFTER DELETE ON all_state_items
    BEGIN DELETE FROM item_terms WHERE rowid = old.id; END;
CREATE TRIGGER notes_forgotten AFTER DELETE ON conversations
    BEGIN DELETE FROM notes WHERE scope = old.id; END;
"""
# Who reads messages, or what hangs on them, reads views without those that are deleted.
VIEWS = """
CREATE VIEW deleted_messages AS SELECT id FROM all_messages WHERE deleted_at IS NOT NULL;
CREATE VIEW deleted_conversations AS SELECT id FROM conversations WHERE deleted_at IS NOT NULL;
CREATE VIEW messages AS SELECT * FROM all_messages WHERE id NOT IN deleted_messages;
CREATE VIEW panels AS SELECT * FROM all_panels AS made WHERE NOT EXISTS
    (SELECT 1 FROM deleted_messages JOIN runs ON question_message_id = deleted_messages.id
    WHERE runs.conversation_id = made.conversation_id AND created_at BETWEEN started_at AND finished_at);
"""
OLD_APPLICATION = ("conversations", "messages")  # its tables
SECONDS = "CASE typeof({0}) WHEN 'text' THEN coalesce(strftime('%s', {0}) + 0, {0} + 0) ELSE {0} END"
TAKEN_OVER = {  # our column → what it is made of, in place of the old application's of the same name
    "role": "iif(role = 'user', 'user', 'assistant')",
    **{
        name: f"coalesce({name}, '')"
        for name in ("title", "summary", "diagnostic_state", "conversation_id", "content")
    },
}


@MIGRATIONS()
def m117_tables(database: Database) -> None:
    """All tables; an old application's conversations and messages are taken over, whatever their columns."""
    if LAST in {row.name for row in MIGRATIONS.applied(database)}:
        return
    old = [name for name in OLD_APPLICATION if database.table(name).exists()]
    for name in old:
        database.rename_table(name, f"old_{name}")
    for part in (TABLES, TABLES_OF_THE_LAB, INDICES, WORDS_AND_TRIGGERS, VIEWS):
        for statement in part.strip().split(";\n"):
            database.execute(statement)
    for table in OF_MESSAGES:
        there = "ifnull(message_id, 0) NOT IN deleted_messages"
        columns = "rowid AS rowid, *" if table == "artifacts" else "*"  # their order; others have a number
        database.create_view(table, f"SELECT {columns} FROM all_{table} WHERE {there}")
    for name in old:
        _take_over(database, f"old_{name}", {"messages": "all_messages"}.get(name, name))
    sql = "INSERT INTO message_terms (rowid, conversation, terms) VALUES (?, ?, ?)"
    for row in database.query("SELECT id, conversation_id, content FROM all_messages"):
        database.execute(sql, (row["id"], row["conversation_id"], " ".join(terms(row["content"]))))


def _take_over(database: Database, old: str, table: str) -> None:
    """Move the rows of an old application's table into ours, which gets the columns that only it has.

    Times written as text ('2026-02-19 23:24:45') become seconds, what is no time 0.
    """
    ours = database.table(table).columns_dict
    theirs = database.table(old).columns_dict
    made = {name: TAKEN_OVER.get(name, name) for name in theirs}
    for name in ("created_at", "updated_at"):
        if name in ours:
            source = next((one for one in (name, "timestamp", "created_at") if one in theirs), "0")
            made[name] = f"coalesce({SECONDS.format(source)}, 0)"
    for name in theirs.keys() - ours.keys():
        database.table(table).add_column(name, theirs[name])
    columns, values = ", ".join(made), ", ".join(made.values())
    database.execute(f"INSERT INTO {table} ({columns}) SELECT {values} FROM {old}")
    database.table(old).drop()
