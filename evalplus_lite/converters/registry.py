"""The forms that results can be converted to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evalplus_lite.converters.junit import write_junit
from evalplus_lite.converters.parquet import write_parquet
from evalplus_lite.converters.tables import write_csv, write_jsonl
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.outputs.evaluation import Evaluation, read_evaluations
from evalplus_lite.outputs.rows import Paths

Writer = Callable[[Sequence[Evaluation], Path], int]
FORMS: Mapping[str, Writer] = {
    "junit": write_junit,
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
}
ENDINGS = {".xml": "junit", ".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
"""What the name of a file says of its form."""


def convert(paths: Paths, out: str | os.PathLike[str], *, form: str | None = None) -> int:
    """Write the results of ``evaluate`` in one or several folders to a file that others read.

        convert("out/my-model", "results.xml")

    ``form`` is ``junit``, ``csv``, ``jsonl`` or ``parquet``, and is otherwise told by the file's
    name: ``.xml``, ``.csv``, ``.jsonl``, ``.parquet``. All but JUnit's XML have the columns of
    ``RESULT_COLUMNS``, a row a sample. Memory does not grow with the number of samples, and equal
    results make equal bytes. Returns the number of samples.

    Raises InputError for a path without results, an unknown form, a file that cannot be written,
    and without pyarrow for Parquet; InfrastructureError where the disk is full.
    """
    path = Path(out)
    chosen = ENDINGS.get(path.suffix.lower(), "") if form is None else form
    if chosen not in FORMS:
        if form is None:
            remedy = f"call it ...{', ...'.join(ENDINGS)}, or give --to {', '.join(FORMS)}"
            raise InputError("has a name that tells no form of results", path=path, remedy=remedy)
        raise InputError(f"there is no form {form!r}", remedy=one_of(form, FORMS))
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return FORMS[chosen](read_evaluations(given), path)
