"""The form that a model's test cases must have, and reading them strictly.

Built with pydantic from the accepted types. Traps it knows: fixed tuples come out as
``prefixItems``, which servers with strict schemas refuse; a plain ``Iterable`` would be checked
only when read; lax mode turns ``true`` into 1; NaN would pass.
"""

from __future__ import annotations

import datetime
import json
import re
from typing import Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from evalplus_lite.errors import CodecError
from evalplus_lite.mining.running.runs import Invocation
from evalplus_lite.mining.selecting.annotations import Type
from evalplus_lite.mining.selecting.candidates import Parameter, Signature
from evalplus_lite.types import Value
from evalplus_lite.values import codec

_STRICT = ConfigDict(
    strict=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=False
)
_SIMPLE = {
    "none": type(None),
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "bytes": str,
    "date": datetime.date,
    "datetime": datetime.datetime,
}
_ANYTHING = Union[None, bool, int, float, str]  # noqa: UP007 - a runtime value


class CaseForm:
    """The schema of one function's test cases."""

    def __init__(self, signature: Signature) -> None:
        """Build the models FunctionTestCaseModel, TestCase, ArgsModel and KwargsModel."""
        self.positional = [p for p in signature.parameters if p.kind in ("positional", "varargs")]
        self.keyword = [p for p in signature.parameters if p.kind in ("keyword", "varkw")]
        self._types = {p.name: p for p in signature.parameters}
        self._case = create_model(
            "TestCase",
            __config__=_STRICT,
            args=(self._model("ArgsModel", self.positional), Field(description="Positional args.")),
            kwargs=(self._model("KwargsModel", self.keyword), Field(description="Keyword args.")),
        )
        self._whole = create_model(
            "FunctionTestCaseModel",
            __config__=_STRICT,
            test_cases=(list[self._case], Field(description="The test cases.")),  # type: ignore[name-defined]
        )

    def _model(self, name: str, parameters: list[Parameter]) -> type[BaseModel]:
        word = "Positional" if name == "ArgsModel" else "Keyword"
        fields: dict[str, Any] = {}
        for number, p in enumerate(parameters):
            text = f"{word} argument {p.name!r} of type {p.type}"
            kind = _python_type(p.type)
            if p.kind == "varargs":
                kind, text = list[kind], f"{text}, any number of times"  # type: ignore[valid-type]
            elif p.kind == "varkw":
                kind, text = dict[str, kind], f"{text}, under any names"  # type: ignore[valid-type]
            # pydantic refuses some parameter names (``_x``, ``model_``): an alias is what is shown.
            fields[f"p{number}"] = (kind, Field(alias=p.name, description=text))
        return create_model(name, __config__=_STRICT, **fields)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a whole answer, in the subset that strict servers take."""
        tree = _portable(self._whole.model_json_schema(by_alias=True))
        assert isinstance(tree, dict)
        return tree

    @property
    def tool(self) -> dict[str, Any]:
        """The schema as an OpenAI function-calling tool, the paper's form (A.2.1)."""
        return {
            "type": "function",
            "function": {
                "name": "FunctionTestCaseModel",
                "description": "Test cases for the function, every argument of its declared type",
                "parameters": self.schema,
            },
        }

    def read(self, text: str) -> Read:
        """Return the calls in a model's answer, and what is wrong with those that are none.

        Of an answer that was cut off, or is broken elsewhere, the whole cases count.
        """
        problems: list[str] = []
        rows: Any
        try:
            tree = json.loads(_json_part(text), parse_constant=_no_constant)
            rows = tree.get("test_cases") if isinstance(tree, dict) else tree
        except (ValueError, RecursionError) as error:
            problems.append(f"The answer is no JSON: {error}")
            rows = _whole_cases(text)
        if not isinstance(rows, list):
            return Read([], ["The answer has no list 'test_cases'."])
        calls: list[Invocation] = []
        for number, row in enumerate(rows):
            try:
                calls.append(self._call(row))
            except (ValidationError, CodecError, ValueError, TypeError) as error:
                problems.append(f"Test case {number}: {_words(error)}")
        return Read(calls, problems)

    def _call(self, row: Any) -> Invocation:
        if isinstance(row, dict) and isinstance(row.get("args"), list):
            # The paper's own cases list their positional arguments.
            names = [p.name for p in self.positional]
            row = {**row, "args": dict(zip(names, row["args"], strict=False))}
        if isinstance(row, dict) and isinstance(row.get("args"), dict):
            given = row["args"]
            optional = [p.name for p in self.positional if not p.is_required]
            missing = [name for name in optional if name not in given]
            absent = [p.name for p in self.keyword if not p.is_required]
            row = self._without(row, missing, absent)
        else:
            raise ValueError("'args' and 'kwargs' must both be objects")
        checked = row.pop("checked")
        args: list[Value] = []
        for p in self.positional:
            if p.name not in checked["args"]:
                break
            value = checked["args"][p.name]
            if p.kind == "varargs":
                args += [_plain(v, p.type) for v in value]
            else:
                args.append(_plain(value, p.type))
        kwargs: dict[str, Value] = {}
        for p in self.keyword:
            if p.name in checked["kwargs"]:
                value = checked["kwargs"][p.name]
                if p.kind == "varkw":
                    kwargs.update({k: _plain(v, p.type) for k, v in value.items()})
                else:
                    kwargs[p.name] = _plain(value, p.type)
        call = Invocation(tuple(args), kwargs)
        codec.dumps([*call.args, call.kwargs])
        return call

    def _without(
        self, row: dict[str, Any], missing: list[str], absent: list[str]
    ) -> dict[str, Any]:
        """Validate with optional parameters left out, from the first one missing on."""
        names = [p.name for p in self.positional]
        cut = min((names.index(name) for name in missing), default=len(names))
        listed = self.positional[:cut]
        extra = set(row["args"]) - {p.name for p in listed}
        if extra & set(names):
            raise ValueError(f"argument {names[cut]!r} is missing, but a later one is given")
        kwargs = row.get("kwargs") or {}
        keyword = [p for p in self.keyword if p.name in kwargs or p.name not in absent]
        model = create_model(
            "TestCase",
            __config__=_STRICT,
            args=(self._model("ArgsModel", listed), ...),
            kwargs=(self._model("KwargsModel", keyword), ...),
        )
        text = json.dumps({"args": row["args"], "kwargs": kwargs})
        found: Any = model.model_validate_json(text)
        checked = {
            "args": {p.name: getattr(found.args, f"p{n}") for n, p in enumerate(listed)},
            "kwargs": {p.name: getattr(found.kwargs, f"p{n}") for n, p in enumerate(keyword)},
        }
        return {"checked": checked}


