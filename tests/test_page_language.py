"""The page speaks English and Traditional Chinese: its words go through `say`, and each has a translation."""

import ast
import re
import string
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from instrumentgpt.instruments.language import table
from instrumentgpt.settings import CHECKOUT
from instrumentgpt.ui.language import CHINESE

UI = CHECKOUT / "instrumentgpt" / "ui"
SOURCES = [CHECKOUT / "app.py", *sorted(UI.rglob("*.py"))]
BEFORE_THE_PAGE = {UI / "access.py", UI / "server.py"}  # who is let in, and what the terminal says
WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}|^\W*[A-Z][a-z]+\W*$")  # a sentence, or the name of a thing
MARKUP = re.compile(r":material/\w+:|:[\w-]+\[|<[^>]*>|[a-z-]+:\S[^;]*;")


def said_in(path: Path) -> set[str]:
    """Return every text that the module at `path` gives to `say`."""
    dotted = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__")
    source = path.read_text("utf-8")
    if not re.search(r"ui\.language import .*\bsay\b|language\.say", source):
        return set()
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    given = [call.args[0] for call in calls if getattr(call.func, "id", "") == "say"]
    return {text for node in given for one in values(node, dotted) for text in strings(one)}


def values(node: ast.expr, module: str) -> list[object]:
    """Return what the expression may be: a literal, or what a constant of the module holds."""
    match node:
        case ast.Constant():
            return [node.value]
        case ast.IfExp():
            return [*values(node.body, module), *values(node.orelse, module)]
        case ast.Name():
            return [getattr(import_module(module), node.id)]
        case ast.Attribute():
            return [getattr(one, node.attr) for one in values(node.value, module)]
        case ast.Subscript(slice=ast.Constant(value=int(place))):
            return [one[place] for one in values(node.value, module)]
        case ast.Subscript():
            return [each for one in values(node.value, module) for each in elements(one)]
        case ast.Call(func=ast.Attribute(attr="get")):
            others = [each for one in values(node.func.value, module) for each in elements(one)]
            return [*others, *(each for one in node.args[1:] for each in values(one, module))]
    raise AssertionError(f"{module}, line {node.lineno}: say() is given neither a literal nor a constant")


def elements(one: object) -> list[object]:
    return list(one.values()) if isinstance(one, dict) else list(one)


def strings(one: object) -> list[str]:
    if isinstance(one, str):
        return [] if not one or one.startswith(":material/") else [one]
    return [text for each in elements(one) for text in strings(each)] if isinstance(one, dict | tuple) else []


def unsaid_in(node: ast.AST) -> Iterator[str]:
    """Yield the texts below `node` but for docstrings, programs, two languages, and what `say` is given."""
    below = list(ast.iter_child_nodes(node))
    match node:
        case (
            ast.Expr(value=ast.Constant())
            | ast.Raise()
            | ast.Call(func=ast.Name(id="TypeVar"))
            | ast.Dict(keys=[ast.Constant(value="en"), ast.Constant(value="zh")])
        ):
            return
        case ast.Call(func=ast.Name(id="say")):
            below = node.keywords
        case ast.Dict():
            below = node.values
        case ast.Compare():
            below = []
        case ast.Constant(value=str(text)) if not text.startswith("\n"):
            yield text
        case ast.JoinedStr():
            yield "".join(one.value if isinstance(one, ast.Constant) else "…" for one in node.values)
            below = [one for one in node.values if isinstance(one, ast.FormattedValue)]
    for one in below:
        yield from unsaid_in(one)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_of_the_page_has_a_translation_and_none_is_unused():
    said = set().union(*map(said_in, SOURCES))
    assert said == table(CHINESE).keys()


def test_no_words_of_the_page_stay_english():
    said = set().union(*map(said_in, SOURCES))
    found = {
        f"{path.relative_to(UI.parent)}: {text}"
        for path in sorted({*UI.rglob("*.py")} - BEFORE_THE_PAGE)
        for text in unsaid_in(ast.parse(path.read_text("utf-8")))
        if text not in said and WORDS.search(MARKUP.sub("", text))
    }
    assert not found


@pytest.mark.parametrize("english, chinese", table(CHINESE).items())
def test_a_translation_fills_in_the_same_fields(english, chinese):
    assert fields(english) == fields(chinese)
