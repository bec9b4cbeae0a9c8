"""Requests to a server of the protocol, and the parts of its answers that are used."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from evalplus_lite.models import errors
from evalplus_lite.models.messages import Reply, Request

# Features of the protocol that a server supports, learned from its rejections.

# Not "function" alone: errors about a request's length may count the tokens "in the functions".
_TOOL_WORDS = re.compile(r"\btools?(_|\b)|function.call|\bstrict\b|jinja|invalid schema")
_SCHEMA_WORDS = ("response_format", "json_schema", "grammar", "invalid schema")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The features of the protocol that this server supports; narrowed by its rejections.

    A ``strict`` tool is called by name and held to its schema, a ``loose`` one is merely required.
    """

    tool: Literal["strict", "loose", "none"] = "strict"
    schema: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    seed: bool = True


def narrower(dialect: Dialect, request: Request, status: int, words: str) -> Dialect | None:
    """Return the dialect without the feature just rejected; None if it is not at fault."""
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


MAX_TEXT = 1 << 20  # characters an answer's text may have: more than any program, or token limit
MAX_REFUSAL = 2000  # characters that are kept of a refusal
MAX_WORD = 200  # characters that are kept of the name of a model, or of why it ended


def options(request: Request, dialect: Dialect) -> dict[str, Any]:
    """Return a request as the arguments of the library's ``create``."""
    found: dict[str, Any] = {"model": request.model}
    if request.temperature is not None:
        found["temperature"] = request.temperature
    if request.stop:
        found["stop"] = list(request.stop)
    if dialect.seed:
        found["seed"] = request.index
    if request.max_tokens is not None:
        limit = dialect.limit if request.prompt is None else "max_tokens"
        found[limit] = request.max_tokens
    if request.prompt is not None:
        return found | {"prompt": request.prompt}
    if request.schema is not None:
        found |= _form(request.tool, json.loads(request.schema), dialect)
    messages = [{"role": turn.role, "content": turn.content} for turn in request.messages]
    return found | {"messages": messages}


def _form(tool: str | None, schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return the fields that hold an answer to a schema, as far as the server supports them."""
    if tool is not None and dialect.tool != "none":
        function: dict[str, Any] = {"name": tool, "parameters": _object(schema)}
        choice: Any = "required"
        if dialect.tool == "strict":
            function["strict"] = _is_strict(schema)
            choice = {"type": "function", "function": {"name": tool}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    match dialect.schema:
        case "json_schema":
            body = {"name": "answer", "strict": True, "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": body}}
        case "json_object":
            return {"response_format": {"type": "json_object", "schema": schema}}
    return {}


def _object(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema as that of parameters: of one object, where it is of one of several."""
    members = schema.get("anyOf")
    if members is None:
        return schema
    properties = {
        name: body for each in members for name, body in each.get("properties", {}).items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _is_strict(schema: dict[str, Any]) -> bool:
    return list(schema.get("properties", ())) == schema.get("required")


def reply_of(answer: Any, request: Request, dialect: Dialect, *, url: str) -> Reply:
    """Return the reply in a server's answer, trusting none of its shape; else raise LLMError."""
    choices = getattr(answer, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise errors.no_answer(url, what=str(answer or "an empty body"))
    choice = choices[0]
    message = getattr(choice, "message", None)
    said = getattr(choice, "text", None)
    called = None
    if request.prompt is None:
        called = _called(message, request.tool)
        said = getattr(message, "content", None) if called is None else called
    if said is None and (message is None or request.prompt is not None):
        raise errors.no_answer(url, what="its choice has no text")
    refusal = getattr(message, "refusal", None)
    usage = getattr(answer, "usage", None)
    finish = _word(getattr(choice, "finish_reason", None)) or "stop"
    is_held = request.schema is not None and dialect.schema != "none"
    if request.tool is not None and dialect.tool != "none":
        is_held = called is not None
    return Reply(
        text=_text(said, url),
        finish="stop" if finish in ("tool_calls", "function_call") else finish,
        refusal=_text(refusal, url)[:MAX_REFUSAL] if refusal else None,
        prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
        completion_tokens=_count(getattr(usage, "completion_tokens", None)),
        model=_word(getattr(answer, "model", None)),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        structured=is_held,
    )


def _called(message: object, tool: str | None) -> str | None:
    """Return the arguments that the model called the tool with; None where it called none."""
    calls = getattr(message, "tool_calls", None)
    if tool is None or not isinstance(calls, list):
        return None
    for call in calls:
        function = getattr(call, "function", None)
        if getattr(function, "name", None) == tool:
            given = getattr(function, "arguments", None)
            # Some servers send the object itself, not its text.
            return json.dumps(given) if isinstance(given, dict) else cast("str | None", given)
    return None


def _text(said: object, url: str) -> str:
    """Return an answer's text, given whole or, as some servers do, in parts."""
    if isinstance(said, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in said]
        if all(isinstance(part, str) for part in parts):
            said = "".join(cast("list[str]", parts))
    if said is None:
        return ""
    if not isinstance(said, str):
        raise errors.no_answer(url, what=f"its text is of type {type(said).__name__}")
    if len(said) > MAX_TEXT:
        raise errors.LongAnswerError(
            f"{url} answered with {len(said)} characters, more than anybody asked for"
            " (allow fewer tokens)"
        )
    # Half a surrogate pair could not be sent back in a dialogue.
    return said.encode("utf-8", "replace").decode("utf-8")


def _count(value: object) -> int:
    """Return a server's count of tokens, 0 if it is not one."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


def _word(value: object) -> str:
    """Return a short text of the server, empty if it is something else."""
    return value[:MAX_WORD] if isinstance(value, str) else ""
