"""Contracts from a language model: the inputs that a task's text allows.

The prompt shows the text, the reference and some inputs, and asks for a ``precondition``. An answer
is used if it accepts the task's own inputs and rejects None in place of an argument; otherwise the
problem is quoted back, at most ``FEEDBACK`` times. Nothing of an answer runs here.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from evalplus_lite.errors import ContractError
from evalplus_lite.models import ModelSource, NotRecordedError, ServerError
from evalplus_lite.models.dialogue import Dialogue
from evalplus_lite.models.json_form import parameter_names
from evalplus_lite.models.messages import Reply
from evalplus_lite.programs import parsing
from evalplus_lite.programs.extraction.blocks import fenced
from evalplus_lite.programs.extraction.extraction import without_thinking
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Task, Value, clip
from evalplus_lite.values.source import literal

FEEDBACK = 2
"""Maximum number of times that a problem is quoted back."""
EXAMPLES, LONGEST_EXAMPLE = 8, 600
"""Maximum number of inputs shown, and of characters of each."""
CHECKED = 100
"""Maximum number of the task's own inputs that a contract is tried on."""
LONGEST = 20_000
"""Maximum characters of a contract."""
MAX_TOKENS = 8192

Reasons: TypeAlias = Sequence[tuple[str, bool] | None]
Refused: TypeAlias = Callable[[str, Sequence[tuple[Value, ...]]], Reasons]
"""Returns for each input None if a contract accepts it, otherwise the reason, and whether this is
no assertion of the contract but a fault. Use a sandbox."""

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
- Use the standard library only. Return nothing, change no argument, raise nothing else, and \
define no function `check`.{more}

Answer with one ```python block that begins with a docstring of one line, which says what is \
allowed, and nothing else.
"""
MORE = {
    "script": "\n- `{names}` is the whole text that the program reads.",
    "sequence": "\n- Each argument is a list: a method's name and its arguments. The first has the "
    "name of the class, if its constructor takes arguments.",
    "constructed": "\n- The first argument is the list of the constructor's arguments.",
}
"""What else the prompt says, by the kind of harness."""
WORDING = hashlib.sha256(repr((PROMPT, MORE, FEEDBACK)).encode()).hexdigest()[:12]
"""A fingerprint of the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractResult:
    """The contract that a model wrote for a task; empty, with the reason, if none is usable.

    ``is_broken``: the server failed.
    """

    text: str = ""
    failure: str = ""
    is_broken: bool = False


def is_open(task: Task) -> bool:
    """Return whether a model can be asked for a task's contract: it has none, and has inputs."""
    harness = task.harness
    return (
        task.contract is None
        and not (task.grammar or task.extra.get("contract") or task.constraints)
        and bool(task.base)
        and harness.kind in ("call", "method", "script", "sequence")
        and not (harness.code or harness.keywords)
    )


def llm_contract(task: Task, source: ModelSource, refused: Refused) -> ContractResult:
    """Return a model's contract for a task that ``is_open``.

    Raises LLMError if no other request would get a reply either.
    """
    talk = Dialogue(source=source, max_tokens=MAX_TOKENS)
    message, problem = _prompt(task), ""
    for _ in range(FEEDBACK + 1):
        try:
            reply = talk.ask(message)
        except (ServerError, NotRecordedError) as error:
            is_broken = isinstance(error, ServerError)
            return ContractResult(failure=f"contract: {error}", is_broken=is_broken)
        if reply is None:
            return ContractResult(failure=f"contract: {talk.problem}")
        if reply.finish == "length":
            problem = f"the answer was cut off at {MAX_TOKENS} tokens"
            break
        text = _contract(reply)
        problem = _problem(task, text, refused)
        if not problem:
            return ContractResult(text=text)
        message = f"This contract cannot be used: {problem}.\n\nWrite the whole block again."
    return ContractResult(failure=f"contract: {problem}")


def _contract(reply: Reply) -> str:
    """Return the last block of a reply that is a contract, without its reasoning; or ""."""
    text = without_thinking(reply.text)
    for block in (*reversed(fenced(text)), text):
        try:
            if len(block) <= LONGEST and parse(block).has_precondition:
                return block.strip() + "\n"
        except (ContractError, MemoryError, RecursionError):
            continue
    return ""


def _problem(task: Task, text: str, refused: Refused) -> str:
    """Return why a contract cannot be used; "" if it can."""
    if not text:
        return "no Python block with `precondition` that loads"
    if parse(text).has_check:
        return "it defines `check`"
    inputs = [case.arguments for case in islice(task.base, CHECKED)]
    absurd = list(_absurd(inputs))
    reasons = refused(text, [*inputs, *absurd])
    rows = list(zip([*inputs, *absurd], reasons, strict=True))
    for arguments, reason in rows[: len(inputs)]:
        if reason is not None:
            return f"it rejects an input of the task, {_written(arguments)}: {reason[0]}"
    for arguments, reason in rows[len(inputs) :]:
        if reason is None:
            return f"it accepts {_written(arguments)}"
        if reason[1]:
            return f"on {_written(arguments)} it ends with {reason[0]}: assert the types first"
    return ""


def _absurd(inputs: Sequence[tuple[Value, ...]]) -> Iterator[tuple[Value, ...]]:
    """Yield an input for each argument that is never None, with None in its place."""
    shortest = min(inputs, key=lambda arguments: len(repr(arguments)))
    for at in range(len(shortest)):
        if all(len(row) <= at or row[at] is not None for row in inputs):
            yield (*shortest[:at], None, *shortest[at + 1 :])


def _written(arguments: Sequence[Value]) -> str:
    return clip(", ".join(map(literal, arguments)))


def _prompt(task: Task) -> str:
    kind, names = task.harness.kind, _signature(task)
    rows = sorted((", ".join(map(literal, case.arguments)) for case in task.base), key=len)
    short = [row for row in rows if len(row) <= LONGEST_EXAMPLE] or [clip(rows[0])]
    more = "constructed" if task.harness.constructed and kind == "method" else kind
    return PROMPT.format(
        text=task.prompt.strip(),
        reference=task.reference.strip(),
        examples="\n".join(short[-EXAMPLES:]),
        names=names,
        more=MORE.get(more, "").format(names=names),
    )


def _signature(task: Task) -> str:
    """Return the parameters of a task's ``precondition`` as source, those of the reference."""
    kind, name = task.harness.kind, task.entry_point.rpartition(".")[2]
    if kind == "sequence":
        return "*calls"
    for node in ast.walk(parsing.parse(task.reference)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name != name:
            continue
        for each in ast.walk(node.args):
            if isinstance(each, ast.arg):
                each.annotation = None  # it may need names that a contract does not have
        if kind == "method":
            node.args.args[:1] = [ast.arg("constructor")] * task.harness.constructed
        return ast.unparse(node.args)
    arity = max(len(case.arguments) for case in task.base)
    return ", ".join(parameter_names(task, arity=arity))
