"""No test of `make test` fails because the machine is slow: what holds its time against a bound is soak."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
CLOCK = re.compile(r"\b(?:monotonic|perf_counter|(?:\w+_)?time)\(\) - \w+\b[^<=>]*<|\b(pieces|least_times)\(")


def held_to_the_clock(source):
    """Return the names of the tests in `source` that hold a time against a bound and are not marked soak."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    tests = [ast.unparse(node) for node in functions if node.name.startswith("test_")]
    return [re.search(r"def (\w+)", test)[1] for test in tests if CLOCK.search(test) and ".soak" not in test]


def test_only_soak_tests_hold_a_time_against_a_bound():
    found = {path.name: held_to_the_clock(path.read_text("utf-8")) for path in TESTS.rglob("test_*.py")}
    assert {name: tests for name, tests in found.items() if tests} == {}


def test_a_bound_is_found():
    assert held_to_the_clock("def test_a():\n    assert time.monotonic() - began < 3") == ["test_a"]
    assert held_to_the_clock("@pytest.mark.soak\ndef test_a():\n    assert pieces(work) < 3") == []
