"""Calls that a language model writes for a function, as lines of Python literals."""

from __future__ import annotations

import ast
from typing import Any

from evalplus_lite.errors import CodecError, LLMError
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.models import Message, ModelSource, Request
from evalplus_lite.models.errors import is_about_request
from evalplus_lite.values import codec

COUNT = 20
"""Calls that a model is asked for."""
MAX_TOKENS, TEMPERATURE = 2048, 0.8
LONGEST_ANSWER = 50_000
"""Characters of an answer that are read."""
PROMPT = """Here is a Python program:

```python
{code}
```

Write {count} calls of `{name}` as a user of this library would make them: realistic values of \
the kind that the program is for, small and large ones, so that together they take every branch. \
Let three of them raise an error that the program itself raises, if there is one. Answer with one \
call a line, whose arguments are all literals, and nothing else.
"""


def calls_of_model(
    function: MinedFunction, source: ModelSource
) -> tuple[list[Invocation], dict[str, Any]]:
    """Return the calls that a model writes, and what a task's row says of asking it.

    Raises LLMError if no other request would get a reply, either.
    """
    text = PROMPT.format(code=function.code, count=COUNT, name=function.name)
    request = Request(
        model=source.model,
        messages=(Message("user", text),),
        temperature=TEMPERATURE,
        max_tokens=MAX_TOKENS,
    )
    facts: dict[str, Any] = {"model": source.model}
    try:
        reply = source.ask(request, cut_off="keep")
    except LLMError as error:
        if not is_about_request(error):
            raise
        return [], {**facts, "failure": str(error)[:200]}
    calls = calls_in(reply.text[:LONGEST_ANSWER], function.name)
    facts |= {"prompt_tokens": reply.prompt_tokens, "completion_tokens": reply.completion_tokens}
    return calls, {**facts, "written": len(calls)}


def calls_in(text: str, name: str) -> list[Invocation]:
    """Return the calls of a function that stand on lines of their own, arguments all literals."""
    found: list[Invocation] = []
    for line in text.splitlines():
        start = line.find(f"{name}(")
        if start < 0:
            continue
        try:
            node = ast.parse(line[start:].rstrip(" ,;`"), mode="eval").body
            if isinstance(node, ast.Compare):  # as in ``f(1) == 2``
                node = node.left
            if not isinstance(node, ast.Call):
                continue
            args = tuple(ast.literal_eval(each) for each in node.args)
            named = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
            codec.dumps([list(args), named])
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, CodecError):
            continue
        found.append(Invocation(args, named))
    return found
