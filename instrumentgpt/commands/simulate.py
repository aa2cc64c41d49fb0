"""`simulate`: logs of simulated instruments whose condition is known."""

import argparse
import sys

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.simulate import Scenario, demo_scenarios, write_demo, write_log
from instrumentgpt.settings import CHECKOUT


class UnknownScenario(InstrumentGPTError, LookupError):
    """A scenario that scenarios.toml does not have."""


def run(arguments: argparse.Namespace) -> int:
    """Write the logs and print their paths."""
    if arguments.list:
        for name, one in scenarios().items():
            print(f"{name}  {one.condition}")
        return 0
    if arguments.demo:
        if arguments.scenario or arguments.seed is not None:
            arguments.usage_error("--demo writes fixed logs: give it no SCENARIO and no --seed")
        for path in write_demo(arguments.output or CHECKOUT / "demo" / "logs"):
            print(path)
        return 0
    if not arguments.scenario or not arguments.output:
        arguments.usage_error("give SCENARIO and -o FILE, or --demo, or --list")
    try:
        print(write_log(arguments.output, chosen(arguments.scenario), arguments.seed))
    except OSError as problem:
        print(
            f"error: {arguments.output}: {problem.strerror}. Give a path that can be written", file=sys.stderr
        )
        return 1
    return 0


def scenarios() -> dict[str, Scenario]:
    """Return the scenarios by name: the device's folder and the number of its log, from 1."""
    named: dict[str, Scenario] = {}
    for one in demo_scenarios().values():
        folder = one.device.replace(" ", "_")
        named[f"{folder}/{sum(name.startswith(f'{folder}/') for name in named) + 1}"] = one
    return named


def chosen(name: str) -> Scenario:
    """Return the scenario called `name`."""
    named = scenarios()
    if name not in named:
        raise UnknownScenario(f"{name!r} is no scenario. Choose one of: {', '.join(named)}")
    return named[name]
