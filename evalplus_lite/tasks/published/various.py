"""Sets in forms of their own: BigCodeBench, ClassEval, CRUXEval and exported suites."""

from __future__ import annotations

from dataclasses import replace

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.store import parse_json
from evalplus_lite.tasks.fields import Fields, read_rule
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import arguments_of, as_cases, heading, rest, with_tests
from evalplus_lite.types import Case, Task
from evalplus_lite.values import codec, wire


def bigcodebench_task(fields: Fields, background: Background) -> Task:
    """Return a task of BigCodeBench, in its form for completion."""
    later = "complete_prompt" in fields.row.data  # as files since version 0.2 call it
    prompt = fields.text("complete_prompt" if later else "prompt")
    task = Task(
        id=fields.id("task_id"),
        prompt=prompt,
        entry_point=fields.identifier("entry_point"),
        reference=prompt + fields.text("canonical_solution"),
        extra=rest(fields, "canonical_solution", "test", "libs"),
    )
    return with_tests(fields, task)


def classeval_task(fields: Fields, background: Background) -> Task:
    """Return a task of ClassEval; the imports of its row stand before the reference."""
    imports = "\n".join(map(str, fields.items("import_statement")))
    task = Task(
        id=fields.id("task_id"),
        prompt=fields.text("skeleton"),
        entry_point=fields.identifier("class_name"),
        reference=f"{imports}\n\n{fields.text('solution_code')}",
        style="solution",
        extra=rest(fields, "test"),
    )
    return with_tests(fields, task)


def cruxeval_task(fields: Fields, background: Background) -> Task:
    """Return a task with one base case, and its output; refused if they are not literals.

    As what a model predicts CRUXEval's programs are read by ``exe.tasks.forms``.
    """
    id, code = fields.id("id"), fields.text("code")
    given, output = fields.text("input"), fields.text("output")
    try:
        arguments, (right,) = arguments_of(given), arguments_of(f"({output}),")
    except ValueError as error:
        raise fields.refuse(f"its input or output is no literal: {error}") from None
    return Task(
        id=f"cruxeval/{id}",
        prompt=code,
        entry_point="f",
        reference=code,
        base=(Case(arguments),),
        outputs=(wire.encode(right),),
        style="solution",
    )


def exported_task(fields: Fields, background: Background) -> Task:
    """Return the task of a row of ``export --to huggingface``; outputs are computed anew."""
    id, entry_point, prompt = heading(fields)
    try:
        inputs = codec.loads(fields.text("inputs"))
        rule = parse_json(fields.text("comparison"), path=fields.path)
    except (CodecError, InputError) as error:
        raise fields.refuse(f"'inputs' or 'comparison': {error}") from None
    if type(inputs) is not list or not all(type(each) is list for each in inputs):
        raise fields.refuse("'inputs' is no JSON text of a list of argument lists")
    base = fields.count("base_count")
    stated = replace(fields, row=fields.row._replace(data={"rule": rule}))
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=prompt + fields.text("canonical_solution"),
        base=as_cases(inputs[:base], "base"),
        plus=as_cases(inputs[base:], "plus"),
        contract=fields.text("contract", default="") or None,
        rule=read_rule(stated),
    )


EXPORTED = {"canonical_solution", "test", "inputs", "expected", "base_count", "comparison"}
FORMATS = (
    Format("BigCodeBench", {"canonical_solution", "test", "libs"}, bigcodebench_task),
    Format("ClassEval", {"skeleton", "solution_code", "class_name", "test"}, classeval_task),
    Format("CRUXEval", {"code", "input", "output"}, cruxeval_task),
    Format("Hugging Face", EXPORTED, exported_task),
)
