"""The evaluation as one HTML page: each case, what each agent answered, and what failed, side by side."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from instrumentgpt.evals.cases import Case
from instrumentgpt.evals.criteria import CRITERIA, description
from instrumentgpt.evals.tables import Result, tables


def page(results: Sequence[Result]) -> str:
    """Return the page on `results`: self-contained, its texts escaped; it forbids itself to load anything."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined
    )
    cases = list(dict.fromkeys(result.case.name for result in results))
    rows = [[result for result in results if result.case.name == name] for name in cases]
    return environment.get_template("page.html").render(
        tables=tables(results),
        rows=[(row[0].case, _expected(row[0].case), row) for row in rows],
        criteria=[(name, description(name)) for name in CRITERIA],
    )


def _expected(case: Case) -> list[tuple[str, str]]:
    """Return what a case asks for, each with its name; only what it says anything on."""
    texts = {
        "cause": " or ".join(case.cause),
        "beside it": ", ".join(case.also),
        "never": ", ".join(case.never),
        "says": ", ".join(pattern for turn in case.turns for pattern in turn.says),
        "does not say": ", ".join(pattern for turn in case.turns for pattern in turn.unsaid),
        "tools": ", ".join(case.tools),
        "not these tools": ", ".join(case.no_tools),
        "values": ", ".join(f"{name}: {value}" for name, value in case.values.items()),
        "constraints": ", ".join(case.constraints),
        "lifted": ", ".join(case.lifted),
        "ruled out": ", ".join(case.ruled_out),
        "canary": case.canary,
    }
    return [(name, text) for name, text in texts.items() if text]
