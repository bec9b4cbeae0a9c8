"""numpy.ndarray: equal to arrays of the same shape and elements, numbers of whatever width.

Numbers of numpy's are taken as the Python numbers that they equal; no numpy is needed here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import LIST, TEXT, TUPLE, Kind, of_type, text

MOST_DIMENSIONS = 16
_DTYPE = re.compile(
    r"bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128)|object|[<|=](U|S)\d{1,9}"
    r"|(datetime|timedelta)64(\[\w{1,5}\])?"
)
_HOLDS: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "uint": (int,),
    "float": (float,),
    "complex": (complex,),
    "<U": (str,),
    "|S": (bytes,),
}
"""What arrays hold, by the letters that a dtype begins with; others hold anything."""


@dataclass(frozen=True, slots=True)
class NumpyArray:
    """An array: its elements one after the other (row by row), its shape and its dtype."""

    data: list[Value]
    shape: tuple[int, ...]
    dtype: str

    def __repr__(self) -> str:
        if not self.shape or not self.data:
            return f"array({self.data!r}, dtype={self.dtype!r}).reshape({self.shape!r})"
        return f"array({nested(self.data, self.shape)!r}, dtype={self.dtype!r})"


def _pack(value: Any) -> Any:
    import sys

    numpy = sys.modules["numpy"]
    kind = value.dtype.kind
    if kind not in "biufcSUMmO" or type(value).__name__ == "MaskedArray":
        return None
    return numpy.ndarray.ravel(value).tolist(), tuple(value.shape), str(value.dtype)


def _unpack(parts: Any, find: Any) -> Any:
    import importlib

    numpy = importlib.import_module("numpy")
    data, shape, dtype = parts
    if dtype == "object":  # else a list within would become a dimension
        made = numpy.empty(len(data), dtype)
        made[:] = data
    else:
        made = numpy.array(data, dtype)
    return made.reshape(shape)[()]


def make(data: Any, shape: Any, dtype: Any) -> NumpyArray:
    """Return the array of these elements, as many as the shape says and of what the dtype holds."""
    if not _DTYPE.fullmatch(text(dtype)):
        raise ValueError("the name of a dtype was expected, such as 'int64'")
    for size in of_type(shape, tuple):
        if of_type(size, int) < 0:
            raise ValueError("a shape of sizes from 0 was expected")
    if len(shape) > MOST_DIMENSIONS or math.prod(shape) != len(of_type(data, list)):
        raise ValueError(f"{len(data)} elements are not of the shape given")
    allowed = _held(dtype)
    if allowed and not {*map(type, data)} <= {*allowed}:
        raise ValueError(f"an array of {dtype} holds {allowed[0].__name__} only")
    return NumpyArray(data, shape, dtype)


def _held(dtype: str) -> tuple[type, ...]:
    letters = re.match(r"[<|=]?[a-zA-Z]+", dtype)
    return _HOLDS.get(letters.group() if letters else "", ())


def nested(data: list[Value], shape: tuple[int, ...]) -> Any:
    """Return the elements as lists of lists, one level a dimension; there has to be one."""
    for size in reversed(shape[1:]):
        data = [data[at : at + size] for at in range(0, len(data), size)]
    return data


def flat(tree: Any, dimensions: int) -> tuple[list[Value], tuple[int, ...]]:
    """Return the elements of lists of lists, and their shape; ValueError if there is none."""
    shape: list[int] = []
    for _ in range(dimensions):
        of_type(tree, list)
        shape.append(len(tree) // (math.prod(shape) or 1) if shape else len(tree))
        if math.prod(shape) != len(tree):
            raise ValueError("rows of different lengths")
        if len(shape) < dimensions:
            if len({len(of_type(row, list)) for row in tree}) != 1:
                raise ValueError("rows of different lengths")
            tree = [each for row in tree for each in row]
    return tree, tuple(shape)


def _depth(tree: Any) -> int:
    depth = 0
    while type(tree) is list and depth < MOST_DIMENSIONS:
        depth, tree = depth + 1, tree[0] if tree else None
    return depth


def fitting(dtype: str) -> Callable[[Value], Value]:
    """Return what makes of a value one that an array of this dtype holds, if it can."""
    width = re.fullmatch(r"(u?)int(\d+)", dtype)
    if width is not None:
        bits = int(width.group(2))
        lowest = 0 if width.group(1) else -(2 ** (bits - 1))
        highest = lowest + 2**bits - 1
        return lambda value: max(lowest, min(int(value), highest))
    allowed = _held(dtype)
    return lambda value: allowed[0](value) if allowed and type(value) is not allowed[0] else value


def _written(value: NumpyArray) -> Value:
    if value.shape and value.data and "object" not in value.dtype:
        return [nested(value.data, value.shape), value.dtype]
    return [value.data, value.dtype, list(value.shape)]


def _read(body: Any) -> NumpyArray:
    if type(body) is not list or not 2 <= len(body) <= 3:
        raise TypeError("a list of elements and dtype was expected")
    if len(body) == 3:
        return make(body[0], tuple(of_type(body[2], list)), body[1])
    return make(*flat(body[0], _depth(body[0])), body[1])


def _viewed(view: Any, like: NumpyArray) -> NumpyArray:
    data, shape = flat(view, len(like.shape))
    fit = fitting(like.dtype)
    return make([fit(each) for each in data], shape, _wide(like.dtype, data))


def _wide(dtype: str, data: list[Value]) -> str:
    """Return the dtype, for strings one that is wide enough."""
    if dtype[:2] not in ("<U", "|S"):
        return dtype
    return f"{dtype[:2]}{max([1, int(dtype[2:]), *map(len, data)])}"


KIND = Kind(
    name="array",
    type=NumpyArray,
    inside=("numpy.ndarray",),
    pack=_pack,
    unpack=_unpack,
    parts=lambda value: (value.data, value.shape, value.dtype),
    make=make,
    forms=(LIST, TUPLE, TEXT),
    compared=2,
    typed=3,
    is_hashable=False,
    written=_written,
    read=_read,
    annotations=("ndarray", "NDArray"),
    view=lambda value: nested(value.data, value.shape) if value.shape and value.data else [],
    viewed=_viewed,
    examples=(
        NumpyArray([1, 2, 3], (3,), "int64"),
        NumpyArray([1.5, -2.0], (2,), "float64"),
        NumpyArray([1, 0, 0, 1], (2, 2), "int64"),
        NumpyArray([], (0,), "float64"),
        NumpyArray([True, False], (2,), "bool"),
        NumpyArray(["a", "bc"], (2,), "<U2"),
    ),
)
