"""Which parts of the protocol a server supports, learnt from what it rejects."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from evalplus_lite.llm.messages import Request

# Not "function" alone: errors about a request's length may count the tokens "in the functions".
_TOOL_WORDS = re.compile(r"\btools?(_|\b)|function.call|\bstrict\b|jinja|invalid schema")
_SCHEMA_WORDS = ("response_format", "json_schema", "grammar", "invalid schema")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What this server supports of the protocol; narrowed as it rejects things.

    A ``strict`` tool is called by name and held to its schema, a ``loose`` one is merely required.
    """

    tool: Literal["strict", "loose", "none"] = "strict"
    schema: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    seed: bool = True


def narrower(dialect: Dialect, request: Request, status: int, words: str) -> Dialect | None:
    """Return the dialect without what the server just rejected; None if it is not at fault."""
    lower = words.lower()
    has_tool = request.tool is not None and dialect.tool != "none"
    if has_tool and status not in (401, 403, 429) and _TOOL_WORDS.search(lower):
        return replace(dialect, tool="loose" if dialect.tool == "strict" else "none")
    if status in (401, 403, 404, 429):
        return None
    names_schema = any(word in lower for word in _SCHEMA_WORDS)
    if names_schema and request.schema is not None and dialect.schema != "none":
        schema: Literal["json_object", "none"] = "none"
        if dialect.schema == "json_schema":
            schema = "json_object"
        return replace(dialect, schema=schema)
    if "max_completion_tokens" in lower and dialect.limit == "max_tokens":
        return replace(dialect, limit="max_completion_tokens")
    if "seed" in lower and dialect.seed:
        return replace(dialect, seed=False)
    return None
