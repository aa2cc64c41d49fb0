"""The tables, as ordered steps, each in the module of its area.

A step that has been released is never changed: write a new one, and add it to the end of STEPS.
"""

from sqlite_utils.migrations import Migrations

from instrumentgpt.storage.migrations.conversations import (
    artifacts_and_sessions,
    clocks_of_runs,
    conversations_and_messages,
    permission_to_browse,
    permissions,
    roles_in_order,
    runs_and_their_events,
    waiting_runs,
)
from instrumentgpt.storage.migrations.data_only import memory_is_data
from instrumentgpt.storage.migrations.deleted import deleted_turns, uploads_as_files
from instrumentgpt.storage.migrations.modes import (
    entities_of_conversations,
    modes_and_documents,
    panels_and_conclusions,
)
from instrumentgpt.storage.migrations.remembered import (
    facts_by_age,
    facts_of_messages,
    facts_of_older_logs,
    facts_with_their_line,
    likely_nicknames,
    nicknames_of_devices,
    notes_of_deleted_conversations,
    prompts_as_text,
    revisions_and_prompts,
    settings_and_notes,
    state_items_and_device_states,
)
from instrumentgpt.storage.migrations.searched import (
    messages_without_parts,
    parts_by_cue,
    parts_of_messages,
    parts_with_cues,
    recalled_messages,
    search_pruning_and_summaries,
)

STEPS = (
    conversations_and_messages,
    runs_and_their_events,
    artifacts_and_sessions,
    state_items_and_device_states,
    settings_and_notes,
    recalled_messages,
    permissions,
    waiting_runs,
    facts_of_messages,
    modes_and_documents,
    revisions_and_prompts,
    facts_with_their_line,
    search_pruning_and_summaries,
    facts_by_age,
    notes_of_deleted_conversations,
    entities_of_conversations,
    panels_and_conclusions,
    roles_in_order,
    prompts_as_text,
    nicknames_of_devices,
    parts_of_messages,
    parts_with_cues,
    messages_without_parts,
    parts_by_cue,
    likely_nicknames,
    facts_of_older_logs,
    deleted_turns,
    clocks_of_runs,
    permission_to_browse,
    uploads_as_files,
    memory_is_data,
)
MIGRATIONS = Migrations("instrumentgpt")
for _step in STEPS:
    MIGRATIONS()(_step)
