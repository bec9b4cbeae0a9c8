"""Types from a language model, for functions of which nothing else tells what they take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evalplus_lite.llm import ModelSource
from evalplus_lite.llm.dialogue import Dialogue
from evalplus_lite.mining.inputs.validators import Executed
from evalplus_lite.mining.selecting.proposed import UNFIT, Check, Proposal, Question
from evalplus_lite.mining.selecting.static import MinedFunction
from evalplus_lite.mining.selecting.unannotated import Told
from evalplus_lite.prompting.json_answer import json_objects
from evalplus_lite.prompting.json_form import object_schema

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeWriter:
    """A model that proposes types, and how it is asked: by a tool, or else by a JSON schema."""

    source: ModelSource
    temperature: float
    max_tokens: int
    tools: bool = False

    def ask(self, question: Question, check: Check) -> Proposal:
        """Return what the model proposes; what of it cannot be used it is told, and asked again.

        Raises LLMError if no other request would get a reply, either.
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
        types: dict[str, Told] = {}
        problem = ""
        for cycle in range(CYCLES):
            reply = talk.ask(text, index=cycle)
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
    """Return the share of answers that are errors of what was made for other values; 1 of none."""
    answers = [case.answer for case in executed if case.answer.kind in ("value", "error")]
    wrong = sum(each.kind == "error" and each.type in MISUSED for each in answers)
    return wrong / len(answers) if answers else 1.0
