"""The JSON Schema of what commands print and write."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from support.commands import ROOT

SCHEMA = json.loads((ROOT / "docs" / "schemas" / "outputs.schema.json").read_text("utf-8"))


def hold(value: Any, name: str) -> None:
    """Raise unless a value is as the schema's definition of that name says."""
    jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{name}"}).validate(value)
