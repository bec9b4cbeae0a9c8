"""The form of the test cases that a model writes: a JSON schema by a function's types.

As in the EXecution-Eval paper (appendix A.2.1): ``{"test_cases": [{"args": ..., "kwargs": ...}]}``,
each an object from parameter name to value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.schemas import MisfitError, read_value, schema_of
from evalplus_lite.exe.selecting.signatures import Parameter, Signature
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.models.json_form import json_objects, object_schema
from evalplus_lite.types import Value
from evalplus_lite.values import codec

_LONGEST_ANSWER = 100_000
"""Characters of an answer that are looked at."""


@dataclass(frozen=True, slots=True)
class ReadCases:
    """The calls in an answer, and a sentence for each that is not one."""

    calls: list[Invocation]
    problems: list[str]


class CaseForm:
    """The form of one function's test cases: ``{"test_cases": [{"args": ..., "kwargs": ...}]}``."""

    def __init__(self, signature: Signature) -> None:
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

    def read(self, text: str) -> ReadCases:
        """Return the calls in a model's answer, and what is wrong with those that are none.

        Of an answer that is cut off, or broken elsewhere, the whole cases count.
        """
        rows, problems = self._rows(text[:_LONGEST_ANSWER])
        calls: list[Invocation] = []
        for number, row in enumerate(rows):
            try:
                calls.append(self._call(row))
            except (ValueError, CodecError, RecursionError) as error:
                problems.append(f"Test case {number}: {str(error)[:300]}")
        return ReadCases(calls, problems)

    def _rows(self, text: str) -> tuple[list[Any], list[str]]:
        found = list(json_objects(text))
        for tree in found:
            if isinstance(tree.get("test_cases"), list):
                return tree["test_cases"], []
        cases = [tree for tree in found if "args" in tree or "kwargs" in tree]
        if text.strip().startswith("[") and cases:
            return cases, []
        if '"test_cases"' in text or not cases:
            return cases, ["The answer is no JSON object with a list 'test_cases', or is cut off."]
        return cases, []

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
        listed_args: list[Value] = []
        left_out = ""
        for p in self.positional:
            if p.name not in args:
                left_out = left_out or p.name
            elif left_out:
                raise MisfitError(f"argument {left_out!r} is missing, but a later one is given")
            elif p.kind == "varargs":
                listed_args += read_value(args[p.name], Type("list", (p.type,)), p.name)
            else:
                listed_args.append(read_value(args[p.name], p.type, p.name))
        named: dict[str, Value] = {}
        for p in self.keyword:
            if p.kind == "varkw":
                more = Type("dict", (Type("str"), p.type))
                named |= read_value(kwargs.get(p.name, {}), more, p.name)
            elif p.name in kwargs:
                named[p.name] = read_value(kwargs[p.name], p.type, p.name)
        call = Invocation(tuple(listed_args), named)
        codec.dumps([*call.args, call.kwargs])
        return call


def _parameter_schema(parameter: Parameter, word: str) -> dict[str, Any]:
    text = f"{word} argument {parameter.name!r} of type {parameter.type}"
    schema = schema_of(parameter.type)
    if parameter.kind == "varargs":
        schema, text = {"type": "array", "items": schema}, f"{text}, any number of times"
    elif parameter.kind == "varkw":
        schema = {"type": "object", "additionalProperties": schema}
        text = f"{text}, under any names"
    return {**schema, "description": text}
