"""Test cases written by a language model, requested as a typed tool call.

The form is that of the EXecution-Eval paper (appendix A.2.1): ``{"test_cases": [{"args": ...,
"kwargs": ...}]}``, where both are objects from parameter name to value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.exe.inputs.call_space import OMITTED, call_of, whole_type
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.signatures import Parameter, Signature
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.models import ModelSource
from evalplus_lite.models.dialogue import Dialogue
from evalplus_lite.models.json_form import json_objects, object_schema
from evalplus_lite.types import Value
from evalplus_lite.values import codec

_SIMPLE: dict[str, tuple[str, tuple[type, ...]]] = {
    "none": ("null", (type(None),)), "bool": ("boolean", (bool,)), "int": ("integer", (int,)),
    "float": ("number", (float, int)), "str": ("string", (str,)), "bytes": ("string", (str,)),
    "date": ("string", (str,)), "datetime": ("string", (str,)),
}  # fmt: skip
_ARRAYS = {"tuple": tuple, "set": set, "frozenset": frozenset}
_ARRAY_KINDS = frozenset({*_ARRAYS, "list", "sequence", "iterable", "iterator", "collection"})

_ANYTHING = Type("union", tuple(map(Type, ("none", "bool", "int", "float", "str"))))


class MisfitError(ValueError):
    """A value does not have its type; the message says where and how."""


def schema_of(kind: Type) -> dict[str, Any]:
    """Return the JSON schema of a type's values; of any value for other types."""
    if kind.kind in _SIMPLE:
        return {"type": _SIMPLE[kind.kind][0]}
    inner = [schema_of(each) for each in kind.arguments]
    match kind.kind:
        case "literal" if all(isinstance(v, str | int | float | None) for v in kind.values):
            return {"enum": list(kind.values)}
        case "union":
            return {"anyOf": inner}
        case "dict" | "mapping":
            value = inner[1] if len(inner) == 2 else _any_value(1)
            return {"type": "object", "additionalProperties": value}
        case "tuple" if inner and not kind.variadic:
            kinds = [each for at, each in enumerate(inner) if each not in inner[:at]]
            items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
            return {"type": "array", "items": items, "minItems": len(inner), "maxItems": len(inner)}
        case "list" | "set" | "frozenset" | "tuple" | "sequence" | "iterable" | "iterator":
            return {"type": "array", "items": inner[0] if inner else _any_value(1)}
    return _any_value()


def _any_value(depth: int = 3) -> dict[str, Any]:
    """Return the schema of any value with at most ``depth`` levels of nesting.

    The forms are listed because some servers' grammars read ``{}`` as an empty object.
    """
    forms: list[dict[str, Any]] = [{"type": n} for n in ("null", "boolean", "number", "string")]
    if depth:
        inner = _any_value(depth - 1)
        forms.append({"type": "array", "items": inner})
        forms.append({"type": "object", "additionalProperties": inner})
    return {"anyOf": forms}


def read_value(tree: Any, kind: Type, where: str) -> Value:
    """Return a JSON tree as a value of a type; raise MisfitError if it has another type.

    Types are strict: true is not 1, and 1.5 is not an int. NaN and infinities are rejected.
    """
    if kind.kind in _SIMPLE:
        return _read_simple(tree, kind, where)
    match kind.kind:
        case "union":
            # Try float last: 1 is an int in int | float.
            for member in sorted(kind.arguments, key=lambda each: each.kind == "float"):
                with suppress(MisfitError):
                    return read_value(tree, member, where)
        case "literal":
            if any(type(tree) is type(value) and tree == value for value in kind.values):
                return tree
        case "dict" | "mapping":
            keys, values = kind.arguments if len(kind.arguments) == 2 else (Type("str"), _ANYTHING)
            if isinstance(tree, dict):
                return {
                    _read_key(key, keys, where): read_value(value, values, f"{where}.{key}")
                    for key, value in tree.items()
                }
        case name if name in _ARRAY_KINDS:
            if isinstance(tree, list):
                return _read_array(tree, kind, where)
        case _:
            return read_value(tree, _ANYTHING, where)
    raise MisfitError(f"{where}: {_shown(tree)} is not of type {kind}")


