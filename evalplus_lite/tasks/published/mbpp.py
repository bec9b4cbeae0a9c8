"""MBPP, original and sanitized, and MBPP+."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from evalplus_lite.programs import parsing
from evalplus_lite.tasks.drafts import Asserted, take
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format, Release, published_rule
from evalplus_lite.tasks.published.rows import (
    LEFT_OUT,
    as_cases,
    called,
    cases,
    heading,
    published,
    rest,
)
from evalplus_lite.types import Task, clip
from evalplus_lite.values.source import assigned, literal_calls


def mbpp_task(fields: Fields, background: Background) -> Task:
    """Return a task whose base cases are assertions such as ``f(literals) == literal``.

    Those of ``challenge_test_list`` are plus cases, unless they repeat a base case. Other
    assertions are listed in ``extra`` with the reason; a row with no other is an InputError.
    """
    id, source = f"Mbpp/{fields.count('task_id')}", fields.text("code")
    key = "text" if "text" in fields.row.data else "prompt"
    lines = fields.texts("test_list")
    try:
        entry_point = called(lines, source)
    except (ValueError, SyntaxError) as error:
        raise fields.refuse(f"task {id}: {error}") from None
    base, lost = _asserted(lines, entry_point)
    plus, lost_of_plus = _asserted(fields.texts("challenge_test_list"), entry_point)
    if not base.inputs:
        reason = lost[0] if lost else "it has none"
        raise fields.refuse(f"task {id}: no assertion can be a case: {reason}")
    extra: dict[str, Any] = rest(fields, "test_list", "challenge_test_list", "test_setup_code")
    if left_out := lost + lost_of_plus:
        extra[LEFT_OUT] = left_out
    return published(
        fields,
        background,
        (id, entry_point, f'"""\n{fields.text(key)}\n{lines[0]}\n"""\n'),
        source,
        base=as_cases(base.inputs, "base"),
        outputs=tuple(base.outputs),
        plus=as_cases([each for each in plus.inputs if each not in base.inputs], "plus"),
        rule=base.rule or published_rule(id, 0.0),
        style="solution",
        extra=extra,
    )


def _asserted(lines: Sequence[str], entry_point: str) -> tuple[Asserted, list[str]]:
    """Return the assertions about a function, and the reasons why others are unusable."""
    found = {entry_point: Asserted(0)}
    lost: list[str] = []
    for line in lines:
        try:
            nodes = parsing.parse(line).body
        except parsing.UNREADABLE as error:
            lost.append(clip(f"{line}: {error}"))
            continue
        for node in nodes:
            problem = take(node, {}, found) if isinstance(node, ast.Assert) else "no assertion"
            if problem:
                lost.append(clip(f"{line}: {problem}"))
    lost += [f"it calls {name}, too" for name in found if name != entry_point]
    return found[entry_point], lost


def mbpp_plus_task(fields: Fields, background: Background) -> Task:
    """Return a task of MBPP+, with the types that its assertions reveal."""
    names = heading(fields)
    base, plus = cases(fields, fields.text("assertion"), names[1])
    return published(
        fields,
        background,
        names,
        fields.text("canonical_solution"),
        *("canonical_solution", "assertion", "contract", "atol"),
        base=base,
        plus=plus,
        style="solution",
    )


def mbpp_literal_task(fields: Fields, background: Background) -> Task:
    """Return a task of the MBPP+ format that has inputs as Python literals in ``test``.

    Inputs that also occur in calls of ``test_list`` are base cases.
    """
    id = f"Mbpp/{fields.count('task_id')}"
    source, asserts = fields.text("code"), [str(line) for line in fields.items("test_list")]
    try:
        entry_point = called(asserts, source)
        test = parsing.parse(fields.text("test"))
        inputs, atol = [tuple(item) for item in assigned(test, "inputs")], _atol(test)
        shown = [
            call for line in asserts for call in literal_calls(parsing.parse(line), entry_point)
        ]
    except (ValueError, SyntaxError, TypeError) as error:
        raise fields.refuse(f"task {id}: its inputs cannot be read: {error}") from None
    return published(
        fields,
        background,
        (id, entry_point, f'"""\n{fields.text("prompt")}\n{asserts[0]}\n"""\n'),
        source,
        *("test_list", "test_imports", "source_file"),
        base=as_cases([each for each in inputs if each in shown], "base"),
        plus=as_cases([each for each in inputs if each not in shown], "plus"),
        rule=published_rule(id, atol),
        style="solution",
    )


def _atol(test: ast.Module) -> float:
    """Return the tolerance that the test's own loop passes to ``assertion``."""
    for node in test.body[::-1]:
        for inner in ast.walk(node):
            match inner:
                case ast.Call(
                    func=ast.Name(id="assertion"), args=[_, _, ast.Constant(value=float(atol))]
                ):
                    if not math.isfinite(atol):
                        raise ValueError("its tolerance is not finite")
                    return atol
        if isinstance(node, ast.For):
            break
    return 0.0


FORMATS = (
    Format("MBPP", {"code", "test_list"}, mbpp_task, contracts="mbpp", prefix="Mbpp/"),
    Format(
        "MBPP+",
        {"base_input", "plus_input", "canonical_solution", "assertion"},
        mbpp_plus_task,
        sources={
            "mbpp+": Release(
                "https://github.com/evalplus/mbppplus_release/releases/download/v0.2.0/"
                "MbppPlus.jsonl.gz",
                "af43697e8791c4c149bdfd6b489d8b5412507551ac20e28a439f650b8225db63",
            )
        },
        contracts="mbpp",
        prefix="Mbpp/",
    ),
    Format(
        "MBPP+ with literals",
        {"code", "test_list", "test"},
        mbpp_literal_task,
        contracts="mbpp",
        prefix="Mbpp/",
    ),
)
