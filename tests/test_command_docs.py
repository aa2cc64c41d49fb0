"""Everything that can be typed after `$` is described where people look for it."""

from cases import each

from instrumentgpt.instruments.language import table
from instrumentgpt.modes.commands.mode import HANDLERS
from instrumentgpt.modes.commands.table import (
    COMMANDS,
    ID_CHARACTERS,
    MOST_ROUNDS,
    SCOPES,
    TEXT_CHARACTERS,
    TEXTS,
    TYPES,
)
from instrumentgpt.settings import CHECKOUT

PAGE = (CHECKOUT / "docs" / "commands.md").read_text(encoding="utf-8")


@each("name", COMMANDS)
def test_every_command_is_described_with_its_arguments_and_in_help(name):
    assert f"| `{COMMANDS[name].usage(name)}` |" in PAGE
    assert {"en", "zh"} <= set(table(TEXTS)["commands"][name])


@each("word, chinese", [*TYPES.items(), *SCOPES.items()])
def test_every_type_and_scope_of_a_note_is_described_in_both_languages(word, chinese):
    assert f"`{word}`" in PAGE and chinese in PAGE
    assert (
        word in table(TEXTS)["commands"]["memorize"]["en"]
        and chinese in table(TEXTS)["commands"]["memorize"]["zh"]
    )


@each("name", HANDLERS)
def test_every_handler_is_in_the_table_of_what_follows_what(name):
    table = PAGE.split("| handler | what follows |")[1].split("\n\n")[0]
    assert f"`{name}`" in table


def test_the_limits_of_the_page_are_those_of_the_code():
    assert f"{ID_CHARACTERS} characters, a text {TEXT_CHARACTERS:,}" in PAGE
    assert f"After {MOST_ROUNDS} actions" in PAGE


@each("page", ["README.md", "docs/user-guide.md", "docs/memory.md", "docs/architecture.md"])
def test_the_page_on_commands_is_found_from(page):
    assert "commands.md)" in (CHECKOUT / page).read_text(encoding="utf-8")
