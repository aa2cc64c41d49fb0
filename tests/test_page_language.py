"""The page speaks English and Traditional Chinese: its words go through `say`, and each has a translation."""

import ast
import re
import string
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from instrumentgpt import errors
from instrumentgpt.agents.events import Failure, Tick
from instrumentgpt.agents.programs import agent_table
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import table
from instrumentgpt.settings import CHECKOUT
from instrumentgpt.ui.language import CHINESE

UI = CHECKOUT / "instrumentgpt" / "ui"
SOURCES = [CHECKOUT / "app.py", *sorted(UI.rglob("*.py"))]
BEFORE_THE_PAGE = {UI / "server.py"}  # who is let in, and what the terminal says
NOT_ON_THE_PAGE = {  # whose problems a terminal or an agent reads
    "commands": "*", "evals": "*", "modes/commands": "*", "agents/offline": "*", "analyst": "*", "ui": "*",
    "instruments/tools": "*", "instruments/charts": "*", "fleet": "scan.py",
    "instruments": ["advice.py", "conversation.py"], "modes": "contracts.py", ".": "mcp_*.py",
    "modes/panel": ["contracts.py", "prompts.py", "deliberation.py"],
}  # fmt: skip
WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}|^\W*[A-Z][a-z]+\W*$")  # a sentence, or the name of a thing
COMMAND = re.compile(r"（[^）]*install[^）]*）")
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


def problems_in(path: Path) -> Iterator[str]:
    """Yield the texts of the problems and failures that the module at `path` makes, each field as a 7."""
    module = import_module(".".join(path.relative_to(CHECKOUT).with_suffix("").parts))
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        made = getattr(module, call.func.id, None)
        is_problem = isinstance(made, type) and issubclass(made, InstrumentGPTError | Failure | Tick)
        for given in call.args if is_problem else []:
            if isinstance(given, ast.JoinedStr | ast.Constant):
                parts = given.values if isinstance(given, ast.JoinedStr) else [given]
                yield "".join(str(one.value) if isinstance(one, ast.Constant) else "7" for one in parts)


def test_every_problem_that_the_page_may_tell_has_a_translation_that_fills_in_the_same_fields():
    known, room = table(errors.CHINESE), CHECKOUT / "instrumentgpt"
    assert not [english for english, chinese in known.items() if fields(english) != fields(chinese)]
    others = {
        path
        for name, which in NOT_ON_THE_PAGE.items()
        for one in ([which] if isinstance(which, str) else which)
        for path in (room / name).glob(one)
    }
    paths = [path for path in room.rglob("*.py") if path not in others and not path.name.startswith("__")]
    made = {f"{path.name}: {text}" for path in paths for text in problems_in(path) if WORDS.search(text)}
    assert not {
        one for one in made if WORDS.search(COMMAND.sub("", errors.in_language(one.partition(": ")[2], "zh")))
    }
    told = [
        one[key]
        for agent in agent_table().values()
        for one in (agent, *agent.get("signs", ()))
        for key in ("remedy", "install")
        if key in one
    ]
    assert told and not [text for text in told if errors.in_language(text, "zh") == text]


def test_a_problem_is_told_in_chinese_with_what_it_names_as_it_is():
    english = "a.log: fits none of the 2 known formats (x, y) and is no table with known columns. "
    english += "Nearest is x: line 3 is “foo. Bar”: too short. See docs/add-a-log-format.md. Unknown: rest"
    assert errors.in_language(english, "zh") == (
        "a.log：不符合 2 種已知格式（x, y）中的任何一種，也不是欄位已知的表格。"
        "最接近的是 x：第 3 行為「foo. Bar」：too short。請參閱 docs/add-a-log-format.md。 Unknown: rest"
    )
    assert errors.in_language(english, "en") == english


def test_a_translation_fills_in_the_same_fields():
    assert not [english for english, chinese in table(CHINESE).items() if fields(english) != fields(chinese)]
