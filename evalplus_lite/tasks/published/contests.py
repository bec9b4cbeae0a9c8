"""Programming contests: APPS, TACO, CodeContests and LiveCodeBench, as scripts or calls."""

from __future__ import annotations

import ast
import itertools
import pickletools
from collections.abc import Sequence
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.programs import definitions
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import as_cases, inflated, unwrapped
from evalplus_lite.types import CALL, PYTHON, Harness, Rule, Task
from evalplus_lite.values import wire

MOST_SOLUTIONS = 50
"""Limit on solutions of a row that are examined."""
MOST_PROGRAMS = 4
"""Solutions kept of those that compile: they must agree on a new input for it to be a test."""


def contest_task(
    fields: Fields,
    id: str,
    prompt: str,
    inputs: Sequence[Sequence[Any]],
    outputs: Sequence[Any],
    solutions: Sequence[str],
    *,
    function: str = "",
    starter: str = "",
    tolerance: float,
    about: Sequence[str] = (),
) -> Task:
    """Return the task of a row; InputError if it has no tests.

    The reference is the first solution that compiles (and defines the function). Without one,
    programs are judged by the outputs alone. Without a ``function``, programs are scripts: words
    are compared, numbers within the set's own ``tolerance``. A function is a method if ``starter``
    or the reference has a class ``Solution``. ``about`` names texts of the row to keep.
    """
    if not inputs or len(inputs) != len(outputs):
        raise fields.refuse(
            f"task {id}: {len(inputs)} inputs and {len(outputs)} outputs",
            remedy="without tests there is nothing to judge by",
        )
    is_method = bool(function) and "class Solution" in starter
    name = "Solution" if is_method else function
    programs = [text for text in solutions[:MOST_SOLUTIONS] if _is_program(text, name)]
    if not programs and function and not is_method:
        programs = [text for text in solutions[:MOST_SOLUTIONS] if _is_program(text, "Solution")]
        is_method = bool(programs)
    try:
        answers = tuple(map(wire.encode, outputs))
        for arguments in inputs:
            wire.encode(list(arguments))
    except CodecError as error:
        raise fields.refuse(f"task {id}: {error}") from None
    script = Harness("script")
    return Task(
        id=id,
        prompt=prompt if not starter else f"{prompt.rstrip()}\n\n{starter}",
        entry_point=f"Solution.{function}" if is_method else function,
        harness=Harness("method") if is_method else CALL if function else script,
        reference=programs[0] if programs else "",
        programs=tuple(programs[1:MOST_PROGRAMS]),
        base=as_cases(inputs, "base"),
        outputs=answers,
        rule=PYTHON if function else Rule("numbers", tolerance, tolerance),
        style="solution",
        extra={key: text for key in about if type(text := fields.row.data.get(key)) is str},
    )


def nested(fields: Fields, key: str, kind: type) -> Any:
    """Return a field's ``kind``, parsed if it is a JSON text; an empty one if missing."""
    value = fields.row.data.get(key, kind())
    if type(value) is str:
        value = parsed(fields, value, key) if value.strip() else kind()
    if type(value) is not kind:
        raise fields.refuse(f"{key!r} does not hold a {kind.__name__}")
    return value


def parsed(fields: Fields, text: str, name: str) -> Any:
    """Parse a JSON text within a row."""
    try:
        return parse_json(text)
    except (InputError, ValueError, RecursionError) as error:
        raise fields.refuse(f"{name}: not JSON: {error}") from None


def texts(fields: Fields, items: Sequence[Any], name: str) -> list[str]:
    """Return the texts of a list, joining items that some rows have as lists of lines."""
    joined = []
    for item in items:
        lines = item if type(item) is list else [item]
        if not all(type(line) is str for line in lines):
            raise fields.refuse(f"{name} holds {type(item).__name__}, a text was expected")
        joined.append("\n".join(lines))
    return joined


def _is_program(source: str, name: str) -> bool:
    tree = definitions.parse(source) if type(source) is str else None
    return isinstance(tree, ast.Module) and (not name or definitions.defines(tree, name))


# APPS, and TACO, which shares its format: tests as one JSON text, for scripts or a function.


def apps_task(fields: Fields, background: Background) -> Task:
    """Return a task of APPS, named by its number."""
    number = fields.row.data.get("problem_id", fields.row.data.get("id"))
    if type(number) not in (int, str):
        raise fields.refuse("'problem_id' is missing")
    return judged_by_tests(fields, f"APPS/{number}")


def judged_by_tests(fields: Fields, id: str) -> Task:
    """Return the task of a row with ``question``, ``input_output`` and ``solutions``."""
    tests: dict[str, Any] = nested(fields, "input_output", dict)
    inputs, outputs = tests.get("inputs", []), tests.get("outputs", [])
    function = tests.get("fn_name") or ""
    if type(inputs) is not list or type(outputs) is not list or type(function) is not str:
        raise fields.refuse("'input_output' does not hold lists of inputs and outputs")
    if function and not function.isidentifier():
        raise fields.refuse(f"fn_name {function[:60]!r} is not a Python name")
    if function:
        outputs = unwrapped(outputs)
        if not all(type(each) is list for each in inputs):
            raise fields.refuse("inputs: a list of arguments was expected for each call")
    else:
        inputs = [(text,) for text in texts(fields, inputs, "inputs")]
        outputs = texts(fields, outputs, "outputs")
    return contest_task(
        fields,
        id,
        fields.text("question"),
        inputs,
        outputs,
        nested(fields, "solutions", list),
        function=function,
        starter=fields.text("starter_code", default=""),
        tolerance=1e-6,
        about=("difficulty", "url", "source", "tags"),
    )


