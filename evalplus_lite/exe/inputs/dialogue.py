"""Inputs from a language model: ask, validate, tell it what is wrong, at most two times three."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evalplus_lite.exe.inputs import validators
from evalplus_lite.exe.inputs.schema import CaseForm
from evalplus_lite.exe.inputs.validators import MAX_CASES, Executed, judge, salvage, select
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.models import ModelSource
from evalplus_lite.models.dialogue import Dialogue

ATTEMPTS, CYCLES = 2, 3
INJECTED = 60
"""Earlier cases shown to the model at most, chosen at random."""
MAX_TOKENS = 4096
TEMPERATURE = 0.8
TOOL = "FunctionTestCaseModel"
"""The paper's name for the tool whose arguments are test cases."""

PROMPT = """You write test inputs for one Python function. Together they should reach every path \
through it, the unusual ones too.

These inputs exist already; every new one must differ from all of them:
<previous_cases>
{seen}
</previous_cases>

The whole program that the function is part of:
<module_code>
{code}
</module_code>

The function to test:
<signature>
{signature}
</signature>
<docstring>
{docstring}
</docstring>
<implementation>
{implementation}
</implementation>

Think it through before you answer:
<analysis>
1. What is the function for? Read signature, docstring and code.
2. Which parameters does it take, and of which types?
3. What does it return, and in which form?
4. Plan cases of every kind: simple ones; complex ones that combine several arguments; very large \
and very small values or sizes; some that take long to compute; some that raise an exception; some \
with invalid content that the code rejects on purpose.
5. Numbers: positive, negative, zero, primes, the largest and smallest integers, huge floats and \
floats near zero.
6. Strings: empty, long, with special characters, in other languages and scripts.
7. Booleans: both.
8. Containers: empty, with many elements, deeply nested, with mixed elements.
9. For each case, work out the output or the exception that you expect.
10. Make sure that no two cases test the same thing.
11. Respect every constraint that docstring and code state.
</analysis>

Now write {count} test cases as one JSON object {{"test_cases": [...]}}. Each case is an object \
with both "args" and "kwargs", each an object from parameter name to value, empty where there is \
none. Answer with the JSON alone.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWriter:
    """A model that writes inputs, and how it is asked: by a tool, or else by a JSON schema."""

    source: ModelSource
    temperature: float = TEMPERATURE
    max_tokens: int = MAX_TOKENS
    tools: bool = False

    def dialogue(self, form: CaseForm) -> Dialogue:
        """Return the beginning of a dialogue about cases of this form."""
        return Dialogue(
            source=self.source,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            schema=json.dumps(form.schema),
            tool=TOOL if self.tools else None,
        )


@dataclass(slots=True)
class Conversation:
    """What one function's conversations came to."""

    cases: list[Executed] = field(default_factory=list)
    """Chosen cases; they meet every validator, or (``salvaged``) the core ones."""
    pool: list[Executed] = field(default_factory=list)
    salvaged: bool = False
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: list[str] = field(default_factory=list)
    """The validators that failed, in order, over all cycles; ``server: ...`` where one gave up."""


def prompt_for(
    function: MinedFunction,
    seen: Sequence[Invocation],
    rng: random.Random,
    *,
    count: int = MAX_CASES,
) -> str:
    """Return the first message: at most 60 earlier inputs, the code, and what to think of."""
    shown = rng.sample(list(seen), INJECTED) if len(seen) > INJECTED else list(seen)
    listed = "\n".join(json.dumps(call.to_json()) for call in shown)
    first = function.implementation.partition(":\n")[0]
    return PROMPT.format(
        seen=listed or "(none yet)",
        code=function.code,
        signature=first,
        docstring=function.docstring or "(none)",
        implementation=function.implementation,
        count=count,
    )


def ask_for_cases(
    function: MinedFunction,
    writer: CaseWriter,
    execute: Callable[[list[Invocation]], list[Executed]],
    *,
    seed: int,
    count: int = MAX_CASES,
) -> Conversation:
    """Generate a function's cases with a model, under all seven validators.

    Each attempt starts afresh; each cycle answers the failing validators' words. After the last
    one the coverage minimum is waived, and duplicates and slow cases are dropped singly (A.2.4).
    """
    form = CaseForm(function.signature)
    found = Conversation()
    keys: set[str] = set()
    rng = random.Random(f"{seed}:{function.id}:llm")
    for attempt in range(ATTEMPTS):
        known = [case.call for case in found.pool]
        text = prompt_for(function, known, rng, count=count)
        talk = writer.dialogue(form)
        for cycle in range(CYCLES):
            reply = talk.ask(text, index=attempt * CYCLES + cycle)
            if reply is None:
                found.failures.append(f"server: {talk.problem}")
                break
            found.requests += 1
            found.prompt_tokens += reply.prompt_tokens
            found.completion_tokens += reply.completion_tokens
            feedback = _take(reply.text, form, keys, execute, found)
            chosen = select(found.pool, count=count)
            failed = judge(chosen)
            found.failures += [failure.validator for failure in failed]
            if not failed:
                found.cases = chosen
                return found
            text = "\n\n".join([*feedback, *(failure.feedback for failure in failed)])
    found.cases = salvage(select(found.pool, count=count))
    found.salvaged = bool(found.cases)
    return found


def _take(
    text: str,
    form: CaseForm,
    keys: set[str],
    execute: Callable[[list[Invocation]], list[Executed]],
    found: Conversation,
) -> list[str]:
    """Read an answer's cases, run the new ones, and return what to say about the others."""
    read = form.read(text)
    fresh: list[Invocation] = []
    repeated: list[Invocation] = []
    for call in read.calls:
        key = call.key
        (repeated if key in keys else fresh).append(call)
        keys.add(key)
    feedback: list[str] = []
    if read.problems:
        found.failures.append("schema")
        feedback.append(validators.schema_feedback("\n".join(read.problems)))
    if repeated:
        found.failures.append("duplication")
        feedback.append(validators.duplication_feedback(repeated))
    if fresh:
        executed = execute(fresh)
        slow = [case for case in executed if case.answer.kind in ("slow", "unfit")]
        found.pool += executed
        feedback += [f.feedback for f in judge(slow) if f.validator == "runtime"]
    return feedback
