"""What a model is asked about a case: the program, the call, and the form of an answer."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from evalplus_lite.llm import Message
from evalplus_lite.mining.asking.canonical import normal
from evalplus_lite.mining.inputs.schema import schema_of
from evalplus_lite.mining.running.runs import CallResult, Invocation
from evalplus_lite.mining.tasks.mined import MinedTask, TaskCase
from evalplus_lite.prompting.json_form import object_schema

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
FORMS = """\
What JSON has no form for: bytes as text, a character a byte (b'a\\xff' is "a\\u00ff"); dates and \
times as text in ISO form ("2024-02-29T12:30:00"); "NaN", "Infinity" and "-Infinity"; complex \
numbers as [real, imaginary]; keys that are no text as the text of their JSON: \
{1: 'a', (2, None): 'b'} is {"1": "a", "[2, null]": "b"}. Equal numbers are alike: 2.0 is 2."""
INPUT_PROMPT = """A Python {python} program follows, and the value that a call of {name} gave, \
made once, in a fresh process. Find a call that gives exactly this value; any that does is right. \
Answer with one JSON object and nothing else, the call as Python source under "call". \
{name}([1, 'ab'], key=None) is written {{"call": "{name}([1, 'ab'], key=None)"}}.

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


def answer_schema(task: MinedTask, of: Asked = "output") -> str:
    """Return the JSON schema of an answer: a value of the annotated result type, or an error; or a
    call."""
    if of == "input":
        return json.dumps(object_schema({"call": {"type": "string"}}))
    value: dict[str, Any] = {}
    if "signature" in task.facts and "breakpoint" not in task.facts:
        value = schema_of(task.signature.result)
    kinds = {"value": value, "error": _ERROR_SCHEMA}
    return json.dumps({"anyOf": [object_schema({name: body}) for name, body in kinds.items()]})


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
        turns.append(Message("user", prompt_for(task, case, of)))
        turns.append(Message("assistant", json.dumps(said)))
    return turns


def wording(of: Asked = "output") -> str:
    """Return a fingerprint of the prompts: answers to other words are other predictions."""
    prompts = (
        (PROMPT, STATE_PROMPT, FORMS, RETRY) if of == "output" else (INPUT_PROMPT, INPUT_RETRY)
    )
    text = "\n".join(prompts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def prompt_for(task: MinedTask, case: TaskCase, of: Asked = "output") -> str:
    """Return the message that asks for one case, or for the variables at its breakpoint."""
    if of == "input":
        return INPUT_PROMPT.format(
            python=str(task.facts.get("python", "3")),
            name=task.entry_point,
            code=task.code,
            value=repr(case.answer.value),
        )
    stop = task.facts.get("breakpoint")
    if stop is not None:
        return STATE_PROMPT.format(
            python=str(task.facts.get("python", "3")),
            code=task.code,
            call=case.written(task.entry_point),
            line=stop["line"],
            text=stop["text"],
            forms=FORMS,
            hit=stop["hit"],
            variables=", ".join(stop["variables"]),
        )
    arguments = normal([list(case.call.args), dict(case.call.kwargs)])
    shown = json.dumps(arguments, ensure_ascii=False)
    return PROMPT.format(
        python=str(task.facts.get("python", "3")),
        code=task.code,
        forms=FORMS,
        call=case.written(task.entry_point),
        arguments="as the call has them" if case.source else shown,
    )
