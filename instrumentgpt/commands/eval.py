"""`eval`: how well agents answer cases whose truth is known."""

import argparse
import sys
from textwrap import indent

from instrumentgpt import warm_server
from instrumentgpt.agents.warm import is_off
from instrumentgpt.commands.shared import WrongArguments, opened
from instrumentgpt.evals.cases import load, rated_cases
from instrumentgpt.evals.evaluation import ROWS, evaluate, tables
from instrumentgpt.evals.runner import known_agent


def run_eval(arguments: argparse.Namespace) -> int:
    """Print the tables, each failure with its answers beside them as it comes; return 0 whatever they say.

    Or, with --rated, the answers that people rated, as cases to be completed.
    """
    if arguments.rated:
        with opened() as database:
            print(rated_cases(database))
        return 0
    agents = [known_agent(name) for name in arguments.agent or ROWS]
    loaded = load(seeds=arguments.seeds)
    cases = [case for case in loaded if not arguments.kind or case.kind in arguments.kind][: arguments.limit]
    if not cases:
        kinds = ", ".join(dict.fromkeys(case.kind for case in loaded))
        raise WrongArguments(f"no case of kind {', '.join(arguments.kind)}. There are: {kinds}")
    if not is_off():
        warm_server.warm_up()  # programs of ours are forked from this one
    results = []
    for result in evaluate(cases, agents):
        results.append(result)
        failed = [f"{verdict.criterion}: {verdict.why}" for verdict in result.verdicts if not verdict.met]
        note = result.skipped or "; ".join(failed) or "passed"
        print(
            f"{result.agent} · {result.case.kind} · {result.case.name}: {note}", file=sys.stderr, flush=True
        )
        if failed and result.outcome:
            answers = "\n\n".join(answer.text for answer in result.outcome.answers)
            print(indent(answers, "    "), file=sys.stderr, flush=True)
    print(tables(results))
    return 0
