"""Test cases that a language model writes for a function, to a JSON schema of its types."""

from __future__ import annotations

import json
from typing import Any

from evalplus_lite.exe.inputs.case_form import CaseForm
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.models import ModelSource
from evalplus_lite.models.dialogue import Dialogue

COUNT = 20
"""Test cases that a model is asked for."""
TURNS = 2
"""Requests for a function: the second one quotes what was wrong with the answer to the first."""
MOST_QUOTED = 5
"""Faults that are quoted."""
MAX_TOKENS, TEMPERATURE = 4096, 0.8
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
    """Return the calls that a model writes, and what a task's row says of asking it.

    Raises LLMError if no other request would get a reply, either.
    """
    form = CaseForm(function.signature)
    schema = json.dumps(form.schema)
    talk = Dialogue(source=source, temperature=TEMPERATURE, max_tokens=MAX_TOKENS, schema=schema)
    text = PROMPT.format(code=function.code, count=COUNT, name=function.name, schema=schema)
    calls: dict[str, Invocation] = {}
    problems = 0
    for turn in range(TURNS):
        reply = talk.ask(text, index=turn)
        if reply is None:
            break
        cases = form.read(reply.text)
        calls |= {call.key: call for call in cases.calls}
        problems += len(cases.problems)
        if not cases.problems:
            break
        text = AGAIN.format(problems="\n".join(cases.problems[:MOST_QUOTED]))
    facts: dict[str, Any] = {"model": source.model, "written": len(calls), "problems": problems}
    if talk.problem:
        facts["failure"] = talk.problem[:200]
    facts |= {"prompt_tokens": talk.prompt_tokens, "completion_tokens": talk.completion_tokens}
    return list(calls.values()), facts
