BEGIN;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
CREATE TABLE conversations (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL DEFAULT '',
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL
        , summary TEXT DEFAULT '', diagnostic_state TEXT DEFAULT '');
CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
            content TEXT NOT NULL,
            created_at REAL NOT NULL
        , run_id TEXT, status TEXT DEFAULT 'complete');
CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            mode TEXT NOT NULL,
            question_message_id INTEGER REFERENCES messages(id) ON DELETE SET NULL,
            status TEXT NOT NULL DEFAULT 'running',
            pid INTEGER,
            process_started REAL,
            stop_requested INTEGER NOT NULL DEFAULT 0,
            started_at REAL NOT NULL,
            finished_at REAL
        , began_at REAL, started_clock REAL, began_clock REAL);
CREATE TABLE run_events (
            run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            event TEXT NOT NULL,
            PRIMARY KEY (run_id, number)
        ) WITHOUT ROWID;
CREATE TABLE artifacts (
            id TEXT PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            run_id TEXT,
            message_id INTEGER REFERENCES messages(id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            title TEXT NOT NULL,
            alt TEXT NOT NULL,
            content BLOB NOT NULL,
            size INTEGER NOT NULL,
            created_at REAL NOT NULL
        , removed_at REAL, file TEXT NOT NULL DEFAULT '');
CREATE TABLE agent_sessions (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            workspace TEXT NOT NULL,
            session_id TEXT NOT NULL,
            PRIMARY KEY (conversation_id, agent, workspace)
        ) WITHOUT ROWID;
CREATE TABLE device_states (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            state TEXT NOT NULL,
            PRIMARY KEY (conversation_id, device)
        ) WITHOUT ROWID;
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE notes (
            id TEXT NOT NULL,
            scope TEXT NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            updated_at REAL NOT NULL,
            PRIMARY KEY (scope, id)
        ) WITHOUT ROWID;
CREATE VIRTUAL TABLE message_terms USING fts5(conversation, terms, tokenize = "unicode61 remove_diacritics 0 tokenchars '._:/-'");
CREATE TABLE permissions (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            may_run INTEGER NOT NULL,
            may_edit INTEGER NOT NULL,
            changed_by TEXT NOT NULL,
            changed_at REAL NOT NULL
        , may_browse INTEGER NOT NULL DEFAULT 0);
CREATE TABLE mode_states (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            mode TEXT NOT NULL,
            state TEXT NOT NULL,
            updated_at REAL NOT NULL,
            PRIMARY KEY (conversation_id, mode)
        ) WITHOUT ROWID;
CREATE TABLE offers (
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            label TEXT NOT NULL,
            text TEXT NOT NULL,
            mode TEXT NOT NULL,
            PRIMARY KEY (message_id, number)
        ) WITHOUT ROWID;
CREATE TABLE documents (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT REFERENCES conversations(id) ON DELETE SET NULL,
            ref TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('markdown', 'html')),
            title TEXT NOT NULL,
            file TEXT NOT NULL UNIQUE,
            saved_at REAL NOT NULL
        );
CREATE TABLE revisions (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            field TEXT NOT NULL,
            channel TEXT NOT NULL DEFAULT '',
            name TEXT NOT NULL,
            action TEXT NOT NULL,
            old TEXT NOT NULL,
            new TEXT NOT NULL,
            after INTEGER NOT NULL,
            changed_by TEXT NOT NULL,
            changed_at REAL NOT NULL,
            undone_by TEXT,
            undone_at REAL
        );
CREATE VIRTUAL TABLE item_terms USING fts5(terms, tokenize = "unicode61 remove_diacritics 0 tokenchars '._:/-'");
CREATE TABLE summary_jobs (
            id TEXT PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            status TEXT NOT NULL DEFAULT 'waiting',
            note TEXT NOT NULL DEFAULT '',
            replaced TEXT NOT NULL,
            text TEXT NOT NULL DEFAULT '',
            usage TEXT NOT NULL DEFAULT '{}',
            pid INTEGER,
            process_started REAL,
            asked_at REAL NOT NULL,
            began_at REAL,
            finished_at REAL
        , asked_clock REAL);
CREATE TABLE entities (
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            ref TEXT NOT NULL,
            kind TEXT NOT NULL,
            number INTEGER NOT NULL,
            type TEXT NOT NULL,
            label TEXT NOT NULL,
            flag TEXT NOT NULL DEFAULT '',
            first_message INTEGER NOT NULL,
            last_message INTEGER NOT NULL,
            retained TEXT NOT NULL DEFAULT '',
            link TEXT NOT NULL,
            PRIMARY KEY (conversation_id, ref),
            UNIQUE (conversation_id, type, link)
        );
CREATE VIRTUAL TABLE conclusion_terms USING fts5(terms, tokenize = "unicode61 remove_diacritics 0 tokenchars '._:/-'");
CREATE TABLE "state_items" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            field TEXT NOT NULL,
            text TEXT NOT NULL,
            source TEXT NOT NULL CHECK (source IN ('tool', 'user', 'agent')),
            message_id INTEGER REFERENCES messages(id) ON DELETE SET NULL,
            log TEXT NOT NULL DEFAULT '',
            line INTEGER,
            created_at REAL NOT NULL
        );
CREATE TABLE "prompts" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            run_id TEXT NOT NULL,
            task TEXT NOT NULL,
            agent TEXT NOT NULL,
            budget INTEGER NOT NULL,
            text BLOB NOT NULL,
            sent_at REAL NOT NULL
        );
CREATE TABLE "nicknames" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            nickname TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('named', 'renamed', 'withdrawn'))
        );
CREATE TABLE "panels" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            question TEXT NOT NULL,
            agent TEXT NOT NULL,
            status TEXT NOT NULL,
            brief TEXT NOT NULL,
            plan TEXT NOT NULL,
            created_at REAL NOT NULL,
            ended_at REAL
        );
CREATE TABLE "panel_steps" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            panel_id INTEGER NOT NULL REFERENCES panels(id) ON DELETE CASCADE,
            sub_problem INTEGER NOT NULL,
            stage TEXT NOT NULL,
            round INTEGER NOT NULL,
            expert TEXT NOT NULL,
            content TEXT NOT NULL,
            tokens_in INTEGER NOT NULL,
            tokens_out INTEGER NOT NULL,
            cost REAL NOT NULL,
            seconds REAL NOT NULL,
            done_at REAL NOT NULL,
            UNIQUE (panel_id, sub_problem, stage, round, expert)
        );
CREATE TABLE "conclusions" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            expert TEXT NOT NULL,
            device TEXT NOT NULL,
            fault TEXT NOT NULL,
            goal TEXT NOT NULL,
            text TEXT NOT NULL,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            saved_at REAL NOT NULL
        );
CREATE TABLE deleted_rows (
            revision_id INTEGER NOT NULL REFERENCES revisions(id) ON DELETE CASCADE,
            of_table TEXT NOT NULL,
            content TEXT NOT NULL
        );
