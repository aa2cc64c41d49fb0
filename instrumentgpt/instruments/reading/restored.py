"""Dataclasses made again of what JSON keeps of them: their tuples, their arrays, their numbers as keys."""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache, partial
from itertools import cycle
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

Maker = Callable[[Any], Any]


def restored(kind: Any, kept: Any) -> Any:
    """Return the `kind` that was `kept`; TypeError, ValueError or AttributeError if it is none.

    >>> restored(Mapping[int, tuple[str, ...]], {"2": ["kp", "ki"]})
    {2: ('kp', 'ki')}
    """
    make = _maker(kind)
    return make(kept) if make else kept


@cache
def _maker(kind: Any) -> Maker | None:
    """Return what makes a `kind` of what JSON gives back; None if that is one already."""
    origin, parts = get_origin(kind), [part for part in get_args(kind) if part is not Ellipsis]
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind).items()
        return partial(_dataclass, kind, {name: make for name, hint in hints if (make := _maker(hint))})
    if origin is tuple:
        return lambda values: tuple(map(restored, cycle(parts), values))
    if origin in (dict, Mapping) and (parts[0] is not str or _maker(parts[1])):
        return lambda row: {parts[0](name): restored(parts[1], value) for name, value in row.items()}
    if origin is np.ndarray:
        return partial(np.array, dtype=float)
    if origin is UnionType and (make := next(filter(None, map(_maker, parts)), None)):
        return lambda value: None if value is None else make(value)
    return None


def _dataclass(kind: Maker, makers: Mapping[str, Maker], row: Mapping[str, Any]) -> Any:
    made = {name: make(row[name]) for name, make in makers.items() if name in row}
    return kind(**{**row, **made})
