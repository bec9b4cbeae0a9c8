"""MBPP as it was published, whole and sanitized: a text, a program, and assertions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from evalplus_lite.programs import parsing
from evalplus_lite.tasks.drafts import Asserted, take
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format, published_rule
from evalplus_lite.tasks.published.rows import LEFT_OUT, as_cases, called, rest
from evalplus_lite.types import Task, clip


def mbpp_task(fields: Fields, background: Background) -> Task:
    """Return a task: assertions such as ``f(literals) == literal`` are base cases with outputs.

    Those of ``challenge_test_list`` are plus cases. Other assertions are left out, with the reason,
    in ``extra``; a row that has only such is refused. The two lists may state a case twice.
    """
    id, source = f"Mbpp/{fields.count('task_id')}", fields.text("code")
    key = "text" if "text" in fields.row.data else "prompt"
    lines = _texts(fields, "test_list")
    try:
        entry_point = called(lines, source)
    except (ValueError, SyntaxError) as error:
        raise fields.refuse(f"task {id}: {error}") from None
    base, lost = _asserted(lines, entry_point)
    plus, lost_of_plus = _asserted(_texts(fields, "challenge_test_list"), entry_point)
    if not base.inputs:
        reason = lost[0] if lost else "it has none"
        raise fields.refuse(f"task {id}: no assertion can be a case: {reason}")
    extra: dict[str, Any] = rest(fields, "test_list", "challenge_test_list", "test_setup_code")
    if left_out := lost + lost_of_plus:
        extra[LEFT_OUT] = left_out
    return Task(
        id=id,
        prompt=f'"""\n{fields.text(key)}\n{lines[0]}\n"""\n',
        entry_point=entry_point,
        reference=source,
        base=as_cases(base.inputs, "base"),
        outputs=tuple(base.outputs),
        plus=as_cases([each for each in plus.inputs if each not in base.inputs], "plus"),
        contract=background.contracts.get(id),
        rule=base.rule or published_rule(id, 0.0),
        style="solution",
        extra=extra,
    )


def _texts(fields: Fields, key: str) -> list[str]:
    lines = fields.items(key, default=[])
    if any(type(line) is not str for line in lines):
        raise fields.refuse(f"{key!r} holds something other than texts")
    return lines


def _asserted(lines: Sequence[str], entry_point: str) -> tuple[Asserted, list[str]]:
    """Return what assertions say of a function, and why the others say nothing."""
    found = {entry_point: Asserted(0)}
    lost: list[str] = []
    for line in lines:
        try:
            nodes = parsing.parse(line).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            lost.append(clip(f"{line}: {error}"))
            continue
        for node in nodes:
            problem = take(node, {}, found) if isinstance(node, ast.Assert) else "no assertion"
            if problem:
                lost.append(clip(f"{line}: {problem}"))
    lost += [f"it calls {name}, too" for name in found if name != entry_point]
    return found[entry_point], lost


FORMAT = Format("MBPP", {"code", "test_list"}, mbpp_task, contracts="mbpp", prefix="Mbpp/")
