"""Arrays of numpy, and series and frames of pandas; neither must be installed here.

NumPy scalars are treated as the equal Python numbers.
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
"""Element types of arrays, by the start of the dtype; other arrays may have any elements."""


@dataclass(frozen=True, slots=True)
class NumpyArray:
    """An array: its elements (row by row), shape and dtype."""

    data: list[Value]
    shape: tuple[int, ...]
    dtype: str

    def __repr__(self) -> str:
        if not self.shape or not self.data:
            return f"array({self.data!r}, dtype={self.dtype!r}).reshape({self.shape!r})"
        return f"array({nested(self.data, self.shape)!r}, dtype={self.dtype!r})"


def _pack_array(value: Any) -> Any:
    import sys

    numpy = sys.modules["numpy"]
    kind = value.dtype.kind
    if kind not in "biufcSUMmO" or type(value).__name__ == "MaskedArray":
        return None
    return numpy.ndarray.ravel(value).tolist(), tuple(value.shape), str(value.dtype)


def _unpack_array(parts: Any, find: Any) -> Any:
    import importlib

    numpy = importlib.import_module("numpy")
    data, shape, dtype = parts
    if dtype == "object":  # else a list as an element would become a dimension
        made = numpy.empty(len(data), dtype)
        made[:] = data
    else:
        made = numpy.array(data, dtype)
    return made.reshape(shape)[()]


def make_array(data: Any, shape: Any, dtype: Any) -> NumpyArray:
    """Return an array; raise ValueError unless the elements fit the shape and the dtype."""
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
    """Return the elements as nested lists, one level for each dimension (at least one)."""
    for size in reversed(shape[1:]):
        data = [data[at : at + size] for at in range(0, len(data), size)]
    return data


def flat(tree: Any, dimensions: int) -> tuple[list[Value], tuple[int, ...]]:
    """Return the elements and shape of nested lists; raise ValueError if they are irregular."""
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
    """Return a function that converts a value to one that fits the dtype, where it can."""
    width = re.fullmatch(r"(u?)int(\d+)", dtype)
    if width is not None:
        bits = int(width.group(2))
        lowest = 0 if width.group(1) else -(2 ** (bits - 1))
        highest = lowest + 2**bits - 1
        return lambda value: max(lowest, min(int(value), highest))
    allowed = _held(dtype)
    return lambda value: allowed[0](value) if allowed and type(value) is not allowed[0] else value


def _written_array(value: NumpyArray) -> Value:
    if value.shape and value.data and "object" not in value.dtype:
        return [nested(value.data, value.shape), value.dtype]
    return [value.data, value.dtype, list(value.shape)]


def _read_array(body: Any) -> NumpyArray:
    if type(body) is not list or not 2 <= len(body) <= 3:
        raise TypeError("a list of elements and dtype was expected")
    if len(body) == 3:
        return make_array(body[0], tuple(of_type(body[2], list)), body[1])
    return make_array(*flat(body[0], _depth(body[0])), body[1])


def _viewed_array(view: Any, like: NumpyArray) -> NumpyArray:
    data, shape = flat(view, len(like.shape))
    fit = fitting(like.dtype)
    return make_array([fit(each) for each in data], shape, _wide(like.dtype, data))


def _wide(dtype: str, data: list[Value]) -> str:
    """Return the dtype, wide enough for strings."""
    if dtype[:2] not in ("<U", "|S"):
        return dtype
    return f"{dtype[:2]}{max([1, int(dtype[2:]), *map(len, data)])}"


ARRAY = Kind(
    name="array",
    type=NumpyArray,
    inside=("numpy.ndarray",),
    pack=_pack_array,
    unpack=_unpack_array,
    parts=lambda value: (value.data, value.shape, value.dtype),
    make=make_array,
    forms=(LIST, TUPLE, TEXT),
    compared=2,
    typed=3,
    is_hashable=False,
    written=_written_array,
    read=_read_array,
    annotations=("ndarray", "NDArray"),
    view=lambda value: nested(value.data, value.shape) if value.shape and value.data else [],
    viewed=_viewed_array,
    examples=(
        NumpyArray([1, 2, 3], (3,), "int64"),
        NumpyArray([1.5, -2.0], (2,), "float64"),
        NumpyArray([1, 0, 0, 1], (2, 2), "int64"),
        NumpyArray([], (0,), "float64"),
        NumpyArray([True, False], (2,), "bool"),
        NumpyArray(["a", "bc"], (2,), "<U2"),
    ),
)


ANY = b"NTFilgyus[(<>{"


@dataclass(frozen=True, slots=True)
class PandasSeries:
    """A series: its values, index labels, name and dtype."""

    data: list[Value]
    index: list[Value]
    name: Value
    dtype: str

    def __repr__(self) -> str:
        return f"Series({self.data!r}, {self.index!r}, {self.dtype!r}, {self.name!r})"


def _pack_series(value: Any) -> Any:
    import sys

    pandas = sys.modules["pandas"]
    missing = {id(pandas.NA), id(pandas.NaT)}
    data, index = (
        [None if id(each) in missing else each for each in part.tolist()]
        for part in (value, value.index)
    )
    return data, index, value.name, str(value.dtype)


def _unpack_series(parts: Any, find: Any) -> Any:
    import importlib

    pandas = importlib.import_module("pandas")
    data, index, name, dtype = parts
    return pandas.Series(data, pandas.Index(index) if index else None, dtype, name)


def make_series(data: Any, index: Any, name: Any, dtype: Any) -> PandasSeries:
    """Return a series; raise ValueError unless there is a label for each value."""
    if len(of_type(data, list)) != len(of_type(index, list)):
        raise ValueError("as many labels as values were expected")
    return PandasSeries(data, index, name, text(dtype))


def relabelled(index: list[Value], size: int) -> list[Value]:
    """Return a default index of another size; raise ValueError for any other index."""
    if len(index) == size:
        return index
    if index != list(range(len(index))):
        raise ValueError("labels that nobody gave")
    return list(range(size))


def _viewed_series(view: Any, like: PandasSeries) -> PandasSeries:
    fit = fitting(like.dtype)
    index = relabelled(like.index, len(view))
    return make_series([fit(each) for each in view], index, like.name, like.dtype)


SERIES = Kind(
    name="series",
    type=PandasSeries,
    inside=("pandas.core.series.Series", "pandas.Series"),
    pack=_pack_series,
    unpack=_unpack_series,
    parts=lambda value: (value.data, value.index, value.name, value.dtype),
    make=make_series,
    forms=(LIST, LIST, ANY, b"u"),
    compared=2,
    typed=4,
    is_hashable=False,
    annotations=("Series",),
    view=lambda value: value.data,
    viewed=_viewed_series,
    examples=(
        PandasSeries([1, 2, 3], [0, 1, 2], None, "int64"),
        PandasSeries([1.5, -2.0], ["a", "b"], "price", "float64"),
        PandasSeries(["x", None], [0, 1], "name", "object"),
    ),
)


@dataclass(frozen=True, slots=True)
class PandasFrame:
    """A data frame: values by column, column labels, index, and dtypes."""

    data: list[list[Value]]
    columns: list[Value]
    index: list[Value]
    dtypes: list[str]

    def __repr__(self) -> str:
        pairs = zip(self.columns, self.data, strict=True)
        body = ", ".join(f"{label!r}: {values!r}" for label, values in pairs)
        return f"DataFrame({{{body}}}, {self.index!r})"


def _pack_frame(value: Any) -> Any:
    import sys

    pandas = sys.modules["pandas"]
    missing = {id(pandas.NA), id(pandas.NaT)}
    columns = [value.iloc[:, at] for at in range(value.shape[1])]
    data = [[None if id(each) in missing else each for each in one.tolist()] for one in columns]
    dtypes = [str(each.dtype) for each in columns]
    return data, value.columns.tolist(), value.index.tolist(), dtypes


def _unpack_frame(parts: Any, find: Any) -> Any:
    import importlib

    pandas = importlib.import_module("pandas")
    data, labels, index, dtypes = parts
    columns = [pandas.Series(each, dtype=dtype) for each, dtype in zip(data, dtypes)]  # noqa: B905
    frame = pandas.concat(columns, axis=1) if columns else pandas.DataFrame(index=index)
    if columns:
        frame.columns = pandas.Index(labels)
        if index:
            frame.index = pandas.Index(index)
    return frame


def make_frame(data: Any, columns: Any, index: Any, dtypes: Any) -> PandasFrame:
    """Return a frame of columns with equal lengths, each with its label and dtype."""
    if not len(of_type(data, list)) == len(of_type(columns, list)) == len(of_type(dtypes, list)):
        raise ValueError("as many labels and dtypes as columns were expected")
    if any(len(of_type(each, list)) != len(of_type(index, list)) for each in data):
        raise ValueError("as many values in each column as labels in the index were expected")
    return PandasFrame(data, columns, index, [text(each) for each in dtypes])


def _viewed_frame(view: Any, like: PandasFrame) -> PandasFrame:
    columns = [list(each) for each in zip(*view, strict=True)] or [[] for _ in like.columns]
    fits = [fitting(dtype) for dtype in like.dtypes]
    data = [[fit(each) for each in column] for fit, column in zip(fits, columns, strict=True)]
    return make_frame(data, like.columns, relabelled(like.index, len(view)), like.dtypes)


FRAME = Kind(
    name="frame",
    type=PandasFrame,
    inside=("pandas.core.frame.DataFrame", "pandas.DataFrame"),
    pack=_pack_frame,
    unpack=_unpack_frame,
    parts=lambda value: (value.data, value.columns, value.index, value.dtypes),
    make=make_frame,
    forms=(LIST, LIST, LIST, LIST),
    compared=3,
    typed=4,
    is_hashable=False,
    annotations=("DataFrame",),
    view=lambda value: [list(row) for row in zip(*value.data, strict=True)],
    viewed=_viewed_frame,
    examples=(
        PandasFrame([[1, 2], ["a", "b"]], ["n", "s"], [0, 1], ["int64", "object"]),
        PandasFrame([[0.5]], ["x"], [0], ["float64"]),
        PandasFrame([[], []], ["n", "s"], [], ["int64", "object"]),
    ),
)
