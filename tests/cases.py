"""Many cases in one test: all of them are tried, and those that fail are told together.

`each` is for a rule that holds everywhere. `rated` is for wordings: its cases lie in tests/wordings/*.toml,
and a share of them has to be read rightly. A wording that is read wrongly is written down there all the same:
the figure falls a little and says so, and no rule is bent for a single sentence.
"""

import functools
import inspect
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

WORDINGS = Path(__file__).parent / "wordings"
SHARE = 0.95  # of the wordings of a table that have to be read as it says


def each(names: str, cases: Iterable[Any], share: float = 1.0) -> Callable[..., Callable[..., None]]:
    """Return a decorator as `pytest.mark.parametrize`, whose cases are all tried in the one test it makes."""
    keys, values = [name.strip() for name in names.split(",")], list(cases)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            failures = [error for case in values if (error := _failure(test, keys, case, fixtures))]
            assert values, "there are no cases"
            assert len(failures) <= (1 - share) * len(values), _told(failures, len(values), share)
            if failures:
                print(_told(failures, len(values), share))

        given = inspect.signature(test)
        rest = [parameter for name, parameter in given.parameters.items() if name not in keys]
        tried.__signature__ = given.replace(parameters=rest)  # type: ignore[attr-defined]
        return tried

    return decorate


def rated(table: str, share: float = SHARE) -> Callable[..., Callable[..., None]]:
    """Return a decorator that tries a test with the cases under its name in tests/wordings/`table`.toml."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        names = ", ".join(inspect.signature(test).parameters)
        return each(names, wordings(table)[test.__name__.removeprefix("test_")], share)(test)

    return decorate


@functools.cache
def wordings(table: str) -> dict[str, Any]:
    """Return the cases of tests/wordings/`table`.toml by the name of their test."""
    return tomllib.loads((WORDINGS / f"{table}.toml").read_text(encoding="utf-8"))


def _failure(
    test: Callable[..., None], keys: Sequence[str], case: Any, fixtures: dict[str, Any]
) -> str | None:
    values = (case,) if len(keys) == 1 else case
    try:
        test(**dict(zip(keys, values, strict=True)), **fixtures)
    except Exception as error:
        return f"{case!r}: {type(error).__name__}: {error}"
    return None


def _told(failures: list[str], count: int, share: float) -> str:
    right = count - len(failures)
    return f"{right} of {count} are right, at least {share:.0%} must be:\n" + "\n".join(failures)
