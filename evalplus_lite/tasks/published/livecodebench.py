"""LiveCodeBench: problems with tests as JSON texts, the hidden ones compressed."""

from __future__ import annotations

import base64
import binascii
import itertools
import pickletools
import zlib
from typing import Any

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.contest import Tests, contest_task, nested, parsed
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.types import Rule, Task

RULE = Rule("numbers", 0.0, 0.0)
"""As its own judge: words, numbers by their value."""
MOST_BYTES = 64 << 20
"""Bytes that a row's hidden tests may unpack to."""
MOST_STEPS = 20
"""Steps of a pickle that are looked at: one of a text has six."""
HARMLESS = frozenset({"PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"})
TEXTS = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"})


def livecodebench_task(fields: Fields, background: Background) -> Task:
    """Return a task of LiveCodeBench; without a reference, as the set has none."""
    id = f"LiveCodeBench/{fields.id('question_id')}"
    rows = nested(fields, "public_test_cases", list, default=[]) + _hidden(fields)
    if not all(type(row) is dict and {"input", "output"} <= row.keys() for row in rows):
        raise fields.refuse(f"task {id}: a test lacks its input or output")
    kinds = {row.get("testtype", "stdin") for row in rows}
    if len(kinds) > 1 or not kinds <= {"stdin", "functional"}:
        raise fields.refuse(f"task {id}: its tests are of the kinds {sorted(map(str, kinds))}")
    if not all(type(row[key]) is str for row in rows for key in ("input", "output")):
        raise fields.refuse(f"task {id}: a test's input or output is not a text")
    function = ""
    if kinds == {"functional"}:
        function = nested(fields, "metadata", dict, default={}).get("func_name", "")
        if type(function) is not str or not function.isidentifier():
            raise fields.refuse(f"task {id}: its metadata do not name a function")
        calls = [
            tuple(parsed(fields, line, "a test's input") for line in row["input"].split("\n"))
            for row in rows
        ]
        tests = Tests(calls, [parsed(fields, row["output"], "a test's output") for row in rows])
    else:
        tests = Tests([(row["input"],) for row in rows], [row["output"] for row in rows])
    return contest_task(
        fields,
        id,
        fields.text("question_content"),
        tests,
        (),
        function=function,
        starter=fields.text("starter_code", default=""),
        rule=RULE,
        extra={
            key: fields.row.data[key]
            for key in ("platform", "difficulty", "contest_date")
            if type(fields.row.data.get(key)) is str
        },
    )


def _hidden(fields: Fields) -> list[Any]:
    """Return the hidden tests: JSON, or JSON in a pickle of one text, compressed, in base 64."""
    text = fields.row.data.get("private_test_cases", "[]")
    if type(text) is list:
        return text
    if type(text) is not str:
        raise fields.refuse("private_test_cases is neither a text nor a list")
    if not text.lstrip().startswith("["):
        text = _unpacked(fields, text) if text.strip() else "[]"
    found = parsed(fields, text, "private_test_cases")
    if type(found) is not list:
        raise fields.refuse("private_test_cases is no list of tests")
    return found


def _unpacked(fields: Fields, text: str) -> str:
    remedy = "write its tests as a JSON list"
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise fields.refuse(f"private_test_cases unpacks to over {MOST_BYTES} bytes or is cut")
        # It is taken apart, never unpickled: a pickle is a program.
        codes = itertools.islice(pickletools.genops(data), MOST_STEPS)
        steps = [(code.name, argument) for code, argument, _ in codes]
    except (binascii.Error, zlib.error, ValueError, UnicodeDecodeError) as error:
        raise fields.refuse(f"private_test_cases: {error}", remedy=remedy) from None
    found = [argument for name, argument in steps if name in TEXTS]
    if len(found) != 1 or steps[-1][0] != "STOP" or {name for name, _ in steps} - HARMLESS - TEXTS:
        raise fields.refuse("private_test_cases is a pickle of more than a text", remedy=remedy)
    return str(found[0])


FORMAT = Format(
    "LiveCodeBench",
    {"question_id", "question_content", "public_test_cases", "private_test_cases"},
    livecodebench_task,
)
