"""Where things are: this checkout, its documents, and the real data sets and samples."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MEASUREMENTS = DOCS / "measurements"
SHARED = Path(os.environ.get("EVALPLUS_LITE_SHARED", ROOT.parent / "shared"))
"""Real data sets, model samples, recorded verdicts and attacks, which are not in the checkout."""

DATASETS = {
    "humaneval": SHARED / "datasets" / "HumanEvalPlus.jsonl.gz",
    "mbpp": SHARED / "datasets" / "MbppPlus.jsonl.gz",
}
"""Published sets by the name of the folder that holds samples and verdicts on them."""


def unpacked(path: Path) -> bytes:
    """Return a file's content, unpacked if it is packed."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSONL file, plain or gzipped."""
    return [json.loads(line) for line in unpacked(path).splitlines()]


def result_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the verdicts that ``evaluate`` wrote to a folder."""
    return [row for row in read_rows(folder / "results.jsonl") if "task_id" in row]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as JSONL, and return the path."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def sample_files(family: str) -> Iterator[Path]:
    """Yield the sample files of ``humaneval`` or ``mbpp``, one a model, sorted."""
    yield from sorted((SHARED / "samples" / family).glob("*.jsonl.gz"))
