"""Suites exported for Hugging Face: rows with inputs and rule as JSON texts."""

from __future__ import annotations

from dataclasses import replace

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.store import parse_json
from evalplus_lite.tasks.fields import Fields, read_rule
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import as_cases, heading, published
from evalplus_lite.types import Task
from evalplus_lite.values import codec


def exported_task(fields: Fields, background: Background) -> Task:
    """Return the task of a row of ``export --to huggingface``; outputs are computed again."""
    names = heading(fields)
    try:
        inputs = codec.loads(fields.text("inputs"))
        rule = parse_json(fields.text("comparison"), path=fields.path)
    except (CodecError, InputError) as error:
        raise fields.refuse(f"'inputs' or 'comparison': {error}") from None
    if type(inputs) is not list or not all(type(each) is list for each in inputs):
        raise fields.refuse("'inputs' is not a JSON text of a list of argument lists")
    base = fields.count("base_count")
    stated = replace(fields, row=fields.row._replace(data={"rule": rule}))
    return published(
        fields,
        background,
        names,
        names[2] + fields.text("canonical_solution"),
        base=as_cases(inputs[:base], "base"),
        plus=as_cases(inputs[base:], "plus"),
        contract=fields.text("contract", default="") or None,
        rule=read_rule(stated),
    )


KEYS = {"canonical_solution", "test", "inputs", "expected", "base_count", "comparison"}
FORMATS = (Format("Hugging Face", KEYS, exported_task),)