CREATE TABLE "facts" (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('value', 'constraint', 'lift', 'wish', 'ruled_out', 'error')),
            device TEXT NOT NULL,
            channel TEXT NOT NULL DEFAULT '',
            parameter TEXT NOT NULL DEFAULT '',
            value TEXT NOT NULL DEFAULT '',
            unit TEXT NOT NULL DEFAULT '',
            said TEXT NOT NULL DEFAULT '',
            source TEXT NOT NULL CHECK (source IN ('tool', 'user', 'agent'))
        , log TEXT NOT NULL DEFAULT '', line INTEGER, clock TEXT NOT NULL DEFAULT '', since INTEGER NOT NULL DEFAULT 0, dated TEXT NOT NULL DEFAULT '', age INTEGER NOT NULL DEFAULT 0);
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (1, 'instrumentgpt', 'conversations_and_messages', '2026-11-23 01:21:41.077458+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (2, 'instrumentgpt', 'runs_and_their_events', '2026-11-23 01:21:41.077829+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (3, 'instrumentgpt', 'artifacts_and_sessions', '2026-11-23 01:21:41.078145+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (4, 'instrumentgpt', 'state_items_and_device_states', '2026-11-23 01:21:41.078446+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (5, 'instrumentgpt', 'settings_and_notes', '2026-11-23 01:21:41.078643+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (6, 'instrumentgpt', 'recalled_messages', '2026-11-23 01:21:41.079106+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (7, 'instrumentgpt', 'permissions', '2026-11-23 01:21:41.079313+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (8, 'instrumentgpt', 'waiting_runs', '2026-11-23 01:21:41.079699+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (9, 'instrumentgpt', 'facts_of_messages', '2026-11-23 01:21:41.079944+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (10, 'instrumentgpt', 'modes_and_documents', '2026-11-23 01:21:41.080212+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (11, 'instrumentgpt', 'revisions_and_prompts', '2026-11-23 01:21:41.088991+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (12, 'instrumentgpt', 'facts_with_their_line', '2026-11-23 01:21:41.090030+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (13, 'instrumentgpt', 'search_pruning_and_summaries', '2026-11-23 01:21:41.091159+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (14, 'instrumentgpt', 'facts_by_age', '2026-11-23 01:21:41.091947+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (15, 'instrumentgpt', 'notes_of_deleted_conversations', '2026-11-23 01:21:41.092250+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (16, 'instrumentgpt', 'entities_of_conversations', '2026-11-23 01:21:41.104898+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (17, 'instrumentgpt', 'panels_and_conclusions', '2026-11-23 01:21:41.105707+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (18, 'instrumentgpt', 'roles_in_order', '2026-11-23 01:21:41.105980+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (19, 'instrumentgpt', 'prompts_as_text', '2026-11-23 01:21:41.121576+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (20, 'instrumentgpt', 'nicknames_of_devices', '2026-11-23 01:21:41.121999+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (21, 'instrumentgpt', 'parts_of_messages', '2026-11-23 01:21:41.122279+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (22, 'instrumentgpt', 'parts_with_cues', '2026-11-23 01:21:41.122501+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (23, 'instrumentgpt', 'messages_without_parts', '2026-11-23 01:21:41.122688+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (24, 'instrumentgpt', 'parts_by_cue', '2026-11-23 01:21:41.123029+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (25, 'instrumentgpt', 'likely_nicknames', '2026-11-23 01:21:41.123293+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (26, 'instrumentgpt', 'facts_of_older_logs', '2026-11-23 01:21:41.141010+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (27, 'instrumentgpt', 'deleted_turns', '2026-11-23 01:21:41.244911+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (28, 'instrumentgpt', 'clocks_of_runs', '2026-11-23 01:21:41.246660+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (29, 'instrumentgpt', 'permission_to_browse', '2026-11-23 01:21:41.247307+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (30, 'instrumentgpt', 'uploads_as_files', '2026-11-23 01:21:41.247926+00:00');
INSERT INTO _sqlite_migrations (id, migration_set, name, applied_at) VALUES (31, 'instrumentgpt', 'memory_is_data', '2026-11-23 01:21:41.263434+00:00');
INSERT INTO conversations (id, title, created_at, updated_at, summary, diagnostic_state) VALUES ('3977d5654b16', 'kept', 1.79539690128087043759e+09, 1.79539690165120625498e+09, '[#1] User: oven 7 為什麼溫度波動？
[#2] Assistant: I looked.
[#3] User: We call oven 7 Tallinn. Do not restart it before Friday.
[#4] Assistant: Hypothesis: the fan is dirty
[#5] User: no, kp is 0.12
[#6] Assistant: Ruled out: the fan is dirty … 風扇轉速是 4017 rpm。
[#7] User: and oven 8?
[#8] Assistant: Key findings: - its door seal leaks … kp: 0.31', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": "old.log", "downloaded_logs": ["run.log", "new.log", "old.log"], "findings": ["pv swings by 3.2 °C", "the lid hums"], "hypotheses": [], "root_causes": ["the zirconia probe is cracked"], "status": "investigating"}');
INSERT INTO conversations (id, title, created_at, updated_at, summary, diagnostic_state) VALUES ('02714f5f0d03', 'last deleted', 1.79539690166661667822e+09, 1795396902.40335, '[#17] User: oven 7 為什麼溫度波動？
[#18] Assistant: I looked.
[#19] User: We call oven 7 Tallinn. Do not restart it before Friday.
[#20] Assistant: Hypothesis: the fan is dirty
[#21] User: no, kp is 0.12
[#22] Assistant: Ruled out: the fan is dirty … 風扇轉速是 4017 rpm。
[#23] User: and oven 8?
[#24] Assistant: Key findings: - its door seal leaks … kp: 0.31', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": "new.log", "downloaded_logs": ["run.log", "new.log"], "findings": ["pv swings by 3.2 °C", "the lid hums"], "hypotheses": [], "root_causes": ["the zirconia probe is cracked"], "status": "investigating"}');
INSERT INTO conversations (id, title, created_at, updated_at, summary, diagnostic_state) VALUES ('40cf899b2999', 'We call oven 7 Tallinn. Do not restart it before Friday.', 1.79539690196741199496e+09, 1.79539690222722554202e+09, '[#35] User: We call oven 7 Tallinn. Do not restart it before Friday.
[#36] Assistant: Hypothesis: the fan is dirty
[#37] User: no, kp is 0.12
[#38] Assistant: Ruled out: the fan is dirty … 風扇轉速是 4017 rpm。
[#39] User: and oven 8?
[#40] Assistant: Key findings: - its door seal leaks … kp: 0.31', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": "old.log", "downloaded_logs": ["old.log"], "findings": ["the lid hums"], "hypotheses": [], "root_causes": [], "status": "investigating"}');
INSERT INTO conversations (id, title, created_at, updated_at, summary, diagnostic_state) VALUES ('a78fa4dec34b', 'asked on', 1.79539690223686432841e+09, 1.79539690238616466517e+09, '', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": "run.log", "downloaded_logs": ["run.log"], "findings": ["pv swings by 3.2 °C", "the lid hums"], "hypotheses": [], "root_causes": ["the zirconia probe is cracked"], "status": "investigating"}');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (1, '3977d5654b16', 'user', 'oven 7 為什麼溫度波動？', 1.79539690128099370001e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (2, '3977d5654b16', 'assistant', 'I looked.', 1.79539690136371421816e+09, 'dc89cd4dc0864dc094b6e669c305d264', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (3, '3977d5654b16', 'user', 'We call oven 7 Tallinn. Do not restart it before Friday.', 1.79539690137891793254e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (4, '3977d5654b16', 'assistant', 'Hypothesis: the fan is dirty', 1.79539690147400069234e+09, 'a233951d6b094a6b935382c7c1d50b28', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (5, '3977d5654b16', 'user', 'no, kp is 0.12', 1.7953969014754815102e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (6, '3977d5654b16', 'assistant', 'Ruled out: the fan is dirty

風扇轉速是 4017 rpm。', 1.79539690150536656383e+09, 'bc922ec6d7174058bbd6614529f84027', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (7, '3977d5654b16', 'user', 'and oven 8?', 1.7953969015065355301e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (8, '3977d5654b16', 'assistant', 'Key findings:
- its door seal leaks

kp: 0.31', 1.79539690152353525161e+09, 'c8f8739b0381444ba08438cbf490f84f', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (9, '3977d5654b16', 'user', 'back to Tallinn', 1.79539690154561257361e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (10, '3977d5654b16', 'assistant', 'Key findings:
- pv swings by 3.2 °C
- the lid hums', 1.79539690156280422207e+09, 'aaefc7fa47364728b1ac364b7b88ef18', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (11, '3977d5654b16', 'user', 'and its gains?', 1.79539690156846833231e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (12, '3977d5654b16', 'assistant', 'Here.', 1.79539690158973121647e+09, '3326b93abc2148d9892431ddae9be01e', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (13, '3977d5654b16', 'user', 'kp is 15 now', 1.79539690159184527401e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (14, '3977d5654b16', 'assistant', 'Noted.', 1.79539690162203693394e+09, '2f79194195994198ac4e3a0e16d126f4', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (15, '3977d5654b16', 'user', 'and in the older log?', 1.79539690162291169167e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (16, '3977d5654b16', 'assistant', 'There.', 1.79539690165120625498e+09, '58ceef936d754719819b055d15e914ae', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (17, '02714f5f0d03', 'user', 'oven 7 為什麼溫度波動？', 1.79539690166669344906e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (18, '02714f5f0d03', 'assistant', 'I looked.', 1.79539690176576042178e+09, 'ab15c4f06e3140ddaee0495b3ca8c9ae', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (19, '02714f5f0d03', 'user', 'We call oven 7 Tallinn. Do not restart it before Friday.', 1.79539690176712083812e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (20, '02714f5f0d03', 'assistant', 'Hypothesis: the fan is dirty', 1.79539690178383016584e+09, '022c88f3b6974b3bbd3811570a540ff9', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (21, '02714f5f0d03', 'user', 'no, kp is 0.12', 1.79539690180092811585e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (22, '02714f5f0d03', 'assistant', 'Ruled out: the fan is dirty

風扇轉速是 4017 rpm。', 1.7953969018175382614e+09, '1f55ea01831947c1b3684e103864f794', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (23, '02714f5f0d03', 'user', 'and oven 8?', 1.79539690181833171849e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (24, '02714f5f0d03', 'assistant', 'Key findings:
- its door seal leaks

kp: 0.31', 1.79539690183426809311e+09, 'ce03ce87c73443758f083fa57b9d5097', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (25, '02714f5f0d03', 'user', 'back to Tallinn', 1.79539690183564209936e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (26, '02714f5f0d03', 'assistant', 'Key findings:
- pv swings by 3.2 °C
- the lid hums', 1.79539690186033749582e+09, 'c678ce4afeed47bab59cd95421e2d4aa', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (27, '02714f5f0d03', 'user', 'and its gains?', 1.79539690186203837398e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (28, '02714f5f0d03', 'assistant', 'Here.', 1.79539690187884140018e+09, '636b2fc3f968411aa5321798c26dfc29', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (29, '02714f5f0d03', 'user', 'kp is 15 now', 1.79539690189189767837e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (30, '02714f5f0d03', 'assistant', 'Noted.', 1.79539690191818833353e+09, 'd2902a7c531e4496861f841f05ef8259', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (35, '40cf899b2999', 'user', 'We call oven 7 Tallinn. Do not restart it before Friday.', 1.79539690199838614459e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (36, '40cf899b2999', 'assistant', 'Hypothesis: the fan is dirty', 1.79539690201523351661e+09, '018d56d4a05f43e78e802119d77c5461', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (37, '40cf899b2999', 'user', 'no, kp is 0.12', 1.7953969020287957191e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (38, '40cf899b2999', 'assistant', 'Ruled out: the fan is dirty

風扇轉速是 4017 rpm。', 1.79539690204785633092e+09, '874d12bde4534754bf1595ac091d63ab', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (39, '40cf899b2999', 'user', 'and oven 8?', 1.79539690205721235273e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (40, '40cf899b2999', 'assistant', 'Key findings:
- its door seal leaks

kp: 0.31', 1.79539690207345390316e+09, '9d8a129eecde4575b060aea875a69b96', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (41, '40cf899b2999', 'user', 'back to Tallinn', 1.79539690207489585878e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (42, '40cf899b2999', 'assistant', 'Key findings:
- pv swings by 3.2 °C
- the lid hums', 1.7953969020955939293e+09, '9b40d3b5de7f4addaa7a9a793c5ef56b', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (45, '40cf899b2999', 'user', 'kp is 15 now', 1.79539690214590120318e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (46, '40cf899b2999', 'assistant', 'Noted.', 1.79539690215869474415e+09, '8371d255dce74f20bcf770f6b157689e', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (47, '40cf899b2999', 'user', 'and in the older log?', 1.79539690215956401829e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (48, '40cf899b2999', 'assistant', 'There.', 1.79539690219149184226e+09, 'f1c94a4f2beb4d60964a1676cdef125d', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (49, 'a78fa4dec34b', 'user', 'oven 7 為什麼溫度波動？', 1.79539690223700547215e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (50, 'a78fa4dec34b', 'assistant', 'I looked.', 1.79539690225477719309e+09, '21d409ad8fad414692af67a081cc4c73', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (53, 'a78fa4dec34b', 'user', 'no, kp is 0.12', 1.79539690229174757002e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (54, 'a78fa4dec34b', 'assistant', 'Ruled out: the fan is dirty

風扇轉速是 4017 rpm。', 1.79539690232242941858e+09, '3ec73d98307345eb9587e4ad0c182351', 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (57, 'a78fa4dec34b', 'user', 'is it hot?', 1.79539690236969590184e+09, NULL, 'complete');
INSERT INTO messages (id, conversation_id, role, content, created_at, run_id, status) VALUES (58, 'a78fa4dec34b', 'assistant', 'Key findings:
- the lid hums', 1.79539690238616466517e+09, 'b06cc45ce752463d8703051e0d1190a6', 'complete');
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('dc89cd4dc0864dc094b6e669c305d264', '3977d5654b16', 'offline', 'chat', 1, 'ok', NULL, NULL, 0, 1.79539690128148293497e+09, 1.79539690137713026998e+09, NULL, 1244.405223766, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('a233951d6b094a6b935382c7c1d50b28', '3977d5654b16', 'offline', 'chat', 3, 'ok', NULL, NULL, 0, 1.79539690137921094893e+09, 1.79539690147457766528e+09, NULL, 1244.502952018, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('bc922ec6d7174058bbd6614529f84027', '3977d5654b16', 'offline', 'chat', 5, 'ok', NULL, NULL, 0, 1.79539690147564554218e+09, 1.79539690150572943689e+09, NULL, 1244.599386192, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('c8f8739b0381444ba08438cbf490f84f', '3977d5654b16', 'offline', 'chat', 7, 'ok', NULL, NULL, 0, 1.79539690150669121746e+09, 1.79539690154456353186e+09, NULL, 1244.630431632, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('aaefc7fa47364728b1ac364b7b88ef18', '3977d5654b16', 'offline', 'chat', 9, 'ok', NULL, NULL, 0, 1.79539690154579210283e+09, 1.79539690156339788434e+09, NULL, 1244.66953304, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('3326b93abc2148d9892431ddae9be01e', '3977d5654b16', 'offline', 'chat', 11, 'ok', NULL, NULL, 0, 1.79539690156881546968e+09, 1.79539690159031605724e+09, NULL, 1244.692556071, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('2f79194195994198ac4e3a0e16d126f4', '3977d5654b16', 'offline', 'chat', 13, 'ok', NULL, NULL, 0, 1.79539690159208703036e+09, 1.79539690162231087679e+09, NULL, 1244.715827693, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('58ceef936d754719819b055d15e914ae', '3977d5654b16', 'offline', 'chat', 15, 'ok', NULL, NULL, 0, 1.79539690162311935421e+09, 1.79539690165181684499e+09, NULL, 1244.746859643, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('ab15c4f06e3140ddaee0495b3ca8c9ae', '02714f5f0d03', 'offline', 'chat', 17, 'ok', NULL, NULL, 0, 1.79539690166688823704e+09, 1.79539690176624774928e+09, NULL, 1244.790628751, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('022c88f3b6974b3bbd3811570a540ff9', '02714f5f0d03', 'offline', 'chat', 19, 'ok', NULL, NULL, 0, 1795396901.76727, 1.79539690178421258923e+09, NULL, 1244.891010149, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('1f55ea01831947c1b3684e103864f794', '02714f5f0d03', 'offline', 'chat', 21, 'ok', NULL, NULL, 0, 1.79539690180114054683e+09, 1.79539690181772780422e+09, NULL, 1244.9248812, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('ce03ce87c73443758f083fa57b9d5097', '02714f5f0d03', 'offline', 'chat', 23, 'ok', NULL, NULL, 0, 1.79539690181845736508e+09, 1.79539690183486509321e+09, NULL, 1244.942197407, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('c678ce4afeed47bab59cd95421e2d4aa', '02714f5f0d03', 'offline', 'chat', 25, 'ok', NULL, NULL, 0, 1.79539690183577537539e+09, 1.7953969018611061573e+09, NULL, 1244.959515677, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('636b2fc3f968411aa5321798c26dfc29', '02714f5f0d03', 'offline', 'chat', 27, 'ok', NULL, NULL, 0, 1.79539690186222052571e+09, 1.79539690187935400012e+09, NULL, 1244.985961287, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('d2902a7c531e4496861f841f05ef8259', '02714f5f0d03', 'offline', 'chat', 29, 'ok', NULL, NULL, 0, 1.7953969018921334743e+09, 1.79539690191845273965e+09, NULL, 1245.015873883, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('86450d46c17940249d06fc9fef2dc195', '02714f5f0d03', 'offline', 'chat', NULL, 'ok', NULL, NULL, 0, 1.79539690191958022113e+09, 1.79539690194960808748e+09, NULL, 1245.043320602, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('5e3a5a5d68f34ef59b2abb8c07b21057', '40cf899b2999', 'offline', 'chat', NULL, 'ok', NULL, NULL, 0, 1.79539690196761012076e+09, 1.79539690199734663965e+09, NULL, 1245.091350776, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('018d56d4a05f43e78e802119d77c5461', '40cf899b2999', 'offline', 'chat', 35, 'ok', NULL, NULL, 0, 1.79539690199855303757e+09, 1.79539690201565480236e+09, NULL, 1245.122293854, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('874d12bde4534754bf1595ac091d63ab', '40cf899b2999', 'offline', 'chat', 37, 'ok', NULL, NULL, 0, 1.79539690202900910375e+09, 1.79539690204808664321e+09, NULL, 1245.152749647, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('9d8a129eecde4575b060aea875a69b96', '40cf899b2999', 'offline', 'chat', 39, 'ok', NULL, NULL, 0, 1.79539690205738377572e+09, 1.79539690207413434987e+09, NULL, 1245.181124386, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('9b40d3b5de7f4addaa7a9a793c5ef56b', '40cf899b2999', 'offline', 'chat', 41, 'ok', NULL, NULL, 0, 1.79539690207502913472e+09, 1.79539690209610676768e+09, NULL, 1245.198769692, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('7a99e27a093a41d0adbc45e42cb5ab5d', '40cf899b2999', 'offline', 'chat', NULL, 'ok', NULL, NULL, 0, 1.79539690210999751092e+09, 1.79539690214469552036e+09, NULL, 1245.233738355, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('8371d255dce74f20bcf770f6b157689e', '40cf899b2999', 'offline', 'chat', 45, 'ok', NULL, NULL, 0, 1.79539690214615631105e+09, 1.79539690215895533561e+09, NULL, 1245.269897058, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('f1c94a4f2beb4d60964a1676cdef125d', '40cf899b2999', 'offline', 'chat', 47, 'ok', NULL, NULL, 0, 1.79539690215971469875e+09, 1.7953969021920480728e+09, NULL, 1245.283455207, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('21d409ad8fad414692af67a081cc4c73', 'a78fa4dec34b', 'offline', 'chat', 49, 'ok', NULL, NULL, 0, 1.7953969022371881008e+09, 1.79539690225529527658e+09, NULL, 1245.360928819, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('56d672e4d14543039151fb0d6f37cf39', 'a78fa4dec34b', 'offline', 'chat', NULL, 'ok', NULL, NULL, 0, 1.79539690226854896544e+09, 1.79539690229082322123e+09, NULL, 1245.392290209, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('3ec73d98307345eb9587e4ad0c182351', 'a78fa4dec34b', 'offline', 'chat', 53, 'ok', NULL, NULL, 0, 1.7953969022919039726e+09, 1.7953969023226730823e+09, NULL, 1245.415644163, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('b8f2e72b7d9a4bc4a988523924b5cb33', 'a78fa4dec34b', 'offline', 'chat', NULL, 'ok', NULL, NULL, 0, 1.79539690232354640963e+09, 1.79539690234053111073e+09, NULL, 1245.44728673, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('b06cc45ce752463d8703051e0d1190a6', 'a78fa4dec34b', 'offline', 'chat', 57, 'ok', NULL, NULL, 0, 1.7953969023698985577e+09, 1.7953969023866710663e+09, NULL, 1245.493638974, NULL);
INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested, started_at, finished_at, began_at, started_clock, began_clock) VALUES ('2bbc8db241504a6ab73ffc67a922eb90', '02714f5f0d03', 'offline', 'panel', NULL, 'ok', NULL, NULL, 0, 1.7953969023875761032e+09, 1.79539690238807225219e+09, NULL, 1245.511316448, NULL);
INSERT INTO run_events (run_id, number, event) VALUES ('018d56d4a05f43e78e802119d77c5461', 1, '{"event": "Done", "outcome": "ok", "text": "Hypothesis: the fan is dirty", "seconds": 0.016579932000013287, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('022c88f3b6974b3bbd3811570a540ff9', 1, '{"event": "Done", "outcome": "ok", "text": "Hypothesis: the fan is dirty", "seconds": 0.016460012999914397, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('1f55ea01831947c1b3684e103864f794', 1, '{"event": "Done", "outcome": "ok", "text": "Ruled out: the fan is dirty\n\n風扇轉速是 4017 rpm。", "seconds": 0.016297632000032536, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('21d409ad8fad414692af67a081cc4c73', 1, '{"event": "Done", "outcome": "ok", "text": "I looked.", "seconds": 0.017477255999892805, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('2bbc8db241504a6ab73ffc67a922eb90', 1, '{"type": "Tick", "note": "a step"}');
INSERT INTO run_events (run_id, number, event) VALUES ('2f79194195994198ac4e3a0e16d126f4', 1, '{"event": "Done", "outcome": "ok", "text": "Noted.", "seconds": 0.029830223000089973, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('3326b93abc2148d9892431ddae9be01e', 1, '{"event": "Done", "outcome": "ok", "text": "Here.", "seconds": 0.02078180000012253, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('3ec73d98307345eb9587e4ad0c182351', 1, '{"event": "Done", "outcome": "ok", "text": "Ruled out: the fan is dirty\n\n風扇轉速是 4017 rpm。", "seconds": 0.030402223000010054, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('56d672e4d14543039151fb0d6f37cf39', 1, '{"event": "Done", "outcome": "ok", "text": "Hypothesis: the fan is dirty", "seconds": 0.021682437999970716, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('58ceef936d754719819b055d15e914ae', 1, '{"event": "Done", "outcome": "ok", "text": "There.", "seconds": 0.027974723999932394, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('5e3a5a5d68f34ef59b2abb8c07b21057', 1, '{"event": "Done", "outcome": "ok", "text": "I looked.", "seconds": 0.016601203000163878, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('636b2fc3f968411aa5321798c26dfc29', 1, '{"event": "Done", "outcome": "ok", "text": "Here.", "seconds": 0.016446193000092535, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('7a99e27a093a41d0adbc45e42cb5ab5d', 1, '{"event": "Done", "outcome": "ok", "text": "Here.", "seconds": 0.017758343999958015, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('8371d255dce74f20bcf770f6b157689e', 1, '{"event": "Done", "outcome": "ok", "text": "Noted.", "seconds": 0.012429961999941952, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('86450d46c17940249d06fc9fef2dc195', 1, '{"event": "Done", "outcome": "ok", "text": "There.", "seconds": 0.029205614999909812, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('874d12bde4534754bf1595ac091d63ab', 1, '{"event": "Done", "outcome": "ok", "text": "Ruled out: the fan is dirty\n\n風扇轉速是 4017 rpm。", "seconds": 0.01873316299997896, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('9b40d3b5de7f4addaa7a9a793c5ef56b', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- pv swings by 3.2 °C\n- the lid hums", "seconds": 0.020443766999960644, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('9d8a129eecde4575b060aea875a69b96', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- its door seal leaks\n\nkp: 0.31", "seconds": 0.01595398099993872, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('a233951d6b094a6b935382c7c1d50b28', 1, '{"event": "Done", "outcome": "ok", "text": "Hypothesis: the fan is dirty", "seconds": 0.09465892399998665, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('aaefc7fa47364728b1ac364b7b88ef18', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- pv swings by 3.2 °C\n- the lid hums", "seconds": 0.0169015199999194, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('ab15c4f06e3140ddaee0495b3ca8c9ae', 1, '{"event": "Done", "outcome": "ok", "text": "I looked.", "seconds": 0.09876546500004224, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('b06cc45ce752463d8703051e0d1190a6', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- the lid hums", "seconds": 0.016149582000025475, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('b8f2e72b7d9a4bc4a988523924b5cb33', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- its door seal leaks\n\nkp: 0.31", "seconds": 0.016246330999820202, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('bc922ec6d7174058bbd6614529f84027', 1, '{"event": "Done", "outcome": "ok", "text": "Ruled out: the fan is dirty\n\n風扇轉速是 4017 rpm。", "seconds": 0.029565889999958017, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('c678ce4afeed47bab59cd95421e2d4aa', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- pv swings by 3.2 °C\n- the lid hums", "seconds": 0.012397703000033289, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('c8f8739b0381444ba08438cbf490f84f', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- its door seal leaks\n\nkp: 0.31", "seconds": 0.016742333000138387, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('ce03ce87c73443758f083fa57b9d5097', 1, '{"event": "Done", "outcome": "ok", "text": "Key findings:\n- its door seal leaks\n\nkp: 0.31", "seconds": 0.015707263999956922, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('d2902a7c531e4496861f841f05ef8259', 1, '{"event": "Done", "outcome": "ok", "text": "Noted.", "seconds": 0.02589136699998562, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('dc89cd4dc0864dc094b6e669c305d264', 1, '{"event": "Done", "outcome": "ok", "text": "I looked.", "seconds": 0.08209380599987526, "usage": {}}');
INSERT INTO run_events (run_id, number, event) VALUES ('f1c94a4f2beb4d60964a1676cdef125d', 1, '{"event": "Done", "outcome": "ok", "text": "There.", "seconds": 0.03164054499984559, "usage": {}}');
INSERT INTO device_states (conversation_id, device, state) VALUES ('02714f5f0d03', 'oven 7', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": "run.log", "downloaded_logs": ["run.log"], "findings": ["pv swings by 3.2 °C"], "hypotheses": [], "root_causes": ["the zirconia probe is cracked"], "status": "investigating"}');
INSERT INTO device_states (conversation_id, device, state) VALUES ('02714f5f0d03', 'oven 8', '{"device_ip": "10.9.0.8", "device_name": "oven 8", "last_log_file": "eight.log", "downloaded_logs": ["eight.log"], "findings": ["its door seal leaks"], "hypotheses": [], "root_causes": [], "status": "investigating"}');
INSERT INTO device_states (conversation_id, device, state) VALUES ('3977d5654b16', 'oven 7', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": "run.log", "downloaded_logs": ["run.log"], "findings": ["pv swings by 3.2 °C"], "hypotheses": [], "root_causes": ["the zirconia probe is cracked"], "status": "investigating"}');
INSERT INTO device_states (conversation_id, device, state) VALUES ('3977d5654b16', 'oven 8', '{"device_ip": "10.9.0.8", "device_name": "oven 8", "last_log_file": "eight.log", "downloaded_logs": ["eight.log"], "findings": ["its door seal leaks"], "hypotheses": [], "root_causes": [], "status": "investigating"}');
INSERT INTO device_states (conversation_id, device, state) VALUES ('40cf899b2999', 'oven 7', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": null, "downloaded_logs": [], "findings": [], "hypotheses": [], "root_causes": [], "status": "investigating"}');
INSERT INTO device_states (conversation_id, device, state) VALUES ('40cf899b2999', 'oven 8', '{"device_ip": "10.9.0.8", "device_name": "oven 8", "last_log_file": "eight.log", "downloaded_logs": ["eight.log"], "findings": ["its door seal leaks"], "hypotheses": [], "root_causes": [], "status": "investigating"}');
INSERT INTO device_states (conversation_id, device, state) VALUES ('a78fa4dec34b', 'oven 7', '{"device_ip": "10.9.0.7", "device_name": "oven 7", "last_log_file": "run.log", "downloaded_logs": ["run.log"], "findings": ["pv swings by 3.2 °C"], "hypotheses": [], "root_causes": ["the zirconia probe is cracked"], "status": "investigating"}');
INSERT INTO settings (name, value) VALUES ('theme', '"dark"');
INSERT INTO notes (id, scope, kind, text, updated_at) VALUES ('n1', '3977d5654b16', 'note', 'Never open the lid', 1.79539690240362644199e+09);
INSERT INTO message_terms (rowid, conversation, terms) VALUES (1, '3977d5654b16', 'oven 7 为什 什么 么温 温度 度波 波动');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (2, '3977d5654b16', 'i look');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (3, '3977d5654b16', 'we call oven 7 tallinn do not restart it befor friday');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (4, '3977d5654b16', 'hypothesi the fan is dirti');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (5, '3977d5654b16', 'no kp is 0.12');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (6, '3977d5654b16', 'rule out the fan is dirti 风扇 扇转 转速 速是 4017 rpm');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (7, '3977d5654b16', 'and oven 8');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (8, '3977d5654b16', 'key find it door seal leak kp 0.31');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (9, '3977d5654b16', 'back to tallinn');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (10, '3977d5654b16', 'key find pv swing by 3.2 c the lid hum');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (11, '3977d5654b16', 'and it gain');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (12, '3977d5654b16', 'here');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (13, '3977d5654b16', 'kp is 15 now');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (14, '3977d5654b16', 'note');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (15, '3977d5654b16', 'and in the older log');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (16, '3977d5654b16', 'there');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (17, '02714f5f0d03', 'oven 7 为什 什么 么温 温度 度波 波动');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (18, '02714f5f0d03', 'i look');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (19, '02714f5f0d03', 'we call oven 7 tallinn do not restart it befor friday');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (20, '02714f5f0d03', 'hypothesi the fan is dirti');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (21, '02714f5f0d03', 'no kp is 0.12');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (22, '02714f5f0d03', 'rule out the fan is dirti 风扇 扇转 转速 速是 4017 rpm');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (23, '02714f5f0d03', 'and oven 8');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (24, '02714f5f0d03', 'key find it door seal leak kp 0.31');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (25, '02714f5f0d03', 'back to tallinn');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (26, '02714f5f0d03', 'key find pv swing by 3.2 c the lid hum');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (27, '02714f5f0d03', 'and it gain');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (28, '02714f5f0d03', 'here');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (29, '02714f5f0d03', 'kp is 15 now');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (30, '02714f5f0d03', 'note');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (35, '40cf899b2999', 'we call oven 7 tallinn do not restart it befor friday');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (36, '40cf899b2999', 'hypothesi the fan is dirti');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (37, '40cf899b2999', 'no kp is 0.12');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (38, '40cf899b2999', 'rule out the fan is dirti 风扇 扇转 转速 速是 4017 rpm');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (39, '40cf899b2999', 'and oven 8');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (40, '40cf899b2999', 'key find it door seal leak kp 0.31');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (41, '40cf899b2999', 'back to tallinn');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (42, '40cf899b2999', 'key find pv swing by 3.2 c the lid hum');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (45, '40cf899b2999', 'kp is 15 now');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (46, '40cf899b2999', 'note');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (47, '40cf899b2999', 'and in the older log');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (48, '40cf899b2999', 'there');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (49, 'a78fa4dec34b', 'oven 7 为什 什么 么温 温度 度波 波动');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (50, 'a78fa4dec34b', 'i look');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (53, 'a78fa4dec34b', 'no kp is 0.12');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (54, 'a78fa4dec34b', 'rule out the fan is dirti 风扇 扇转 转速 速是 4017 rpm');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (57, 'a78fa4dec34b', 'is it hot');
INSERT INTO message_terms (rowid, conversation, terms) VALUES (58, 'a78fa4dec34b', 'key find the lid hum');
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (1, '3977d5654b16', 'oven 7', 'findings', '', 'pv swings by 3.2 °C', 'edit', 'pv swings by 3.2 °C', 'pv swings at night', 16, 'user', 1.79539690166551113128e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (2, '3977d5654b16', 'oven 7', 'findings', '', 'the lid hums', 'forget', 'the lid hums', '', 16, 'user', 1.79539690166571927077e+09, 'user', 1.79539690166575431826e+09);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (3, '3977d5654b16', 'oven 7', 'value', '1', 'kp', 'correct', '15', '0.11', 16, 'user', 1.79539690166594481475e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (4, '3977d5654b16', 'oven 8', 'nickname', '', 'Narva', 'name', '', 'Narva', 16, 'user', 1.7953969016665444374e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (5, '02714f5f0d03', '', 'turn', '', '31', 'forget', 'and in the older log?', '', 32, 'user', 1.79539690195120382309e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (6, '40cf899b2999', '', 'turn', '', '33', 'forget', 'oven 7 為什麼溫度波動？', '', 48, 'user', 1.79539690219869136809e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (7, '40cf899b2999', '', 'turn', '', '43', 'forget', 'and its gains?', '', 48, 'user', 1.79539690222605919844e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (8, 'a78fa4dec34b', '', 'turn', '', '55', 'forget', 'and oven 8?', '', 56, 'user', 1.79539690234177422528e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (9, 'a78fa4dec34b', '', 'turn', '', '51', 'forget', 'We call oven 7 Tallinn. Do not restart it before Friday.', '', 54, 'user', 1.79539690236761951451e+09, NULL, NULL);
INSERT INTO revisions (id, conversation_id, device, field, channel, name, action, old, new, after, changed_by, changed_at, undone_by, undone_at) VALUES (10, '02714f5f0d03', '', 'turn', '', '59', 'forget', 'plot it', '', 60, 'user', 1.7953969024011931419e+09, NULL, NULL);
INSERT INTO item_terms (rowid, terms) VALUES (1, 'oven 7 run.log run log');
INSERT INTO item_terms (rowid, terms) VALUES (2, 'oven 7 pv swing by 3.2 c');
INSERT INTO item_terms (rowid, terms) VALUES (3, 'oven 7 the zirconia probe is crack');
INSERT INTO item_terms (rowid, terms) VALUES (4, 'oven 7 the fan is dirti');
INSERT INTO item_terms (rowid, terms) VALUES (5, 'oven 8 eight.log eight log');
INSERT INTO item_terms (rowid, terms) VALUES (6, 'oven 8 it door seal leak');
INSERT INTO item_terms (rowid, terms) VALUES (7, 'oven 7 the lid hum');
INSERT INTO item_terms (rowid, terms) VALUES (8, 'oven 7 new.log new log');
INSERT INTO item_terms (rowid, terms) VALUES (9, 'oven 7 old.log old log');
INSERT INTO item_terms (rowid, terms) VALUES (10, 'oven 7 run.log run log');
INSERT INTO item_terms (rowid, terms) VALUES (11, 'oven 7 pv swing by 3.2 c');
INSERT INTO item_terms (rowid, terms) VALUES (12, 'oven 7 the zirconia probe is crack');
INSERT INTO item_terms (rowid, terms) VALUES (13, 'oven 7 the fan is dirti');
INSERT INTO item_terms (rowid, terms) VALUES (14, 'oven 8 eight.log eight log');
INSERT INTO item_terms (rowid, terms) VALUES (15, 'oven 8 it door seal leak');
INSERT INTO item_terms (rowid, terms) VALUES (16, 'oven 7 the lid hum');
INSERT INTO item_terms (rowid, terms) VALUES (17, 'oven 7 new.log new log');
INSERT INTO item_terms (rowid, terms) VALUES (22, 'oven 7 the fan is dirti');
INSERT INTO item_terms (rowid, terms) VALUES (23, 'oven 8 eight.log eight log');
INSERT INTO item_terms (rowid, terms) VALUES (24, 'oven 8 it door seal leak');
INSERT INTO item_terms (rowid, terms) VALUES (25, 'oven 7 the lid hum');
INSERT INTO item_terms (rowid, terms) VALUES (27, 'oven 7 old.log old log');
INSERT INTO item_terms (rowid, terms) VALUES (28, 'oven 7 run.log run log');
INSERT INTO item_terms (rowid, terms) VALUES (29, 'oven 7 pv swing by 3.2 c');
INSERT INTO item_terms (rowid, terms) VALUES (30, 'oven 7 the zirconia probe is crack');
INSERT INTO item_terms (rowid, terms) VALUES (34, 'oven 7 the lid hum');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('3977d5654b16', 'device_1', 'device', 1, 'device', 'oven 7 (10.9.0.7)', '', 1, 9, '', '{"device": "oven 7"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('3977d5654b16', 'log_1', 'log', 1, 'log', 'run.log', 'read:summary', 1, 1, '', '{"device": "", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('3977d5654b16', 'finding_1', 'finding', 1, 'finding', 'pv swings by 3.2 °C · run.log', 'read', 1, 1, '', '{"channel": null, "device": "", "fault": "pv swings by 3.2 °C", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('3977d5654b16', 'device_2', 'device', 2, 'device', 'oven 8 (10.9.0.8)', '', 7, 7, '', '{"device": "oven 8"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('3977d5654b16', 'log_2', 'log', 2, 'log', 'eight.log', 'read:summary', 7, 7, '', '{"device": "", "log": "eight.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('3977d5654b16', 'log_3', 'log', 3, 'log', 'new.log of oven 7', 'read:summary', 11, 11, '', '{"device": "oven 7", "log": "new.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('3977d5654b16', 'log_4', 'log', 4, 'log', 'old.log of oven 7', 'read:summary', 15, 15, '', '{"device": "oven 7", "log": "old.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('02714f5f0d03', 'device_1', 'device', 1, 'device', 'oven 7 (10.9.0.7)', '', 17, 25, '', '{"device": "oven 7"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('02714f5f0d03', 'log_1', 'log', 1, 'log', 'run.log', 'read:summary', 17, 17, '', '{"device": "", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('02714f5f0d03', 'finding_1', 'finding', 1, 'finding', 'pv swings by 3.2 °C · run.log', 'read', 17, 17, '', '{"channel": null, "device": "", "fault": "pv swings by 3.2 °C", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('02714f5f0d03', 'device_2', 'device', 2, 'device', 'oven 8 (10.9.0.8)', '', 23, 23, '', '{"device": "oven 8"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('02714f5f0d03', 'log_2', 'log', 2, 'log', 'eight.log', 'read:summary', 23, 23, '', '{"device": "", "log": "eight.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('02714f5f0d03', 'log_3', 'log', 3, 'log', 'new.log of oven 7', 'read:summary', 27, 27, '', '{"device": "oven 7", "log": "new.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('02714f5f0d03', 'log_4', 'log', 4, 'log', 'old.log of oven 7', 'read:summary', 31, 31, '', '{"device": "oven 7", "log": "old.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('40cf899b2999', 'device_1', 'device', 1, 'device', 'oven 7 (10.9.0.7)', '', 33, 41, '', '{"device": "oven 7"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('40cf899b2999', 'log_1', 'log', 1, 'log', 'run.log', 'read:summary', 33, 33, '', '{"device": "", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('40cf899b2999', 'finding_1', 'finding', 1, 'finding', 'pv swings by 3.2 °C · run.log', 'read', 33, 33, '', '{"channel": null, "device": "", "fault": "pv swings by 3.2 °C", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('40cf899b2999', 'device_2', 'device', 2, 'device', 'oven 8 (10.9.0.8)', '', 39, 39, '', '{"device": "oven 8"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('40cf899b2999', 'log_2', 'log', 2, 'log', 'eight.log', 'read:summary', 39, 39, '', '{"device": "", "log": "eight.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('40cf899b2999', 'log_3', 'log', 3, 'log', 'new.log of oven 7', 'read:summary', 43, 43, '', '{"device": "oven 7", "log": "new.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('40cf899b2999', 'log_4', 'log', 4, 'log', 'old.log of oven 7', 'read:summary', 47, 47, '', '{"device": "oven 7", "log": "old.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('a78fa4dec34b', 'device_1', 'device', 1, 'device', 'oven 7 (10.9.0.7)', '', 49, 51, '', '{"device": "oven 7"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('a78fa4dec34b', 'log_1', 'log', 1, 'log', 'run.log', 'read:summary', 49, 49, '', '{"device": "", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('a78fa4dec34b', 'finding_1', 'finding', 1, 'finding', 'pv swings by 3.2 °C · run.log', 'read', 49, 49, '', '{"channel": null, "device": "", "fault": "pv swings by 3.2 °C", "log": "run.log"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('a78fa4dec34b', 'device_2', 'device', 2, 'device', 'oven 8 (10.9.0.8)', '', 55, 55, '', '{"device": "oven 8"}');
INSERT INTO entities (conversation_id, ref, kind, number, type, label, flag, first_message, last_message, retained, link) VALUES ('a78fa4dec34b', 'log_2', 'log', 2, 'log', 'eight.log', 'read:summary', 55, 55, '', '{"device": "", "log": "eight.log"}');
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (1, '3977d5654b16', 'oven 7', 'downloaded_logs', 'run.log', 'tool', 2, '', NULL, 1.79539690136408805845e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (2, '3977d5654b16', 'oven 7', 'findings', 'pv swings by 3.2 °C', 'tool', 2, 'run.log', 18204, 1.79539690136408805845e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (3, '3977d5654b16', 'oven 7', 'root_causes', 'the zirconia probe is cracked', 'tool', 2, 'run.log', NULL, 1.79539690136408805845e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (4, '3977d5654b16', 'oven 7', 'hypotheses', 'the fan is dirty', 'agent', 4, '', NULL, 1.79539690147427558899e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (5, '3977d5654b16', 'oven 8', 'downloaded_logs', 'eight.log', 'tool', 8, '', NULL, 1.79539690152390408518e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (6, '3977d5654b16', 'oven 8', 'findings', 'its door seal leaks', 'agent', 8, '', NULL, 1.79539690152390408518e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (7, '3977d5654b16', 'oven 7', 'findings', 'the lid hums', 'agent', 10, '', NULL, 1.79539690156308841704e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (8, '3977d5654b16', 'oven 7', 'downloaded_logs', 'new.log', 'tool', 12, '', NULL, 1.7953969015899271965e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (9, '3977d5654b16', 'oven 7', 'downloaded_logs', 'old.log', 'tool', 16, '', NULL, 1.79539690165146780011e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (10, '02714f5f0d03', 'oven 7', 'downloaded_logs', 'run.log', 'tool', 18, '', NULL, 1.79539690176594209664e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (11, '02714f5f0d03', 'oven 7', 'findings', 'pv swings by 3.2 °C', 'tool', 18, 'run.log', 18204, 1.79539690176594209664e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (12, '02714f5f0d03', 'oven 7', 'root_causes', 'the zirconia probe is cracked', 'tool', 18, 'run.log', NULL, 1.79539690176594209664e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (13, '02714f5f0d03', 'oven 7', 'hypotheses', 'the fan is dirty', 'agent', 20, '', NULL, 1795396901.78398);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (14, '02714f5f0d03', 'oven 8', 'downloaded_logs', 'eight.log', 'tool', 24, '', NULL, 1.79539690183448505398e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (15, '02714f5f0d03', 'oven 8', 'findings', 'its door seal leaks', 'agent', 24, '', NULL, 1.79539690183448505398e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (16, '02714f5f0d03', 'oven 7', 'findings', 'the lid hums', 'agent', 26, '', NULL, 1.79539690186076545718e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (17, '02714f5f0d03', 'oven 7', 'downloaded_logs', 'new.log', 'tool', 28, '', NULL, 1.7953969018790647983e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (22, '40cf899b2999', 'oven 7', 'hypotheses', 'the fan is dirty', 'agent', 36, '', NULL, 1.79539690201538515088e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (23, '40cf899b2999', 'oven 8', 'downloaded_logs', 'eight.log', 'tool', 40, '', NULL, 1.79539690207367563247e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (24, '40cf899b2999', 'oven 8', 'findings', 'its door seal leaks', 'agent', 40, '', NULL, 1.79539690207367563247e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (25, '40cf899b2999', 'oven 7', 'findings', 'the lid hums', 'agent', 42, '', NULL, 1.79539690209581923483e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (27, '40cf899b2999', 'oven 7', 'downloaded_logs', 'old.log', 'tool', 48, '', NULL, 1795396902.19172);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (28, 'a78fa4dec34b', 'oven 7', 'downloaded_logs', 'run.log', 'tool', 50, '', NULL, 1.79539690225496101384e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (29, 'a78fa4dec34b', 'oven 7', 'findings', 'pv swings by 3.2 °C', 'tool', 50, 'run.log', 18204, 1.79539690225496101384e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (30, 'a78fa4dec34b', 'oven 7', 'root_causes', 'the zirconia probe is cracked', 'tool', 50, 'run.log', NULL, 1.79539690225496101384e+09);
INSERT INTO state_items (id, conversation_id, device, field, text, source, message_id, log, line, created_at) VALUES (34, 'a78fa4dec34b', 'oven 7', 'findings', 'the lid hums', 'agent', 58, '', NULL, 1.79539690238635516166e+09);
INSERT INTO nicknames (id, conversation_id, message_id, device, nickname, kind) VALUES (1, '3977d5654b16', 3, 'oven 7', 'Tallinn', 'named');
INSERT INTO nicknames (id, conversation_id, message_id, device, nickname, kind) VALUES (2, '02714f5f0d03', 19, 'oven 7', 'Tallinn', 'named');
INSERT INTO nicknames (id, conversation_id, message_id, device, nickname, kind) VALUES (3, '40cf899b2999', 35, 'oven 7', 'Tallinn', 'named');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (5, 'messages', '{"id": 31, "conversation_id": "02714f5f0d03", "role": "user", "content": "and in the older log?", "created_at": 1795396901.9193003, "run_id": null, "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (5, 'messages', '{"id": 32, "conversation_id": "02714f5f0d03", "role": "assistant", "content": "There.", "created_at": 1795396901.948979, "run_id": "86450d46c17940249d06fc9fef2dc195", "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (5, 'facts', '{"id": 12, "conversation_id": "02714f5f0d03", "message_id": 32, "kind": "value", "device": "oven 7", "channel": "1", "parameter": "kp", "value": "7", "unit": "", "said": "", "source": "tool", "log": "old.log", "line": 7, "clock": "2026-02-12 10:00:00", "since": 32, "dated": "2026-02-12 10:00:00", "age": 28}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (5, 'state_items', '{"id": 18, "conversation_id": "02714f5f0d03", "device": "oven 7", "field": "downloaded_logs", "text": "old.log", "source": "tool", "message_id": 32, "log": "", "line": null, "created_at": 1795396901.9491909}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (5, 'link', '{"table": "runs", "column": "question_message_id", "message": 31, "key": {"id": "86450d46c17940249d06fc9fef2dc195"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (5, 'link', '{"table": "entities", "column": "first_message", "message": 31, "key": {"conversation_id": "02714f5f0d03", "ref": "log_4"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (5, 'memory', '{"before": {"summary": "[#17] User: oven 7 \u70ba\u4ec0\u9ebc\u6eab\u5ea6\u6ce2\u52d5\uff1f\n[#18] Assistant: I looked.\n[#19] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#20] Assistant: Hypothesis: the fan is dirty\n[#21] User: no, kp is 0.12\n[#22] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#23] User: and oven 8?\n[#24] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"old.log\", \"downloaded_logs\": [\"run.log\", \"new.log\", \"old.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\", \"the lid hums\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "after": {"summary": "[#17] User: oven 7 \u70ba\u4ec0\u9ebc\u6eab\u5ea6\u6ce2\u52d5\uff1f\n[#18] Assistant: I looked.\n[#19] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#20] Assistant: Hypothesis: the fan is dirty\n[#21] User: no, kp is 0.12\n[#22] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#23] User: and oven 8?\n[#24] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"new.log\", \"downloaded_logs\": [\"run.log\", \"new.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\", \"the lid hums\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "newest": 32, "at": 1795396901.967145}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'messages', '{"id": 33, "conversation_id": "40cf899b2999", "role": "user", "content": "oven 7 \u70ba\u4ec0\u9ebc\u6eab\u5ea6\u6ce2\u52d5\uff1f", "created_at": 1795396901.9674654, "run_id": null, "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'messages', '{"id": 34, "conversation_id": "40cf899b2999", "role": "assistant", "content": "I looked.", "created_at": 1795396901.9965038, "run_id": "5e3a5a5d68f34ef59b2abb8c07b21057", "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'facts', '{"id": 13, "conversation_id": "40cf899b2999", "message_id": 34, "kind": "value", "device": "oven 7", "channel": "", "parameter": "kp", "value": "0.09", "unit": "", "said": "", "source": "tool", "log": "run.log", "line": null, "clock": "", "since": 34, "dated": "", "age": 34}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'state_items', '{"id": 19, "conversation_id": "40cf899b2999", "device": "oven 7", "field": "downloaded_logs", "text": "run.log", "source": "tool", "message_id": 34, "log": "", "line": null, "created_at": 1795396901.9968262}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'state_items', '{"id": 20, "conversation_id": "40cf899b2999", "device": "oven 7", "field": "findings", "text": "pv swings by 3.2 \u00b0C", "source": "tool", "message_id": 34, "log": "run.log", "line": 18204, "created_at": 1795396901.9968262}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'state_items', '{"id": 21, "conversation_id": "40cf899b2999", "device": "oven 7", "field": "root_causes", "text": "the zirconia probe is cracked", "source": "tool", "message_id": 34, "log": "run.log", "line": null, "created_at": 1795396901.9968262}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'link', '{"table": "runs", "column": "question_message_id", "message": 33, "key": {"id": "5e3a5a5d68f34ef59b2abb8c07b21057"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'link', '{"table": "entities", "column": "first_message", "message": 33, "key": {"conversation_id": "40cf899b2999", "ref": "device_1"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'link', '{"table": "entities", "column": "first_message", "message": 33, "key": {"conversation_id": "40cf899b2999", "ref": "log_1"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'link', '{"table": "entities", "column": "first_message", "message": 33, "key": {"conversation_id": "40cf899b2999", "ref": "finding_1"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (6, 'memory', '{"before": {"summary": "[#33] User: oven 7 \u70ba\u4ec0\u9ebc\u6eab\u5ea6\u6ce2\u52d5\uff1f\n[#34] Assistant: I looked.\n[#35] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#36] Assistant: Hypothesis: the fan is dirty\n[#37] User: no, kp is 0.12\n[#38] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#39] User: and oven 8?\n[#40] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"old.log\", \"downloaded_logs\": [\"run.log\", \"new.log\", \"old.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\", \"the lid hums\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "after": {"summary": "[#35] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#36] Assistant: Hypothesis: the fan is dirty\n[#37] User: no, kp is 0.12\n[#38] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#39] User: and oven 8?\n[#40] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"old.log\", \"downloaded_logs\": [\"new.log\", \"old.log\"], \"findings\": [\"the lid hums\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": null, \"downloaded_logs\": [], \"findings\": [], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "newest": 48, "at": 1795396902.2144206}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (7, 'messages', '{"id": 43, "conversation_id": "40cf899b2999", "role": "user", "content": "and its gains?", "created_at": 1795396902.1097813, "run_id": null, "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (7, 'messages', '{"id": 44, "conversation_id": "40cf899b2999", "role": "assistant", "content": "Here.", "created_at": 1795396902.1279268, "run_id": "7a99e27a093a41d0adbc45e42cb5ab5d", "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (7, 'facts', '{"id": 17, "conversation_id": "40cf899b2999", "message_id": 44, "kind": "value", "device": "oven 7", "channel": "1", "parameter": "kp", "value": "9", "unit": "", "said": "", "source": "tool", "log": "new.log", "line": 7, "clock": "2026-02-19 23:54:44", "since": 44, "dated": "2026-02-19 23:54:44", "age": 44}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (7, 'state_items', '{"id": 26, "conversation_id": "40cf899b2999", "device": "oven 7", "field": "downloaded_logs", "text": "new.log", "source": "tool", "message_id": 44, "log": "", "line": null, "created_at": 1795396902.1281526}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (7, 'link', '{"table": "runs", "column": "question_message_id", "message": 43, "key": {"id": "7a99e27a093a41d0adbc45e42cb5ab5d"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (7, 'link', '{"table": "entities", "column": "first_message", "message": 43, "key": {"conversation_id": "40cf899b2999", "ref": "log_3"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (7, 'memory', '{"before": {"summary": "[#35] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#36] Assistant: Hypothesis: the fan is dirty\n[#37] User: no, kp is 0.12\n[#38] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#39] User: and oven 8?\n[#40] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"old.log\", \"downloaded_logs\": [\"new.log\", \"old.log\"], \"findings\": [\"the lid hums\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": null, \"downloaded_logs\": [], \"findings\": [], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "after": {"summary": "[#35] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#36] Assistant: Hypothesis: the fan is dirty\n[#37] User: no, kp is 0.12\n[#38] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#39] User: and oven 8?\n[#40] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"old.log\", \"downloaded_logs\": [\"old.log\"], \"findings\": [\"the lid hums\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": null, \"downloaded_logs\": [], \"findings\": [], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "newest": 48, "at": 1795396902.2272644}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'messages', '{"id": 55, "conversation_id": "a78fa4dec34b", "role": "user", "content": "and oven 8?", "created_at": 1795396902.3234124, "run_id": null, "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'messages', '{"id": 56, "conversation_id": "a78fa4dec34b", "role": "assistant", "content": "Key findings:\n- its door seal leaks\n\nkp: 0.31", "created_at": 1795396902.3399007, "run_id": "b8f2e72b7d9a4bc4a988523924b5cb33", "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'state_items', '{"id": 32, "conversation_id": "a78fa4dec34b", "device": "oven 8", "field": "downloaded_logs", "text": "eight.log", "source": "tool", "message_id": 56, "log": "", "line": null, "created_at": 1795396902.3401055}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'state_items', '{"id": 33, "conversation_id": "a78fa4dec34b", "device": "oven 8", "field": "findings", "text": "its door seal leaks", "source": "agent", "message_id": 56, "log": "", "line": null, "created_at": 1795396902.3401055}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'link', '{"table": "runs", "column": "question_message_id", "message": 55, "key": {"id": "b8f2e72b7d9a4bc4a988523924b5cb33"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'link', '{"table": "entities", "column": "first_message", "message": 55, "key": {"conversation_id": "a78fa4dec34b", "ref": "device_2"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'link', '{"table": "entities", "column": "first_message", "message": 55, "key": {"conversation_id": "a78fa4dec34b", "ref": "log_2"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (8, 'memory', '{"before": {"summary": "", "state": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}"}}, "after": {"summary": "", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}"}}, "newest": 56, "at": 1795396902.3672676}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (9, 'messages', '{"id": 51, "conversation_id": "a78fa4dec34b", "role": "user", "content": "We call oven 7 Tallinn. Do not restart it before Friday.", "created_at": 1795396902.256165, "run_id": null, "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (9, 'messages', '{"id": 52, "conversation_id": "a78fa4dec34b", "role": "assistant", "content": "Hypothesis: the fan is dirty", "created_at": 1795396902.290345, "run_id": "56d672e4d14543039151fb0d6f37cf39", "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (9, 'facts', '{"id": 20, "conversation_id": "a78fa4dec34b", "message_id": 51, "kind": "constraint", "device": "oven 7", "channel": "", "parameter": "", "value": "", "unit": "", "said": "Do not restart it before Friday.", "source": "user", "log": "", "line": null, "clock": "", "since": 51, "dated": "", "age": 51}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (9, 'nicknames', '{"id": 4, "conversation_id": "a78fa4dec34b", "message_id": 51, "device": "oven 7", "nickname": "Tallinn", "kind": "named"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (9, 'state_items', '{"id": 31, "conversation_id": "a78fa4dec34b", "device": "oven 7", "field": "hypotheses", "text": "the fan is dirty", "source": "agent", "message_id": 52, "log": "", "line": null, "created_at": 1795396902.290543}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (9, 'link', '{"table": "runs", "column": "question_message_id", "message": 51, "key": {"id": "56d672e4d14543039151fb0d6f37cf39"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (9, 'memory', '{"before": {"summary": "", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}"}}, "after": {"summary": "", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}"}}, "newest": 56, "at": 1795396902.3695264}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'messages', '{"id": 59, "conversation_id": "02714f5f0d03", "role": "user", "content": "plot it", "created_at": 1795396902.387336, "run_id": null, "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'messages', '{"id": 60, "conversation_id": "02714f5f0d03", "role": "assistant", "content": "done", "created_at": 1795396902.38792, "run_id": "2bbc8db241504a6ab73ffc67a922eb90", "status": "complete"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'offers', '{"message_id": 60, "number": 0, "label": "Yes", "text": "yes", "mode": "chat"}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'artifacts', '{"id": "22e62f8d5de1", "conversation_id": "02714f5f0d03", "run_id": "2bbc8db241504a6ab73ffc67a922eb90", "message_id": 60, "kind": "plotly", "title": "t", "alt": "a", "content": {"base64": "eJyrVkpJLElUslKIjq0FABmUA+k="}, "size": 12, "created_at": 1795396902.3878157, "removed_at": null, "file": ""}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'prompts', '{"id": 1, "conversation_id": "02714f5f0d03", "message_id": 59, "run_id": "2bbc8db241504a6ab73ffc67a922eb90", "task": "chat", "agent": "offline", "budget": 1, "text": {"base64": "eJwryc9JAQAEXQG0"}, "sent_at": 1795396902.4006953}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'panels', '{"id": 1, "conversation_id": "02714f5f0d03", "question": "plot it", "agent": "offline", "status": "proposed", "brief": "{\"a\": 1}", "plan": "{\"b\": 2}", "created_at": 1795396902.3876638, "ended_at": null}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'conclusions', '{"id": 1, "expert": "tuning", "device": "oven 7", "fault": "f", "goal": "g", "text": "the gain is too high", "conversation_id": "02714f5f0d03", "saved_at": 1795396902.387576}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'link', '{"table": "runs", "column": "question_message_id", "message": 59, "key": {"id": "2bbc8db241504a6ab73ffc67a922eb90"}}');
INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (10, 'memory', '{"before": {"summary": "[#17] User: oven 7 \u70ba\u4ec0\u9ebc\u6eab\u5ea6\u6ce2\u52d5\uff1f\n[#18] Assistant: I looked.\n[#19] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#20] Assistant: Hypothesis: the fan is dirty\n[#21] User: no, kp is 0.12\n[#22] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#23] User: and oven 8?\n[#24] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"new.log\", \"downloaded_logs\": [\"run.log\", \"new.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\", \"the lid hums\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "after": {"summary": "[#17] User: oven 7 \u70ba\u4ec0\u9ebc\u6eab\u5ea6\u6ce2\u52d5\uff1f\n[#18] Assistant: I looked.\n[#19] User: We call oven 7 Tallinn. Do not restart it before Friday.\n[#20] Assistant: Hypothesis: the fan is dirty\n[#21] User: no, kp is 0.12\n[#22] Assistant: Ruled out: the fan is dirty \u2026 \u98a8\u6247\u8f49\u901f\u662f 4017 rpm\u3002\n[#23] User: and oven 8?\n[#24] Assistant: Key findings: - its door seal leaks \u2026 kp: 0.31", "state": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"new.log\", \"downloaded_logs\": [\"run.log\", \"new.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\", \"the lid hums\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "filed": {"oven 7": "{\"device_ip\": \"10.9.0.7\", \"device_name\": \"oven 7\", \"last_log_file\": \"run.log\", \"downloaded_logs\": [\"run.log\"], \"findings\": [\"pv swings by 3.2 \u00b0C\"], \"hypotheses\": [], \"root_causes\": [\"the zirconia probe is cracked\"], \"status\": \"investigating\"}", "oven 8": "{\"device_ip\": \"10.9.0.8\", \"device_name\": \"oven 8\", \"last_log_file\": \"eight.log\", \"downloaded_logs\": [\"eight.log\"], \"findings\": [\"its door seal leaks\"], \"hypotheses\": [], \"root_causes\": [], \"status\": \"investigating\"}"}}, "newest": 60, "at": 1795396902.4034152}');
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (1, '3977d5654b16', 2, 'value', 'oven 7', '', 'kp', '0.09', '', '', 'tool', 'run.log', NULL, '', 2, '', 2);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (2, '3977d5654b16', 3, 'constraint', 'oven 7', '', '', '', '', 'Do not restart it before Friday.', 'user', '', NULL, '', 3, '', 3);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (3, '3977d5654b16', 5, 'value', 'oven 7', '', 'kp', '0.12', '', '', 'user', '', NULL, '', 5, '', 5);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (4, '3977d5654b16', 6, 'ruled_out', 'oven 7', '', '', '', '', 'the fan is dirty', 'agent', '', NULL, '', 6, '', 6);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (5, '3977d5654b16', 12, 'value', 'oven 7', '1', 'kp', '9', '', '', 'tool', 'new.log', 7, '2026-02-19 23:54:44', 12, '2026-02-19 23:54:44', 12);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (6, '3977d5654b16', 16, 'value', 'oven 7', '1', 'kp', '7', '', '', 'tool', 'old.log', 7, '2026-02-12 10:00:00', 16, '2026-02-12 10:00:00', 12);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (7, '02714f5f0d03', 18, 'value', 'oven 7', '', 'kp', '0.09', '', '', 'tool', 'run.log', NULL, '', 18, '', 18);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (8, '02714f5f0d03', 19, 'constraint', 'oven 7', '', '', '', '', 'Do not restart it before Friday.', 'user', '', NULL, '', 19, '', 19);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (9, '02714f5f0d03', 21, 'value', 'oven 7', '', 'kp', '0.12', '', '', 'user', '', NULL, '', 21, '', 21);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (10, '02714f5f0d03', 22, 'ruled_out', 'oven 7', '', '', '', '', 'the fan is dirty', 'agent', '', NULL, '', 22, '', 22);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (11, '02714f5f0d03', 28, 'value', 'oven 7', '1', 'kp', '9', '', '', 'tool', 'new.log', 7, '2026-02-19 23:54:44', 28, '2026-02-19 23:54:44', 28);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (14, '40cf899b2999', 35, 'constraint', 'oven 7', '', '', '', '', 'Do not restart it before Friday.', 'user', '', NULL, '', 35, '', 35);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (15, '40cf899b2999', 37, 'value', 'oven 7', '', 'kp', '0.12', '', '', 'user', '', NULL, '', 37, '', 37);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (16, '40cf899b2999', 38, 'ruled_out', 'oven 7', '', '', '', '', 'the fan is dirty', 'agent', '', NULL, '', 38, '', 38);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (18, '40cf899b2999', 48, 'value', 'oven 7', '1', 'kp', '7', '', '', 'tool', 'old.log', 7, '2026-02-12 10:00:00', 48, '2026-02-12 10:00:00', 48);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (19, 'a78fa4dec34b', 50, 'value', 'oven 7', '', 'kp', '0.09', '', '', 'tool', 'run.log', NULL, '', 50, '', 50);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (21, 'a78fa4dec34b', 53, 'value', 'oven 7', '', 'kp', '0.12', '', '', 'user', '', NULL, '', 53, '', 53);
INSERT INTO facts (id, conversation_id, message_id, kind, device, channel, parameter, value, unit, said, source, log, line, clock, since, dated, age) VALUES (22, 'a78fa4dec34b', 54, 'ruled_out', 'oven 7', '', '', '', '', 'the fan is dirty', 'agent', '', NULL, '', 54, '', 54);
UPDATE sqlite_sequence SET seq = 34 WHERE name = 'state_items';
UPDATE sqlite_sequence SET seq = 1 WHERE name = 'prompts';
UPDATE sqlite_sequence SET seq = 4 WHERE name = 'nicknames';
UPDATE sqlite_sequence SET seq = 1 WHERE name = 'panels';
UPDATE sqlite_sequence SET seq = 0 WHERE name = 'panel_steps';
UPDATE sqlite_sequence SET seq = 1 WHERE name = 'conclusions';
UPDATE sqlite_sequence SET seq = 22 WHERE name = 'facts';
UPDATE sqlite_sequence SET seq = 60 WHERE name = 'messages';
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE UNIQUE INDEX one_live_run_per_conversation ON runs (conversation_id) WHERE status = 'running';
CREATE INDEX runs_of ON runs (conversation_id, started_at);
CREATE INDEX artifacts_of ON artifacts (conversation_id, message_id);
CREATE INDEX artifacts_of_message ON artifacts (message_id);
CREATE INDEX artifacts_of_run ON artifacts (run_id);
CREATE TRIGGER message_terms_forgotten AFTER DELETE ON messages BEGIN DELETE FROM message_terms WHERE rowid = old.id; END;
CREATE INDEX permissions_of ON permissions (conversation_id, id);
CREATE INDEX documents_of ON documents (conversation_id);
CREATE INDEX revisions_of ON revisions (conversation_id, id);
CREATE INDEX summary_jobs_of ON summary_jobs (conversation_id, asked_at);
CREATE UNIQUE INDEX one_summary_job_per_conversation ON summary_jobs (conversation_id) WHERE status IN ('waiting', 'running');
CREATE TRIGGER notes_forgotten AFTER DELETE ON conversations BEGIN DELETE FROM notes WHERE scope = old.id; END;
CREATE INDEX messages_in_order ON messages (conversation_id, id, role);
CREATE INDEX state_items_of ON state_items (conversation_id, device);
CREATE INDEX state_items_of_message ON state_items (message_id);
CREATE TRIGGER item_terms_forgotten AFTER DELETE ON state_items BEGIN DELETE FROM item_terms WHERE rowid = old.id; END;
CREATE INDEX state_items_of_device ON state_items (device, field);
CREATE INDEX prompts_of ON prompts (conversation_id, id);
CREATE INDEX prompts_of_message ON prompts (message_id);
CREATE INDEX nicknames_of ON nicknames (conversation_id, message_id);
CREATE INDEX nicknames_of_message ON nicknames (message_id);
CREATE INDEX panels_of ON panels (conversation_id, id);
CREATE INDEX conclusions_of ON conclusions (device, fault);
CREATE TRIGGER conclusions_forgotten AFTER DELETE ON conclusions BEGIN DELETE FROM conclusion_terms WHERE rowid = old.id; END;
CREATE INDEX deleted_rows_of ON deleted_rows (revision_id);
CREATE INDEX facts_of ON facts (conversation_id, message_id);
CREATE INDEX facts_of_message ON facts (message_id);
CREATE INDEX facts_by_key ON facts (conversation_id, kind, device, channel, parameter, age);
CREATE INDEX facts_by_date ON facts (conversation_id, kind, device, channel, parameter, dated) WHERE dated > '';
CREATE TRIGGER facts_read AFTER INSERT ON facts WHEN new.dated > '' BEGIN UPDATE facts SET age = min(since, ifnull((SELECT min(message_id) FROM facts AS later WHERE conversation_id = facts.conversation_id AND kind = 'value' AND device = facts.device AND channel = facts.channel AND parameter = facts.parameter AND later.dated > facts.dated), since)) WHERE id = new.id; UPDATE facts SET age = min(since, ifnull((SELECT min(message_id) FROM facts AS later WHERE conversation_id = facts.conversation_id AND kind = 'value' AND device = facts.device AND channel = facts.channel AND parameter = facts.parameter AND later.dated > facts.dated), since)) WHERE conversation_id = new.conversation_id AND kind = 'value' AND device = new.device AND channel = new.channel AND parameter = new.parameter AND age > new.message_id AND dated > '' AND dated < new.dated; END;
CREATE TRIGGER facts_unread AFTER DELETE ON facts WHEN old.dated > '' BEGIN UPDATE facts SET age = min(since, ifnull((SELECT min(message_id) FROM facts AS later WHERE conversation_id = facts.conversation_id AND kind = 'value' AND device = facts.device AND channel = facts.channel AND parameter = facts.parameter AND later.dated > facts.dated), since)) WHERE conversation_id = old.conversation_id AND kind = 'value' AND device = old.device AND channel = old.channel AND parameter = old.parameter AND age = old.message_id AND dated > '' AND dated < old.dated; END;
COMMIT;
