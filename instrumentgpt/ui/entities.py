"""What the conversation knows by a ref, and what of it was saved: two lists in the sidebar."""

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.storage.artifacts import Document, documents_folder
from instrumentgpt.storage.entities import Entity, list_entities
from instrumentgpt.ui import composer, downloads, untrusted
from instrumentgpt.ui.artifacts import MIME
from instrumentgpt.ui.language import say

LABEL_CHARACTERS = 80
FLAGS = {
    "unsaved": ("orange", "unsaved"),
    "created": ("green", "created"),
    "read:full": ("blue", "read in full"),
    "read:summary": ("blue", "figures read"),
    "read": ("gray", "read"),
}
MODE = "investigate"


def draw(database: Database, conversation_id: str) -> None:
    """Draw the refs of the conversation and its documents; nothing where there are none."""
    entities = list_entities(database, conversation_id)
    if entities:
        label = f"{say('Refs')} · {len(entities)}"
        with st.expander(label, icon=":material/tag:", key="refs", on_change="rerun") as refs:
            if refs.open:
                _draw_refs(entities)
    documents = db.list_documents(database, conversation_id)
    if documents:
        label = f"{say('Documents')} · {len(documents)}"
        with st.expander(label, icon=":material/folder:", key="documents", on_change="rerun") as listing:
            if listing.open:
                _draw_documents(database, documents)


def _draw_refs(entities: list[Entity]) -> None:
    """Draw a line per thing, generated ones first; what is unsaved can be saved."""
    st.caption(say("What a question can name: “compare log_1 with log_2”."))
    for entity in sorted(entities, key=lambda entity: not entity.generated):
        flag = f" :{FLAGS[entity.flag][0]}-badge[{say(FLAGS[entity.flag][1])}]" if entity.flag else ""
        retained = f"  \n:material/keep: {untrusted.label(entity.retained)}" if entity.retained else ""
        st.markdown(f"`{entity.ref}` {untrusted.label(entity.label, LABEL_CHARACTERS)}{flag}{retained}")
        if entity.flag == "unsaved":
            words = say("Save {ref}", ref=entity.ref)
            composer.draw_ask(words, words, f"save-{entity.ref}", MODE, icon=":material/save:")


def _draw_documents(database: Database, documents: list[Document]) -> None:
    folder = documents_folder(database)
    for document in documents:
        path = folder / document.file
        title = untrusted.label(document.title, LABEL_CHARACTERS)
        if not path.exists():
            text = say("{title}: the file {file} is gone.", title=title, file=untrusted.label(document.file))
            st.caption(f":material/draft: {text}")
            continue
        help, key = f"{document.ref} · {untrusted.label(str(path), 200)}", f"document-{document.id}"
        kind = MIME[document.kind]
        downloads.draw(title, path.read_bytes, document.file, kind, key, help=help, width="stretch")
