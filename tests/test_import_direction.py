"""Arrows point down only: who may import whom (docs/architecture.md)."""

import ast
from functools import cache
from pathlib import Path

from cases import each

ROOT = Path(__file__).parents[1]
LAYERS = [  # lowest first; a module belongs to its longest prefix; equal numbers may import one another
    ("instrumentgpt.errors", 0),
    ("instrumentgpt.moments", 0),
    ("instrumentgpt.files", 0),
    ("instrumentgpt.memory", 1),
    ("instrumentgpt.storage", 1),
    ("instrumentgpt.agents.events", 1),
    ("memory", 2),
    ("db", 2),
    ("instrumentgpt.settings", 3),
    ("instrumentgpt.instruments", 4),
    ("instrumentgpt.analyst.words", 4),
    ("instrumentgpt.fleet", 4),
    ("instrumentgpt.handover", 4),
    ("cursor_cli", 5),
    ("instrumentgpt.agents", 5),
    ("instrumentgpt.analyst", 5),
    ("instrumentgpt.agents.registry", 6),
    ("instrumentgpt.turn", 6),
    ("instrumentgpt.turn.prompt", 6),
    ("instrumentgpt.turn.record", 6),
    ("instrumentgpt.pruning", 6),
    ("instrumentgpt.turn.entities", 6),
    ("instrumentgpt.turn.turn", 7),
    ("instrumentgpt.turn.request", 8),
    ("instrumentgpt.turn.ask", 8),
    ("instrumentgpt.modes", 9),
    ("instrumentgpt.turn.close", 10),
    ("instrumentgpt.turn.summary", 10),
    ("instrumentgpt.turn.rebuild", 10),
    ("instrumentgpt.turn.runs", 10),
    ("instrumentgpt.turn.process", 11),
    ("instrumentgpt.evals", 12),
    ("instrumentgpt.ui", 11),
    ("app", 12),
    ("instrumentgpt.__main__", 12),
    ("instrumentgpt.commands", 12),
    ("instrumentgpt.mcp_brief", 12),
    ("instrumentgpt.mcp_tools", 12),
    ("instrumentgpt.mcp_server", 12),
    ("instrumentgpt.warm_server", 12),
]
STREAMLIT = ("app", "instrumentgpt.ui")
SOURCES = [
    path
    for path in sorted([*ROOT.glob("*.py"), *ROOT.glob("instrumentgpt/**/*.py")])
    if path != ROOT / "instrumentgpt/__init__.py"
]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def layer(module: str) -> int | None:
    fitting = [(prefix, number) for prefix, number in LAYERS if f"{module}.".startswith(f"{prefix}.")]
    return max(fitting, key=lambda row: len(row[0]))[1] if fitting else None


@cache
def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names - {"instrumentgpt"}


@each("path", SOURCES)
def test_every_module_has_a_layer_and_imports_only_downwards(path):
    module = module_name(path)
    own = layer(module)
    assert own is not None, f"{module} is in no layer: add it to LAYERS and docs/architecture.md"
    for name in imported(path):
        below = layer(name)
        assert below is None or below <= own, f"{module} (layer {own}) imports {name} (layer {below})"


@each("path", SOURCES)
def test_only_the_page_knows_streamlit(path):
    if module_name(path).startswith(STREAMLIT):
        return
    assert not [name for name in imported(path) if name.split(".")[0] == "streamlit"]


@each("path", SOURCES)
def test_nothing_imports_bench_or_tests(path):
    assert not [name for name in imported(path) if name.split(".")[0] in ("bench", "tests")]
