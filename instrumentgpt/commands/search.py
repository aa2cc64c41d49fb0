"""`python -m instrumentgpt search WORDS`: what was asked, answered or found, in all conversations."""

import argparse
import json

import db
from instrumentgpt.commands.stored import opened, saved_inventory
from instrumentgpt.instruments.conversation import nicknamed_anywhere
from instrumentgpt.instruments.devices import spoken_names
from instrumentgpt.moments import moment


def run(arguments: argparse.Namespace) -> int:
    """Print the hits, the best first; return 0, or 1 if there is none."""
    with opened() as database:
        names = spoken_names(nicknamed_anywhere(database, saved_inventory()))
        hits = db.search(database, " ".join(arguments.words), names, max(1, arguments.limit))
    for hit in hits:
        print(_as_json(hit) if arguments.json else _as_text(hit))
    return 0 if hits else 1


def _as_json(hit: db.Hit) -> str:
    fields = {**vars(hit), "text": hit.text}
    return json.dumps({name: value for name, value in fields.items() if name != "pieces"}, ensure_ascii=False)


def _as_text(hit: db.Hit) -> str:
    when = moment(hit.created_at)
    device = f" · {hit.device}" if hit.device else ""
    title, text = (" ".join(words.split()) for words in (hit.title, hit.text))
    address = f"?conv={hit.conversation_id}" + (f"&msg={hit.message_id}" if hit.message_id else "")
    return f"{when}{device} · {hit.kind} · {title}\n    {text}\n    {address}"
