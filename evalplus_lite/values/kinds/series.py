"""pandas.Series: equal if values and index are; name and dtype count under ``strict``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.array import fitting
from evalplus_lite.values.kinds.kind import LIST, Kind, of_type, text

ANY = b"NTFilgyus[(<>{"


@dataclass(frozen=True, slots=True)
class PandasSeries:
    """A series: its values, the labels of its index, its name and its dtype."""

    data: list[Value]
    index: list[Value]
    name: Value
    dtype: str

    def __repr__(self) -> str:
        return f"Series({self.data!r}, {self.index!r}, {self.dtype!r}, {self.name!r})"


def _pack(value: Any) -> Any:
    import sys

    pandas = sys.modules["pandas"]
    missing = {id(pandas.NA), id(pandas.NaT)}
    data, index = (
        [None if id(each) in missing else each for each in part.tolist()]
        for part in (value, value.index)
    )
    return data, index, value.name, str(value.dtype)


def _unpack(parts: Any, find: Any) -> Any:
    import importlib

    pandas = importlib.import_module("pandas")
    data, index, name, dtype = parts
    return pandas.Series(data, pandas.Index(index) if index else None, dtype, name)


def make(data: Any, index: Any, name: Any, dtype: Any) -> PandasSeries:
    """Return the series of values, as many as the index has labels."""
    if len(of_type(data, list)) != len(of_type(index, list)):
        raise ValueError("as many labels as values were expected")
    return PandasSeries(data, index, name, text(dtype))


def relabelled(index: list[Value], size: int) -> list[Value]:
    """Return an index of another size; ValueError unless it just counts."""
    if len(index) == size:
        return index
    if index != list(range(len(index))):
        raise ValueError("labels that nobody gave")
    return list(range(size))


def _viewed(view: Any, like: PandasSeries) -> PandasSeries:
    fit = fitting(like.dtype)
    index = relabelled(like.index, len(view))
    return make([fit(each) for each in view], index, like.name, like.dtype)


KIND = Kind(
    name="series",
    type=PandasSeries,
    inside=("pandas.core.series.Series", "pandas.Series"),
    pack=_pack,
    unpack=_unpack,
    parts=lambda value: (value.data, value.index, value.name, value.dtype),
    make=make,
    forms=(LIST, LIST, ANY, b"u"),
    compared=2,
    typed=4,
    is_hashable=False,
    annotations=("Series",),
    view=lambda value: value.data,
    viewed=_viewed,
    examples=(
        PandasSeries([1, 2, 3], [0, 1, 2], None, "int64"),
        PandasSeries([1.5, -2.0], ["a", "b"], "price", "float64"),
        PandasSeries(["x", None], [0, 1], "name", "object"),
    ),
)