def _read_simple(tree: Any, kind: Type, where: str) -> Value:
    if type(tree) not in _SIMPLE[kind.kind][1]:
        raise MisfitError(f"{where}: {_shown(tree)} is not of type {kind}")
    try:
        match kind.kind:
            case "date":
                date.fromisoformat(tree)
            case "datetime":
                datetime.fromisoformat(tree)
            case "bytes":
                return tree.encode()
            case "float":
                tree = float(tree)
                if not math.isfinite(tree):
                    raise ValueError("it is not finite")
    except (ValueError, OverflowError) as error:
        raise MisfitError(f"{where}: {_shown(tree)} is not of type {kind}: {error}") from None
    return tree


def _read_key(key: str, kind: Type, where: str) -> Value:
    """Read a key, which JSON always writes as a string."""
    for member in kind.arguments if kind.kind == "union" else (kind,):
        is_plain = member.kind in ("int", "float", "bool", "none")
        with suppress(ValueError):
            return read_value(json.loads(key) if is_plain else key, member, where)
    raise MisfitError(f"{where}: the key {_shown(key)} is not of type {kind}")


def _read_array(tree: list[Any], kind: Type, where: str) -> Value:
    inner: Sequence[Type] = kind.arguments or (_ANYTHING,)
    if kind.kind != "tuple" or kind.variadic or not kind.arguments:
        inner = [inner[0]] * len(tree)
    if len(tree) != len(inner):
        raise MisfitError(f"{where}: {len(tree)} elements, not {len(inner)}")
    items = [read_value(item, inner[at], f"{where}.{at}") for at, item in enumerate(tree)]
    try:
        return _ARRAYS.get(kind.kind, list)(items)
    except TypeError:
        raise MisfitError(f"{where}: holds what cannot be in a set") from None


def _shown(tree: Any) -> str:
    text = repr(tree)
    return text if len(text) <= 80 else f"{text[:77]}..."


_LONGEST_ANSWER = 100_000
"""Maximum characters of an answer to read; the rest is ignored."""


class CaseForm:
    """The form of one function's test cases: ``{"test_cases": [{"args": ..., "kwargs": ...}]}``."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.positional = [p for p in signature.parameters if p.kind in ("positional", "varargs")]
        self.keyword = [p for p in signature.parameters if p.kind in ("keyword", "varkw")]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a whole answer."""
        arguments = (
            object_schema({p.name: _parameter_schema(p, word) for p in listed})
            for word, listed in (("Positional", self.positional), ("Keyword", self.keyword))
        )
        case = object_schema(dict(zip(("args", "kwargs"), arguments, strict=True)))
        return object_schema({"test_cases": {"type": "array", "items": case}})

    def read(self, text: str) -> tuple[list[Invocation], list[str]]:
        """Return the calls in a model's answer, and a sentence for each invalid case.

        If the answer is cut off or otherwise broken, its complete cases count.
        """
        text = text[:_LONGEST_ANSWER]
        found = list(json_objects(text))
        rows = [tree for tree in found if "args" in tree or "kwargs" in tree]
        lists = (tree["test_cases"] for tree in found if isinstance(tree.get("test_cases"), list))
        problems: list[str] = []
        if (listed := next(lists, None)) is not None:
            rows = listed
        elif not rows or ('"test_cases"' in text and not text.strip().startswith("[")):
            problems = ["The answer is no JSON object with a list 'test_cases', or is cut off."]
        calls: list[Invocation] = []
        for number, row in enumerate(rows):
            try:
                calls.append(self._call(row))
            except (ValueError, CodecError, RecursionError) as error:
                problems.append(f"Test case {number}: {str(error)[:300]}")
        return calls, problems

    def _call(self, row: Any) -> Invocation:
        if not isinstance(row, dict):
            raise MisfitError("a test case is an object with 'args' and 'kwargs'")
        args, kwargs = row.get("args"), row.get("kwargs") or {}
        if isinstance(args, list):  # the paper's own cases list their positional arguments
            if len(args) > len(self.positional):
                raise MisfitError(f"{len(args)} positional arguments, not {len(self.positional)}")
            args = {p.name: value for p, value in zip(self.positional, args, strict=False)}
        if not isinstance(args, dict) or not isinstance(kwargs, dict):
            raise MisfitError("'args' and 'kwargs' must both be objects")
        for given, listed in ((args, self.positional), (kwargs, self.keyword)):
            if unknown := given.keys() - {p.name for p in listed}:
                raise MisfitError(f"no parameter named {min(unknown)!r}")
            for p in listed:
                if p.is_required and p.name not in given:
                    raise MisfitError(f"the argument {p.name!r} is missing")
        names = [p.name for p in self.positional]
        absent = next((at for at, name in enumerate(names) if name not in args), len(names))
        if any(name in args for name in names[absent:]):
            raise MisfitError(f"argument {names[absent]!r} is missing, but a later one is given")
        empty: dict[str, Value] = {"varargs": [], "varkw": {}}
        said = {**args, **kwargs}
        values = [
            read_value(said[p.name], whole_type(p), p.name)
            if p.name in said
            else empty.get(p.kind, OMITTED)
            for p in self.signature.parameters
        ]
        call = call_of(self.signature, tuple(values))
        codec.dumps([*call.args, call.kwargs])
        return call


