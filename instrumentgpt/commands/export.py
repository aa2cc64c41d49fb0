"""`python -m instrumentgpt export CONVERSATION`: all of a conversation as one zip file."""

import argparse
from contextlib import closing
from pathlib import Path

HELP = "writes a conversation with its charts, files, notes, saved documents and prompts as one zip"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments (docs/command-line.md)."""
    parser.add_argument("conversation", metavar="CONVERSATION", help="its id, as in the address: ?conv=ID")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the file to write")


def run(arguments: argparse.Namespace) -> int:
    """Write the zip and print its path; return 0."""
    import db
    from instrumentgpt.settings import database_path
    from instrumentgpt.storage.export import export_name, exported

    with closing(db.connect(database_path())) as database:
        content = exported(database, arguments.conversation)
        found = db.get_conversation(database, arguments.conversation)
    title = found.title if found else ""
    path = arguments.output or Path(export_name(title, arguments.conversation))
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)
    print(path)
    return 0
