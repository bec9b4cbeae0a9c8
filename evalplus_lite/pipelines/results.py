"""What jobs return: frozen records that are written as JSON, and read as rows by data frames."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.store import write_text


@dataclass(frozen=True, slots=True)
class Result:
    """What a job found; ``summary`` is what its JSON file and ``--json`` hold."""

    summary: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data (docs/schemas/outputs.schema.json)."""
        return dict(self.summary)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of its table, each a dict: what ``pandas.DataFrame`` takes."""
        raise NotImplementedError

    @property
    def unusable(self) -> list[dict[str, str]]:
        """The tasks that could not be used, with ``task_id``, ``cause`` and ``detail``."""
        return list(self.summary["unusable"])

    def write_summary(self, path: Path) -> None:
        """Write the summary to a file."""
        write_text(path, self.to_json_text())

    def to_json_text(self) -> str:
        """Return the summary as the text of a JSON file."""
        return json.dumps(self.to_json(), indent=2) + "\n"