def _parameter_schema(parameter: Parameter, word: str) -> dict[str, Any]:
    often = {"varargs": ", any number of times", "varkw": ", under any names"}
    text = f"{word} argument {parameter.name!r} of type {parameter.type}"
    text += often.get(parameter.kind, "")
    return {**schema_of(whole_type(parameter)), "description": text}


COUNT = 20
"""Number of test cases to request from a model."""
TURNS = 2
"""Maximum number of requests for a function; the second quotes the problems of the first answer."""
MOST_QUOTED = 5
"""Maximum number of problems to quote."""
MAX_TOKENS, TEMPERATURE = 4096, 0.8
TOOL = "function_test_cases"
"""The tool that a model calls with its cases, as in the paper; without tools, it writes JSON."""
PROMPT = """Here is a Python program:

```python
{code}
```

Write {count} test cases for `{name}` as a user of this library would call it: realistic values of \
the kind that the program is for, small and large ones, so that together they take every branch. \
Let three of them raise an error that the program itself raises, if there is one. Answer with one \
JSON object {{"test_cases": [...]}} and nothing else. Each case is an object with "args" and \
"kwargs", each an object from parameter name to value, empty where there is none:

{schema}
"""
AGAIN = """These are no test cases of that form:

{problems}

Write them again, and all others that are still missing, as one JSON object.
"""


def calls_of_model(
    function: MinedFunction, source: ModelSource
) -> tuple[list[Invocation], dict[str, Any]]:
    """Return the calls that a model writes, and the facts about its requests for a task's row.

    Raise LLMError if further requests would fail too.
    """
    form = CaseForm(function.signature)
    schema = json.dumps(form.schema)
    talk = Dialogue(
        source=source, temperature=TEMPERATURE, max_tokens=MAX_TOKENS, schema=schema, tool=TOOL
    )
    text = PROMPT.format(code=function.code, count=COUNT, name=function.name, schema=schema)
    calls: dict[str, Invocation] = {}
    problems = 0
    for turn in range(TURNS):
        reply = talk.ask(text, index=turn)
        if reply is None:
            break
        read, faults = form.read(reply.text)
        calls |= {call.key: call for call in read}
        problems += len(faults)
        if not faults:
            break
        text = AGAIN.format(problems="\n".join(faults[:MOST_QUOTED]))
    facts: dict[str, Any] = {"model": source.model, "written": len(calls), "problems": problems}
    if talk.problem:
        facts["failure"] = talk.problem[:200]
    facts |= {"prompt_tokens": talk.prompt_tokens, "completion_tokens": talk.completion_tokens}
    return list(calls.values()), facts
