"""Comparison rules as rows hold them."""

from __future__ import annotations

from typing import Any, cast, get_args

from evalplus_lite.errors import one_of
from evalplus_lite.harness import CALL, Harness
from evalplus_lite.rules import MEASURES, Rule, RuleKind, Step, Tolerance
from evalplus_lite.store import Row
from evalplus_lite.tasks.fields import Fields

OLD_RULE_KINDS = {"presence": "truthiness"}  # as files of earlier versions name them
OWNERS = {"levels": "multiset", "key": "sorted", "by": "sorted"}
"""The kind of rule that a key belongs to."""
DEEPEST = 20
"""Levels and steps that a rule may name."""
MOST_FIELDS = 1000


def read_rule(fields: Fields, harness: Harness = CALL) -> Rule:
    """Return the rule of a row's ``rule`` object; what it leaves out is the harness' default."""
    if isinstance(fields.row.data.get("rule"), str):
        raise fields.refuse(
            "'rule' is a string, an object was expected", remedy='write {"kind": ...}'
        )
    rule = fields.object("rule", default={})
    rule.known(("kind", "atol", "rtol", "levels", "key", "by", "fields"), what=" in rule")
    default = default_rule(harness)
    kind = rule.text("kind", default=default.kind)
    kind = OLD_RULE_KINDS.get(kind, kind)
    if kind not in get_args(RuleKind):
        raise fields.refuse(f"unknown rule kind {kind!r}", remedy=one_of(kind, get_args(RuleKind)))
    for key, owner in OWNERS.items():
        if key in rule.row.data and kind != owner:
            raise fields.refuse(f"rule: {key!r} is of the kind {owner!r}, this is {kind!r}")
    atol, rtol = (rule.number(key, default=getattr(default, key)) for key in ("atol", "rtol"))
    by = rule.text("by", default="")
    if by not in MEASURES:
        raise fields.refuse(f"rule: by is {by!r}", remedy=one_of(by, MEASURES[1:]))
    tolerances = rule.items("fields", default=[])
    if len(tolerances) > MOST_FIELDS or (tolerances and kind in ("unordered", "truthiness")):
        raise fields.refuse(f"rule: {len(tolerances)} fields of the kind {kind!r}")
    return Rule(
        cast("RuleKind", kind),
        atol,
        rtol,
        _levels(rule),
        _steps(rule, rule.items("key", default=[])),
        by,
        tuple(_tolerance(rule, item) for item in tolerances),
    )


def default_rule(harness: Harness) -> Rule:
    """Return the rule of a task that names none: for a script, what most judges do."""
    return Rule("lines") if harness.kind == "script" else Rule()


def _levels(rule: Fields) -> tuple[int, ...]:
    levels = rule.items("levels", default=[])
    if not all(type(level) is int and 1 <= level <= DEEPEST for level in levels):
        raise rule.refuse(
            f"rule: levels are {levels!r}", remedy=f"integers from 1, the outermost, to {DEEPEST}"
        )
    return tuple(levels)


def _steps(rule: Fields, steps: list[Any]) -> tuple[Step, ...]:
    if len(steps) > DEEPEST or not all(type(step) in (str, int) for step in steps):
        raise rule.refuse(
            f"rule: {steps!r} leads nowhere", remedy=f"up to {DEEPEST} keys and places of items"
        )
    return tuple(steps)


def _tolerance(rule: Fields, item: Any) -> Tolerance:
    if type(item) is not dict:
        raise rule.refuse("rule: a field is not an object")
    field = Fields(rule.path, Row(rule.row.line, item))
    field.known(("at", "atol", "rtol"), what=" in a field of the rule")
    return Tolerance(
        _steps(rule, field.items("at")),
        field.number("atol", default=0.0),
        field.number("rtol", default=0.0),
    )
