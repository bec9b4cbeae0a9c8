"""Any program, however a model wraps it up, comes out as the same program."""

from __future__ import annotations

import ast
import gzip
import json
import textwrap
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from evalplus_lite.programs import definitions
from evalplus_lite.programs.extraction import extract
from evalplus_lite.programs.extraction.trimming import superfluous
from evalplus_lite.tasks import load_dataset
from evalplus_lite.types import Task

SENTENCES = [
    "Sure! Here's the solution:",
    "This function works as follows.",
    "Let me think step by step: first, we sort; then we're done.",
    "- It handles the empty list",
    "1. Sort the numbers",
    "Note that `x` isn't modified.",
    "The time complexity is O(n log n).",
    "Here is an example (see above",
    "### Explanation",
    "**Result:** 5",
    "I'd use “smart quotes” – and a dash.",
    "For more, see https://example.org/a_b.",
]
TAGS = ["", "python", "py", "Python3", 'python title="a.py"', "pycon"]
prose = st.lists(st.sampled_from([*SENTENCES, ""]), max_size=4).map("\n".join)


@cache
def programs(shared: Path) -> list[tuple[Task, str]]:
    """Return real programs that load nothing but their definitions, with their tasks."""
    found = []
    for folder, name in (("humaneval", "HumanEvalPlus-Mini"), ("mbpp", "MbppPlus")):
        tasks = {t.id: t for t in load_dataset(shared / "datasets" / f"{name}.jsonl.gz").tasks}
        for path in sorted((shared / "samples" / folder).glob("*.jsonl.gz")):
            with gzip.open(path, "rt") as lines:
                rows = [json.loads(line) for line in lines]
            for row in rows[:: max(1, len(rows) // 200)]:
                task, source = tasks[row["task_id"]], row["solution"]
                tree = definitions.parse(source)
                if (
                    tree is not None
                    and definitions.defines(tree, task.entry_point)
                    and not definitions.is_stub(tree, task.entry_point)
                    and not superfluous(tree, task.entry_point)
                    and not definitions.undefined(tree.body)
                    and "```" not in source
                ):
                    found.append((task, source))
    return found


@settings(max_examples=100)
@given(data=st.data())
def test_wrapped_programs_come_out(shared: Path, data: st.DataObject) -> None:
    """Prose, fences of any kind, lists, quotations and line ends take nothing and add nothing."""
    known = programs(shared)
    task, source = known[data.draw(st.integers(0, len(known) - 1), label="program")]
    before, after = data.draw(prose, label="before"), data.draw(prose, label="after")
    style = data.draw(st.sampled_from(["fence", "open", "list", "quote", "bare"]), label="style")
    mark = data.draw(st.sampled_from(["```", "````", "~~~"]), label="mark")
    tag = data.draw(st.sampled_from(TAGS), label="tag")
    end = data.draw(st.sampled_from(["\n", "\r\n"]), label="line end")
    source = source if source.endswith("\n") else source + "\n"
    block = f"{mark}{tag}\n{source}{mark}"
    if style == "open":
        block, after = f"{mark}{tag}\n{source}", ""
    elif style == "list":
        block = textwrap.indent(block, "   ", lambda line: True)
    elif style == "quote":
        block = textwrap.indent(block, "> ", lambda line: True)
    elif style == "bare":
        block = source
    text = f"{before}\n{block}\n{after}".replace("\r\n", "\n").replace("\n", end)
    found = extract(text, task)
    assert ast.dump(ast.parse(found.source)) == ast.dump(ast.parse(source))


@settings(max_examples=60)
@given(text=st.text(max_size=200), data=st.data())
def test_any_text_is_taken(shared: Path, text: str, data: st.DataObject) -> None:
    """Extraction ends on any text, and says so where it is left as it was."""
    known = programs(shared)
    task, source = known[data.draw(st.integers(0, len(known) - 1), label="program")]
    at = data.draw(st.integers(0, len(source)), label="where")
    for answer in (text, source[:at] + text + source[at:]):
        found = extract(answer, task)
        if found.steps in ((), ("found no program",)):
            assert found.source == answer
        else:
            tree = definitions.parse(found.source)
            assert tree is not None
            assert definitions.defines(tree, task.entry_point)
