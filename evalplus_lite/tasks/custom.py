"""Tasks of the user's own: one JSONL row each. docs/reference/formats.md has the schema."""

from __future__ import annotations

import re
from typing import Any, cast, get_args

from evalplus_lite.errors import one_of
from evalplus_lite.programs import definitions
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.types import Case, Rule, RuleKind, Style, Task

KEYS = ("id", "prompt", "entry_point", "reference", "contract", "rule", "style", "inputs", "guards")
OLD_RULE_KINDS = {"presence": "truthiness"}  # as files of earlier versions name them


def own_task(fields: Fields) -> Task:
    """Return the task of a row; InputError names what is missing, unknown or of a wrong type.

    The reference is compiled, never run: it must define the entry point at its top level.
    """
    fields.known(KEYS)
    id, entry_point = fields.id("id"), fields.identifier("entry_point")
    prompt, reference = fields.text("prompt"), fields.text("reference")
    tree = definitions.parse(reference)
    if tree is None:
        raise fields.refuse("reference does not compile", remedy="it must be a whole program")
    if not definitions.defines(tree, entry_point):
        raise fields.refuse(
            f"reference does not define {entry_point!r}", remedy="it must be a whole program"
        )
    contract = fields.text("contract", default="") or None
    if contract is not None:
        _check_contract(fields, contract)
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=reference,
        base=tuple(
            _case(fields, position, item)
            for position, item in enumerate(fields.items("inputs", default=[]), 1)
        ),
        contract=contract,
        rule=read_rule(fields),
        style=read_style(fields, prompt, entry_point),
        constraints=_constraints(fields),
    )


def read_rule(fields: Fields) -> Rule:
    """Return the comparison rule of a row's ``rule`` object; the default one if it has none."""
    rule = fields.object("rule", default={})
    rule.known(("kind", "atol", "rtol"), what=" in rule")
    default = Rule()
    kind = rule.text("kind", default=default.kind)
    kind = OLD_RULE_KINDS.get(kind, kind)
    if kind not in get_args(RuleKind):
        raise fields.refuse(f"unknown rule kind {kind!r}", remedy=one_of(kind, get_args(RuleKind)))
    atol, rtol = (rule.number(key, default=getattr(default, key)) for key in ("atol", "rtol"))
    return Rule(cast("RuleKind", kind), atol, rtol)


def read_style(fields: Fields, prompt: str, entry_point: str) -> Style:
    """Return a row's style; by default ``completion`` if the prompt begins the function."""
    begins = re.search(
        rf"^[ \t]*(async[ \t]+)?def[ \t]+{re.escape(entry_point)}\b", prompt, re.MULTILINE
    )
    style = fields.text("style", default="completion" if begins else "solution")
    if style not in get_args(Style):
        raise fields.refuse(f"unknown style {style!r}", remedy=one_of(style, get_args(Style)))
    return cast("Style", style)


def _constraints(fields: Fields) -> dict[str, bool]:
    """Return the input constraints that a row turns on or off; names are checked on inference."""
    guards = fields.object("guards", default={}).row.data
    for name, is_on in guards.items():
        if type(is_on) is not bool:
            raise fields.refuse(f"guards: {name!r} is neither true nor false")
    return dict(guards)


def _case(fields: Fields, position: int, item: Any) -> Case:
    name = f"inputs, number {position}"
    if type(item) is not list:
        raise fields.refuse(f"{name}: a list of the positional arguments was expected")
    return Case(tuple(fields.value(item, name=name)))


def _check_contract(fields: Fields, contract: str) -> None:
    tree = definitions.parse(contract)
    if tree is None:
        raise fields.refuse("contract does not compile")
    if not any(definitions.defines(tree, name) for name in ("precondition", "check")):
        raise fields.refuse("contract defines neither `precondition` nor `check`")
