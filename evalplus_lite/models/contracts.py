"""Contracts from a language model: the inputs that a task's text allows.

The prompt shows the text, the reference and some inputs, and asks for a ``precondition``. An answer
is used if it accepts all of the task's own inputs; otherwise the problem is quoted back, at most
``FEEDBACK`` times. Nothing of an answer runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evalplus_lite.errors import ContractError
from evalplus_lite.models import ModelSource
from evalplus_lite.models.dialogue import Dialogue
from evalplus_lite.models.json_form import parameter_names, shorten
from evalplus_lite.programs.extraction.blocks import fenced
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Task, Value
from evalplus_lite.values.source import literal

FEEDBACK = 2
"""Maximum number of times that a problem is quoted back."""
EXAMPLES, LONGEST_EXAMPLE = 8, 600
"""Maximum number of inputs shown, and of characters of each."""
LONGEST = 20_000
"""Maximum characters of a contract."""
MAX_TOKENS = 4096

Refused: TypeAlias = Callable[[str, Sequence[tuple[Value, ...]]], Sequence[str | None]]
"""Returns for each input why a contract rejects it, None if it does not. Use a sandbox."""

PROMPT = """\
A programming task:

{text}

A right program for it:

```python
{reference}
```

Some inputs, as arguments:

{examples}

Write a Python function `precondition({names})` that raises AssertionError for every input that \
the task's text does not allow. Inputs made by mutation are filtered by it; then every program \
that follows the text must give the answer of the program above.

- Accept an input if every reasonable reading of the text gives the same answer, and reject it if \
two fair programmers could differ.
- Allow all that the text allows: empty and extreme values, negative numbers, duplicates, repeated \
blanks, errors that the text defines, unless it or its plain sense excludes them. Do not copy the \
shape of the inputs above.
- Where the text gives a format, assert it whole: `re.fullmatch`, ranges of fields, valid dates. \
Where it promises something about the input ("sorted", "no two overlap"), assert that.
- Assert types first, as deep as they go: "integers" are not bools, and floats are finite.
- Bound every number and length that the text leaves open, by what the task is plainly about: at \
most 1,000 where a program may count up to it, recurse or build something of that size, and a \
million elsewhere, unless the text or the inputs above go further.
- Leave out inputs whose answer depends on how floats are rounded.
- Use the standard library only. Return nothing, change no argument, raise nothing else.{more}

Answer with one ```python block that begins with a docstring of one line, which says what is \
allowed, and nothing else.
"""
MORE = {
    "script": "\n- `{names}` is the whole text that the program reads.",
    "sequence": "\n- Each argument is a list: a method's name and its arguments. The first has the "
    "name of the class, if its constructor takes arguments.",
}
"""What else the prompt says, by the kind of harness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractResult:
    """The contract that a model wrote for a task; empty, with the reason, if none is usable."""

    text: str = ""
    failure: str = ""


def llm_contract(task: Task, source: ModelSource, refused: Refused) -> ContractResult:
    """Return a model's contract for a task that accepts all of its base inputs.

    Raises LLMError if no other request would get a reply either.
    """
    talk = Dialogue(source=source, temperature=0.0, max_tokens=MAX_TOKENS)
    message, problem = _prompt(task), ""
    for _ in range(FEEDBACK + 1):
        reply = talk.ask(message)
        if reply is None:
            return ContractResult(failure=f"contract: {problem or talk.problem}")
        text = next(filter(_is_contract, [*fenced(reply.text), reply.text]), "").strip()
        if not text:
            problem = "no Python block with `precondition` that loads"
        else:
            inputs = [case.arguments for case in task.base]
            reasons = zip(inputs, refused(text + "\n", inputs), strict=True)
            wrong = [f"{shorten(list(each))}: {reason}" for each, reason in reasons if reason]
            if not wrong:
                return ContractResult(text=text + "\n")
            problem = f"it rejects an input of the task, {wrong[0]}"
        message = f"This contract cannot be used: {problem}.\n\nWrite the whole block again."
    return ContractResult(failure=f"contract: {problem}")


def _prompt(task: Task) -> str:
    kind = task.harness.kind
    arity = max((len(case.arguments) for case in task.base), default=1)
    names = "*calls" if kind == "sequence" else ", ".join(parameter_names(task, arity=arity))
    rows = (", ".join(map(literal, case.arguments)) for case in task.base)
    shown = sorted((row for row in rows if len(row) <= LONGEST_EXAMPLE), key=len)
    return PROMPT.format(
        text=task.prompt.strip(),
        reference=task.reference.strip(),
        examples="\n".join(shown[-EXAMPLES:]),
        names=names,
        more=MORE.get(kind, "").format(names=names),
    )


def _is_contract(text: str) -> bool:
    try:
        return len(text) <= LONGEST and parse(text).has_precondition
    except (ContractError, MemoryError, RecursionError):
        return False
