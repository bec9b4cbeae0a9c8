"""What a model is asked about a case: the program, the call, and the form of an answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.exe.inputs.schema import any_value, is_of, schema_of
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.running.spelling import normal
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.models import Message
from evalplus_lite.models.json_form import object_schema
from evalplus_lite.values.source import literal

PROMPT = """A Python {python} program follows, and a call that is made once, in a fresh process. \
Work out what comes of the call, without running it. Answer with one JSON object and nothing else:
- If it raises an exception, write the name of its class and its message under "error". \
KeyError('k') is written {{"error": {{"type": "KeyError", "message": "'k'"}}}}.
- If it returns a value, as most calls do, write that under "value", tuples and sets as lists. \
('ab', None) is written {{"value": ["ab", null]}}.
{forms}

<program>
{code}
</program>
<call>
{call}
</call>
Its arguments as JSON (tuples and sets are lists here): {arguments}
What comes of this call?"""
STATE_PROMPT = """Work out what this Python {python} program does, without running it.

<program>
{code}
</program>

It is called once, in a fresh process:
<call>
{call}
</call>
It is stopped just before this line (line {line} of the program) runs for the {hit}. time:
<line>
{text}
</line>
What do the local variables {variables} hold at that moment? Answer with one JSON object and \
nothing else, tuples and sets as lists. For variables n and names it could be:
{{"value": {{"n": 3, "names": ["ab", null]}}}}
{forms}
"""
_NUMBERED = """Work out what this Python {python} program does, without running it. Its \
lines are numbered.

<program>
{numbered}
</program>

It is called once, in a fresh process:
<call>
{call}
</call>
"""
NEXT_PROMPT = (
    _NUMBERED
    + """\
Line {line} is about to run for the {hit}. time. Which line of {name} runs next after it? Lines of \
other functions do not count; where it calls itself, those of that call do. Answer with one JSON \
object and nothing else, the number of the line or, where no further line of {name} runs, "end": \
{{"value": 12}} or {{"value": "end"}}.
"""
)
COVERAGE_PROMPT = (
    _NUMBERED
    + """\
Which of the lines {lines} of {name} run in this call, at least once? Answer with one JSON object \
and nothing else, true or false for each of them, in this order. For three lines it could be:
{{"value": [true, false, true]}}
"""
)
FORMS = """\
What JSON has no form for: bytes as text, a character a byte (b'a\\xff' is "a\\u00ff"); dates and \
times as text in ISO form ("2024-02-29T12:30:00"); time differences, decimals, fractions and paths \
as the text that str() gives; a member of an enumeration as class and name ("Color.RED"), of an \
IntEnum or an enumeration of text as its value; an object of a class of the program as an object \
of its public attributes, a named tuple as a list; "NaN", "Infinity" and "-Infinity"; complex \
numbers as [real, imaginary]; keys that are no text as the text of their JSON: \
{1: 'a', (2, None): 'b'} is {"1": "a", "[2, null]": "b"}. Equal numbers are alike: 2.0 is 2."""
INPUT_PROMPT = """A Python {python} program follows, and the value that a call of {name} gave, \
made once, in a fresh process. Find a call that gives exactly this value; any that does is right. \
Answer with one JSON object and nothing else, {{"call": "..."}}, where the dots stand for the call \
as Python source, with the value of each argument: {name}, and its arguments in parentheses.

