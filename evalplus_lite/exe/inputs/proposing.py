"""Types from a language model, for functions of which nothing else tells what they take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evalplus_lite.exe.inputs.validators import Executed
from evalplus_lite.exe.selecting.proposed import UNFIT, Check, Proposal, Question
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.exe.selecting.unannotated import Told
from evalplus_lite.models import ModelSource
from evalplus_lite.models.dialogue import Dialogue
from evalplus_lite.models.json_form import json_objects, object_schema

CYCLES = 3
"""Requests about one function at most."""
LONGEST_ANSWER = 20_000
"""Characters of an answer that are looked at."""
TOOL = "ParameterTypes"
MISUSED = frozenset({"TypeError", "AttributeError"})
"""What a function raises that is given what it was not made for."""
MOST_MISUSED = 0.5
"""The share of inputs that may end in such an error. Of annotated functions few come near."""

PROMPT = """Parameters of a Python function have no type annotations. Say what each takes.

The function is {name}, in this source:
<source>
{text}
</source>

Parameters without a type: {parameters}

Read what the code does with each of them, and write the narrowest annotation that all sensible \
calls meet:
- built-in types, with what is inside: str, int, float, bool, bytes, None, list[int], \
dict[str, list[str]], tuple[int, int], set[str]; `int | str` where several fit, \
Literal["a", "b"] where only some values do; of *args and **kwargs the type of one value;
- the name of a class of this module where an object of it is needed;
- "{unfit}" where only something else fits that cannot be written as data: a function, a file, a \
connection, an object of another library.

Answer with one JSON object {{"types": {{{shape}}}}} and nothing else.
"""

AGAIN = """Some of these types cannot be used:
{problems}

Write the whole JSON object again, with other types there, or "{unfit}" where none fits.
"""


TRIED = """
Other types were proposed before, and calls with values of these failed:
{trouble}

Propose types that the code can do something with.
"""
SHOWN, LONGEST_SHOWN = 3, 160
"""Calls that failed which are told, and characters of a call and of its error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeWriter:
    """A model that proposes types, and how it is asked: by a tool, or else by a JSON schema."""

    source: ModelSource
    temperature: float
    max_tokens: int
    tools: bool = False

    def ask(self, question: Question, check: Check, trouble: str = "") -> Proposal:
        """Return what the model proposes; what of it cannot be used it is told, and asked again.

        ``trouble``: what came of types that were proposed before. Raises LLMError if no other
        request would get a reply, either.
        """
        names = question.parameters
        schema = object_schema({"types": object_schema({n: {"type": "string"} for n in names})})
        talk = Dialogue(
            source=self.source,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            schema=json.dumps(schema),
            tool=TOOL if self.tools else None,
        )
        text = PROMPT.format(
            name=question.name,
            text=question.text,
            parameters=", ".join(names),
            shape=", ".join(f'"{name}": "..."' for name in names),
            unfit=UNFIT,
        )
        text += TRIED.format(trouble=trouble) if trouble else ""
        first = CYCLES if trouble else 0
        types: dict[str, Told] = {}
        problem = ""
        for cycle in range(CYCLES):
            reply = talk.ask(text, index=first + cycle)
            if reply is None:
                problem = talk.problem
                break
            types, problems = check(_read(reply.text))
            if not problems:
                break
            text = AGAIN.format(problems="\n".join(problems), unfit=UNFIT)
        return Proposal(
            types, talk.requests, talk.prompt_tokens, talk.completion_tokens, problem[:200]
        )


def _read(text: str) -> dict[str, Any]:
    """Return the types by parameter in an answer, whatever stands around them."""
    for tree in json_objects(text[:LONGEST_ANSWER]):
        inner = tree.get("types")
        return inner if isinstance(inner, dict) else tree
    return {}


def is_proposed(function: MinedFunction) -> bool:
    """Return whether a model told the type of one of a function's parameters."""
    return any(each.origin == "model" for each in function.signature.parameters)


def misused(executed: list[Executed]) -> float:
    """Return the share of answers that are errors of what was made for other values; 0 of none."""
    answers = [case for case in executed if case.answer.kind in ("value", "error")]
    return sum(map(_is_misuse, answers)) / len(answers) if answers else 0.0


def misuse(function: MinedFunction, executed: list[Executed]) -> str:
    """Return what is wrong with types that a model told of a function: types, calls and errors.

    Empty if nothing is, or no model told any.
    """
    told = [each for each in function.signature.parameters if each.origin == "model"]
    if not told or misused(executed) <= MOST_MISUSED:
        return ""
    shown = {case.answer.message: case for case in executed if _is_misuse(case)}
    lines = [", ".join(f"{each.name}: {each.type}" for each in told)]
    for case in list(shown.values())[:SHOWN]:
        error = f"{case.answer.type}: {case.answer.message}"
        lines.append(f"{case.call.key[:LONGEST_SHOWN]} -> {error[:LONGEST_SHOWN]}")
    return "\n".join(lines)


def _is_misuse(case: Executed) -> bool:
    return case.is_error and case.answer.type in MISUSED