def taco_task(fields: Fields, background: Background) -> Task:
    """Return a task of TACO, named by its line from 0, because rows have no ids."""
    return judged_by_tests(fields, f"TACO/{fields.row.line - 1}")


# CodeContests: public, private and generated tests, as JSON rows.

PYTHON3 = (3, "PYTHON3")
PARTS = ("public_tests", "private_tests", "generated_tests")


def codecontests_task(fields: Fields, background: Background) -> Task:
    """Return a task of CodeContests; InputError if it reads or writes files by name."""
    id = fields.id("name")
    for key in ("input_file", "output_file"):
        if fields.row.data.get(key):
            raise fields.refuse(f"task {id} names a file as its {key}: only standard streams are")
    inputs: list[str] = []
    outputs: list[str] = []
    for part in PARTS:
        tests: dict[str, Any] = nested(fields, part, dict)
        stdin, stdout = tests.get("input", []), tests.get("output", [])
        if type(stdin) is not list or type(stdout) is not list or len(stdin) != len(stdout):
            raise fields.refuse(f"task {id}: {part} are not as many inputs as outputs")
        inputs += texts(fields, stdin, part)
        outputs += texts(fields, stdout, part)
    solutions = nested(fields, "solutions", dict)
    languages, sources = solutions.get("language", []), solutions.get("solution", [])
    in_python = [s for kind, s in zip(languages, sources, strict=False) if kind in PYTHON3]
    return contest_task(
        fields,
        id,
        fields.text("description"),
        [(text,) for text in inputs],
        outputs,
        in_python,
        tolerance=1e-5,
    )


# LiveCodeBench: tests as JSON texts, the hidden ones compressed.

MOST_BYTES = 64 << 20
"""Size limit of a row's hidden tests after decompression."""
MOST_STEPS = 20
"""Limit on opcodes of a pickle; that of a text has six."""
HARMLESS = frozenset({"PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"})
TEXTS = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"})


def livecodebench_task(fields: Fields, background: Background) -> Task:
    """Return a task of LiveCodeBench, which has no references."""
    id = f"LiveCodeBench/{fields.id('question_id')}"
    rows = nested(fields, "public_test_cases", list) + _hidden(fields)
    if not all(type(row) is dict and {"input", "output"} <= row.keys() for row in rows):
        raise fields.refuse(f"task {id}: a test lacks its input or output")
    kinds = {row.get("testtype", "stdin") for row in rows}
    if len(kinds) > 1 or not kinds <= {"stdin", "functional"}:
        raise fields.refuse(f"task {id}: its tests are of the kinds {sorted(map(str, kinds))}")
    if not all(type(row[key]) is str for row in rows for key in ("input", "output")):
        raise fields.refuse(f"task {id}: a test's input or output is not a text")
    function = ""
    if kinds == {"functional"}:
        function = nested(fields, "metadata", dict).get("func_name", "")
        if type(function) is not str or not function.isidentifier():
            raise fields.refuse(f"task {id}: its metadata do not name a function")
        inputs = [
            [parsed(fields, line, "a test's input") for line in row["input"].split("\n")]
            for row in rows
        ]
        outputs = [parsed(fields, row["output"], "a test's output") for row in rows]
    else:
        inputs, outputs = [[row["input"]] for row in rows], [row["output"] for row in rows]
    return contest_task(
        fields,
        id,
        fields.text("question_content"),
        inputs,
        outputs,
        (),
        function=function,
        starter=fields.text("starter_code", default=""),
        tolerance=0.0,
        about=("platform", "difficulty", "contest_date"),
    )


def _hidden(fields: Fields) -> list[Any]:
    """Return the hidden tests: JSON, or a base64-encoded, compressed pickle of one JSON text."""
    text = fields.row.data.get("private_test_cases", "[]")
    if type(text) is list:
        return text
    if type(text) is not str:
        raise fields.refuse("private_test_cases is neither a text nor a list")
    if not text.lstrip().startswith("["):
        text = _unpacked(fields, text) if text.strip() else "[]"
    tests = parsed(fields, text, "private_test_cases")
    if type(tests) is not list:
        raise fields.refuse("private_test_cases is not a list of tests")
    return tests


def _unpacked(fields: Fields, text: str) -> str:
    remedy = "write its tests as a JSON list"
    try:
        data = inflated(text, MOST_BYTES)
        # The pickle is disassembled, never loaded: loading can run code.
        codes = itertools.islice(pickletools.genops(data), MOST_STEPS)
        steps = [(code.name, argument) for code, argument, _ in codes]
    except ValueError as error:
        raise fields.refuse(f"private_test_cases: {error}", remedy=remedy) from None
    words = [argument for name, argument in steps if name in TEXTS]
    if len(words) != 1 or steps[-1][0] != "STOP" or {name for name, _ in steps} - HARMLESS - TEXTS:
        raise fields.refuse("private_test_cases is a pickle of more than a text", remedy=remedy)
    return str(words[0])


FORMATS = (
    Format("APPS", {"problem_id", "question", "input_output", "solutions"}, apps_task),
    Format("TACO", {"question", "input_output", "solutions", "raw_tags"}, taco_task),
    Format("CodeContests", {"name", "description", *PARTS, "solutions"}, codecontests_task),
    Format(
        "LiveCodeBench",
        {"question_id", "question_content", "public_test_cases", "private_test_cases"},
        livecodebench_task,
    ),
)