<program>
{code}
</program>
<value>
{value}
</value>
What is the call?"""
RETRY = """That answer could not be read: {problem}
Answer again with one JSON object only, either {{"value": ...}} or \
{{"error": {{"type": "...", "message": "..."}}}}."""
INPUT_RETRY = """That answer could not be read: {problem}
Answer again with one JSON object only: {{"call": "..."}}."""

Asked = Literal["output", "input"]
"""What of a case is asked for: what comes of the call, or a call that the value comes of."""


_ERROR_SCHEMA = object_schema({"type": {"type": "string"}, "message": {"type": "string"}})


EXAMPLES = (
    ("def cut(text: str, size: int) -> str:\n    return text[:size] + '...'\n", "cut",
     Invocation(("sunflower", 3)), {"value": "sun..."}),
    ("def first(items: list[int]) -> int:\n    if not items:\n        raise ValueError('none')\n"
     "    return items[0]\n", "first", Invocation(([],)),
     {"error": {"type": "ValueError", "message": "none"}}),
    ("def is_even(number: int) -> bool:\n    return number % 2 == 0\n", "is_even",
     Invocation((7,)), {"value": False}),
)  # fmt: skip
"""Programs, calls and answers that small models may be shown first."""


def worked_examples(python: str, of: Asked = "output") -> list[Message]:
    """Return the examples as turns of a conversation, the same for every question."""
    turns: list[Message] = []
    for code, name, call, answer in EXAMPLES:
        task = MinedTask(f"example/{name}", code, name, (), {"python": python})
        case = TaskCase(call, CallResult("value", value=answer.get("value")))
        if of == "input" and "value" not in answer:
            continue
        said = {"call": call.written(name)} if of == "input" else answer
        turns.append(Message("user", question_of(task, of).text(task, case)))
        turns.append(Message("assistant", json.dumps(said)))
    return turns


def wording(of: Asked = "output") -> str:
    """Return a fingerprint of the prompts: answers to other words are other predictions."""
    prompts = (
        (PROMPT, STATE_PROMPT, NEXT_PROMPT, COVERAGE_PROMPT, FORMS, RETRY)
        if of == "output"
        else (INPUT_PROMPT, INPUT_RETRY)
    )
    text = "\n".join(prompts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Question:
    """A kind of question about a case: what is asked, and what an answer must look like.

    ``prompt`` is filled with what ``words`` gives; ``schema`` is that of an answer as JSON;
    ``retry`` asks again, with the ``problem`` of the answer that could not be read.
    """

    prompt: str
    words: Callable[[MinedTask, TaskCase], Mapping[str, object]]
    schema: Callable[[MinedTask], dict[str, Any]]
    retry: str = RETRY

    def text(self, task: MinedTask, case: TaskCase) -> str:
        """Return the message that asks."""
        common = {
            "python": str(task.facts.get("python", "3")),
            "name": task.entry_point,
            "code": task.code,
            "forms": FORMS,
        }
        return self.prompt.format_map({**common, **self.words(task, case)})


def _of_output(task: MinedTask, case: TaskCase) -> Mapping[str, object]:
    arguments = normal([list(case.call.args), dict(case.call.kwargs)])
    shown = json.dumps(arguments, ensure_ascii=False)
    return {
        "call": case.written(task.entry_point),
        "arguments": "as the call has them" if case.source else shown,
    }


def _of_input(_: MinedTask, case: TaskCase) -> Mapping[str, object]:
    return {"value": literal(case.answer.value, quote=repr)}


def _of_stop(task: MinedTask, case: TaskCase) -> Mapping[str, object]:
    stop = task.facts["breakpoint"]
    lines = enumerate(task.code.rstrip("\n").split("\n"), 1)
    return {
        "call": case.written(task.entry_point),
        "line": stop["line"],
        "text": stop["text"],
        "hit": stop["hit"],
        "variables": ", ".join(stop["variables"]),
        "numbered": "\n".join(f"{number:4} {line}".rstrip() for number, line in lines),
        "lines": ", ".join(map(str, task.facts.get("question", {}).get("lines", ()))),
    }


def _result_schema(task: MinedTask) -> dict[str, Any]:
    """Return what an answer may be: any value where some is not of the annotated type.

    No right answer may be forbidden; annotations are promises that some functions do not keep.
    """
    given = [normal(case.answer.value) for case in task.cases if case.answer.kind == "value"]
    if "signature" in task.facts and all(is_of(tree, task.signature.result) for tree in given):
        return _either(schema_of(task.signature.result))
    return _either(any_value(min(max([3, *map(_depth, given)]), DEEPEST)))


def _depth(tree: Any) -> int:
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else None
    return 0 if parts is None else 1 + max(map(_depth, parts), default=0)


DEEPEST = 6
"""Levels of lists and objects that a schema of any value takes: it doubles with each."""


def _either(value: dict[str, Any]) -> dict[str, Any]:
    kinds = {"value": value, "error": _ERROR_SCHEMA}
    return {"anyOf": [object_schema({name: body}) for name, body in kinds.items()]}


def _lines_schema(_: MinedTask) -> dict[str, Any]:
    return object_schema({"value": {"type": "array", "items": {"type": "boolean"}}})


QUESTIONS: Mapping[str, Question] = {
    "output": Question(PROMPT, _of_output, _result_schema),
    "input": Question(
        INPUT_PROMPT,
        _of_input,
        lambda _: object_schema({"call": {"type": "string"}}),
        retry=INPUT_RETRY,
    ),
    "state": Question(STATE_PROMPT, _of_stop, lambda _: _either(any_value())),
    "next": Question(
        NEXT_PROMPT,
        _of_stop,
        lambda _: object_schema({"value": {"anyOf": [{"type": "integer"}, {"const": "end"}]}}),
    ),
    "coverage": Question(COVERAGE_PROMPT, _of_stop, _lines_schema),
}
"""Every kind of question, by the name that a task's row has (``question``)."""


def question_of(task: MinedTask, of: Asked = "output") -> Question:
    """Return what is asked of a task's cases."""
    return QUESTIONS["input" if of == "input" else question_kind(task)]


def question_digest(task: MinedTask, case: TaskCase, of: Asked) -> str:
    """Return 16 hex digits that differ for other programs, inputs and questions, in all words."""
    given = case.answer.key if of == "input" else case.source or case.call.key
    within = [task.facts.get(name) for name in ("breakpoint", "question")]
    asked = json.dumps([of, task.code, task.entry_point, given, *within], sort_keys=True)
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def question_kind(task: MinedTask) -> str:
    """Return the kind of question that a task's row names; InputError for none that there is."""
    kind = task.facts.get("question", {}).get("kind")
    if kind is not None and kind not in QUESTIONS:
        raise InputError(
            f"{task.id}: no question of kind {kind!r}", remedy=one_of(str(kind), tuple(QUESTIONS))
        )
    return str(kind or "output")