class Read:
    """What came out of an answer."""

    def __init__(self, calls: list[Invocation], problems: list[str]) -> None:
        """``calls`` that fit, and a sentence for each that did not."""
        self.calls, self.problems = calls, problems


def _python_type(kind: Type) -> Any:
    arguments = [_python_type(a) for a in kind.arguments]
    item: Any = arguments[0] if arguments else _ANYTHING
    match kind.kind:
        case "literal":
            return Literal[kind.values]
        case "union":
            return Union[tuple(arguments)]  # noqa: UP007 - a runtime value
        case "dict" | "mapping":
            key, value = arguments if len(arguments) == 2 else (str, _ANYTHING)
            return dict[key, value]  # type: ignore[valid-type]
        case "tuple" if arguments and not kind.variadic:
            return tuple[tuple(arguments)]  # type: ignore[misc]
        case "tuple":
            return tuple[item, ...]
        case "set":
            return set[item]
        case "frozenset":
            return frozenset[item]
        case "list" | "sequence" | "iterable" | "iterator" | "collection":
            return list[item]
        case _:
            return _SIMPLE.get(kind.kind, _ANYTHING)


def _plain(value: Any, kind: Type) -> Value:
    """Return a validated value as our plain data: dates as text, bytes from text."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if kind.kind == "bytes" and isinstance(value, str):
        return value.encode()
    if isinstance(value, list | tuple | set | frozenset):
        inner = kind.arguments if len(kind.arguments) == len(value) else kind.arguments[:1]
        first = inner[0] if inner else Type("any")
        kinds = (
            inner if len(inner) == len(value) and kind.kind == "tuple" else (first,) * len(value)
        )
        return type(value)(_plain(v, k) for v, k in zip(value, kinds, strict=True))
    if isinstance(value, dict):
        pair = kind.arguments if len(kind.arguments) == 2 else (Type("any"), Type("any"))
        return {_plain(k, pair[0]): _plain(v, pair[1]) for k, v in value.items()}
    return value


def _portable(tree: Any) -> Any:
    """Rewrite a schema without ``prefixItems``, with closed objects and no defaults."""
    if isinstance(tree, list):
        return [_portable(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    found = {key: _portable(item) for key, item in tree.items() if key not in ("default", "title")}
    if "prefixItems" in found:
        kinds = found.pop("prefixItems")
        distinct = [kind for at, kind in enumerate(kinds) if kind not in kinds[:at]]
        found["items"] = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
    if found.get("type") == "object" and "properties" in found:
        found["additionalProperties"] = False
        found["required"] = list(found["properties"])
    return found


def _json_part(text: str) -> str:
    """Return the JSON in an answer: all of it, what a code fence holds, or from its first brace."""
    fenced = re.search(r"```(?:json)?\s*\n(.*?)```", text, re.DOTALL)
    body = (fenced.group(1) if fenced else text).strip()
    start = min((at for at in (body.find("{"), body.find("[")) if at >= 0), default=0)
    end = max(body.rfind("}"), body.rfind("]"))
    return body[start : end + 1] if end >= start else body


def _whole_cases(text: str) -> list[Any]:
    """Return the objects with ``args`` that stand whole in a text."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    found: list[Any] = []
    end = 0
    for match in re.finditer(r'\{\s*"(?:kw)?args"', text[:100_000]):
        if match.start() < end:
            continue
        try:
            case, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        found.append(case)
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        parts = [
            f"{'.'.join(str(part) for part in issue['loc'])}: {issue['msg']}"
            for issue in error.errors(include_url=False)[:4]
        ]
        return "; ".join(parts)
    return str(error)[:300]
