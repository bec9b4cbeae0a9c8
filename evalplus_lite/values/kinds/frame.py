"""pandas.DataFrame: equal if columns, their values and the index are; dtypes under ``strict``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.array import fitting
from evalplus_lite.values.kinds.kind import LIST, Kind, of_type, text
from evalplus_lite.values.kinds.series import relabelled


@dataclass(frozen=True, slots=True)
class PandasFrame:
    """A data frame: the values of each column, the columns' labels, the index and the dtypes."""

    data: list[list[Value]]
    columns: list[Value]
    index: list[Value]
    dtypes: list[str]

    def __repr__(self) -> str:
        pairs = zip(self.columns, self.data, strict=True)
        body = ", ".join(f"{label!r}: {values!r}" for label, values in pairs)
        return f"DataFrame({{{body}}}, {self.index!r})"


def _pack(value: Any) -> Any:
    import sys

    pandas = sys.modules["pandas"]
    missing = {id(pandas.NA), id(pandas.NaT)}
    columns = [value.iloc[:, at] for at in range(value.shape[1])]
    data = [[None if id(each) in missing else each for each in one.tolist()] for one in columns]
    dtypes = [str(each.dtype) for each in columns]
    return data, value.columns.tolist(), value.index.tolist(), dtypes


def _unpack(parts: Any, find: Any) -> Any:
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


def make(data: Any, columns: Any, index: Any, dtypes: Any) -> PandasFrame:
    """Return the frame of columns of one length, each with its label and dtype."""
    if not len(of_type(data, list)) == len(of_type(columns, list)) == len(of_type(dtypes, list)):
        raise ValueError("as many labels and dtypes as columns were expected")
    if any(len(of_type(each, list)) != len(of_type(index, list)) for each in data):
        raise ValueError("as many values in each column as labels in the index were expected")
    return PandasFrame(data, columns, index, [text(each) for each in dtypes])


def _viewed(view: Any, like: PandasFrame) -> PandasFrame:
    columns = [list(each) for each in zip(*view, strict=True)] or [[] for _ in like.columns]
    fits = [fitting(dtype) for dtype in like.dtypes]
    data = [[fit(each) for each in column] for fit, column in zip(fits, columns, strict=True)]
    return make(data, like.columns, relabelled(like.index, len(view)), like.dtypes)


KIND = Kind(
    name="frame",
    type=PandasFrame,
    inside=("pandas.core.frame.DataFrame", "pandas.DataFrame"),
    pack=_pack,
    unpack=_unpack,
    parts=lambda value: (value.data, value.columns, value.index, value.dtypes),
    make=make,
    forms=(LIST, LIST, LIST, LIST),
    compared=3,
    typed=4,
    is_hashable=False,
    annotations=("DataFrame",),
    view=lambda value: [list(row) for row in zip(*value.data, strict=True)],
    viewed=_viewed,
    examples=(
        PandasFrame([[1, 2], ["a", "b"]], ["n", "s"], [0, 1], ["int64", "object"]),
        PandasFrame([[0.5]], ["x"], [0], ["float64"]),
        PandasFrame([[], []], ["n", "s"], [], ["int64", "object"]),
    ),
)
