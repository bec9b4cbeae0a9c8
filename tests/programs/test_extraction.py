"""Programs come out of answers as models give them, whole and undamaged."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from evalplus_lite.programs import definitions
from evalplus_lite.programs.extraction import STEPS, extract
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.samples import extracted, read_responses
from evalplus_lite.types import Task

PROMPT = '''from typing import List
import math


def helper(x: int) -> int:
    """Help."""
    return x + 1


def total(numbers: List[int]) -> int:
    """ Return the sum of helper(x).
    >>> total([1, 2])
    5
    """
'''
TASK = Task("t", PROMPT, "total", "", style="completion")
ALONE = Task("m", '"""\nSum.\nassert total([1]) == 2\n"""\n', "total", "", style="solution")
BODY = "    result = 0\n    for x in numbers:\n        result += helper(x)\n    return result\n"
WHOLE = PROMPT + BODY
FUNCTION = "def total(numbers):\n    return sum(x + 1 for x in numbers)\n"


def same(source: str, wanted: str) -> bool:
    return ast.dump(ast.parse(source)) == ast.dump(ast.parse(wanted))


@pytest.mark.parametrize(
    "answer",
    [
        WHOLE,
        FUNCTION,
        "\n\n" + FUNCTION + "\n# the end",
        FUNCTION + "assert total([1]) == 3\nprint(input())\n",
        "total = lambda numbers: 1\n",
        "from m import total\n",
        "def total(numbers):\n\treturn 1\n",
        "def total(numbers):\n    return '```python\\n'\n",
        "import asyncio\nasync def total(numbers):\n    return await asyncio.sleep(0)\n",
        "# a &lt; b\ndef total(numbers):\n    return '&lt;' + str(numbers and 1)\n",
        "def total(numbers):\n    return '\x1b[0m'\n",
        'def total(numbers):\n    """\n    ```\n    total([1])\n    ```\n    """\n    return 1\n',
        "def total(numbers):\r\n    return 1\r\n",
        "class A: pass\ndef total(numbers): return undefined_helper(numbers)\n",
        FUNCTION + "x: int\n",
        "value = 1\nvalue\n" + FUNCTION,
    ],
)
@pytest.mark.parametrize("task", [TASK, ALONE], ids=["completion", "solution"])
def test_a_program_stays_as_it_is(answer: str, task: Task) -> None:
    """What compiles and defines the entry point is left alone, byte for byte."""
    assert extract(answer, task) == extract(answer, task).__class__(answer, ())


@pytest.mark.parametrize("answer", [BODY, "    return 1", "\n    return 1\n\n\nx = 1\n"])
def test_a_completion_follows_the_prompt(answer: str) -> None:
    """A completion that fits is put after the prompt, and nothing else is done."""
    found = extract(answer, TASK, kind="completion")
    assert found == found.__class__(PROMPT + answer, ())
    assert extract(FUNCTION, ALONE, kind="completion").source == FUNCTION


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\n{FUNCTION}```",
        f"```\n{FUNCTION}\n```\n",
        f"~~~py\n{FUNCTION}~~~",
        f"````python\n{FUNCTION}````",
        f"```python {{.line-numbers}}\n{FUNCTION}```",
        f"Sure! Here's the code:\n\n```Python3\n{FUNCTION}```\n\nIt adds one to each number.",
        f"```python\n{FUNCTION}",
        f"{FUNCTION}```",
        f"{FUNCTION}```\nThis works.",
        f"1. First:\n   ```python\n{textwrap.indent(FUNCTION, '   ')}   ```\n2. Done",
        f"> ```python\n{textwrap.indent(FUNCTION, '> ')}> ```\n",
        f"```python\n{FUNCTION.rstrip()}```\n",
        f"Here it is:\n\n{FUNCTION}\nThis function adds one to each number.",
        f"{FUNCTION}\nExplanation: it's simple (really",
        f"Of course:\n\n{textwrap.indent(FUNCTION, '    ')}\nDone.",
        f"<think>\nI could write\n```python\ndef total(n): return 0\n```\n</think>\n{FUNCTION}",
        f"```bash\npip install x\n```\nthen\n```python\n{FUNCTION}```\nwhich prints\n```\n5\n```",
        f"First:\n```python\ndef total(n):\n    return 0\n```\nFixed:\n```python\n{FUNCTION}```",
        f"```python\n{FUNCTION}```\nCall it:\n```python\ndef total(numbers):\n    ...\n```",
        f"python\n{FUNCTION}",
        f"~~~python\n{FUNCTION}",
        f"{FUNCTION}\nThis is it\n",
        f"{FUNCTION}\nNote: recursion\n",
        f"\ufeff{FUNCTION}",
        FUNCTION.replace(" ", "\u00a0"),
        f"{FUNCTION.rstrip()}<|im_end|>\n",
        f"[PYTHON]\n{FUNCTION}[/PYTHON]",
        f"```python\n{FUNCTION}```<|eot_id|>",
        f"```python\n{FUNCTION}\n\nif __name__ == '__main__':\n    print(total([1]))\n```",
        f"```python\n{FUNCTION}\nassert total([1]) == 3\nnumbers = [1]\nprint(total(numbers))\n```",
        f"```python\nimport pytest\n{FUNCTION}\ndef test():\n    assert total([])\ntest()\n```",
        f"{FUNCTION}\n\ndef other(x):\n    return (1,\n",
        f"{FUNCTION}\nassert total([1]) == 2\nassert total([",
        f"{FUNCTION}\n'''This is\nmy explanation",
        f"```python\nnot code at all\n```\n{FUNCTION}",
    ],
)
@pytest.mark.parametrize("task", [TASK, ALONE], ids=["completion", "solution"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_the_function_is_found(answer: str, task: Task, end: str) -> None:
    """From fences, prose, marks and odd characters the function comes out, and it alone counts."""
    found = extract(answer.replace("\n", end), task)
    tree = ast.parse(found.source)
    functions = [node for node in tree.body if getattr(node, "name", "") == "total"]
    assert [ast.dump(node) for node in functions] == [ast.dump(ast.parse(FUNCTION).body[0])]
    assert not [node for node in tree.body if isinstance(node, (ast.Assert, ast.Expr, ast.If))]
    assert found.steps
    assert "found no program" not in found.steps
    assert set(found.steps) <= set(STEPS)


@pytest.mark.parametrize(
    "answer",
    [
        BODY,
        textwrap.dedent(BODY),
        BODY.lstrip(),
        f"```python\n{BODY}```",
        f"```\n{textwrap.dedent(BODY)}```",
        f"Here is the body:\n```python\n{BODY}```\nDone.",
        f"```python\n{WHOLE}```",
        WHOLE,
        BODY + "\n\ndef unfinished(",
        BODY + "\nThat is all, isn't it?",
        BODY + "<|endoftext|>",
        BODY.replace("    ", "\t"),
        f"    Note that helper is used.\n```python\n{BODY}```",
    ],
)
@pytest.mark.parametrize("kind", ["completion", "solution"])
def test_bodies_and_repeated_prompts(answer: str, kind: str) -> None:
    """A body without its head follows the prompt, and a repeated prompt does no harm."""
    found = extract(answer, TASK, kind="completion" if kind == "completion" else "solution")
    tree = ast.parse(found.source)
    wanted = ast.parse(WHOLE)
    last = [node for node in tree.body if getattr(node, "name", "") == "total"][-1]
    assert ast.dump(last) == ast.dump(wanted.body[-1])
    assert definitions.undefined(tree.body) == frozenset()
    assert "found no program" not in found.steps


def test_an_indented_definition_is_no_body() -> None:
    """A completion with a head of its own, indented, is not nested in the prompt's function."""
    found = extract(textwrap.indent(FUNCTION, "    "), TASK, kind="completion")
    tree = ast.parse(found.source)
    assert ast.dump(tree.body[-1]) == ast.dump(ast.parse(FUNCTION).body[0])


def test_what_a_function_needs_comes_along() -> None:
    """Helpers, globals, classes and imports of other blocks and of the prompt are taken."""
    answer = (
        "First some helpers:\n```python\nimport re\nLIMIT = 3\nclass Box:\n    pass\n"
        "def unrelated(): return missing\n```\nthen\n```python\n"
        "def total(numbers: List[int]) -> int:\n"
        "    return math.floor(helper(LIMIT)) + len(re.findall('a', str(Box())))\n```\n"
    )
    found = extract(answer, TASK)
    wanted = [
        "from typing import List",
        "import math",
        "def helper(x: int) -> int:",
        "import re",
        "LIMIT = 3",
        "class Box:",
        "def total(numbers: List[int]) -> int:",
    ]
    assert [ast.unparse(node).splitlines()[0] for node in ast.parse(found.source).body] == wanted
    assert found.steps == (
        "took a fenced block",
        "joined blocks",
        "took definitions from the prompt",
    )


def test_what_matters_for_loading_stays() -> None:
    """Settings, caches and what a function needs are no examples, even if they are calls."""
    program = (
        "import sys\nfrom functools import cache\nsys.setrecursionlimit(10 ** 6)\nmemo = {}\n"
        "memo[0] = 1\n@cache\ndef total(numbers):\n    return memo.get(len(numbers))\n"
        "total = cache(total)\n"
    )
    found = extract(f"```python\n{program}print(total([]))\n```", ALONE)
    assert same(found.source, program)
    assert found.steps == ("took a fenced block", "dropped examples")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot help with that.",
        "```python\n```",
        "def total(numbers):\n    return (1,\n",
        "def sum_all(numbers):\n    return 1\n",
        "```python\ndef total(numbers):\n    if numbers:\n        return [x for x in\n```",
        "x = '\x00'",
        "\ud800",
        "```" * 1000,
        "(" * 10_000,
    ],
)
def test_an_answer_without_a_program_stays_as_it_is(answer: str) -> None:
    """Where nothing can be made of an answer it is kept: never emptied, never half a function."""
    found = extract(answer, ALONE)
    assert found == found.__class__(answer, ("found no program",))


def test_a_broken_function_is_not_cut_to_fit() -> None:
    """A function that is cut off within itself is not made a shorter one that compiles."""
    broken = FUNCTION.replace("sum(x + 1 for x in numbers)", "sum(x + 1\n")
    assert "found no program" in extract(PROMPT + BODY + broken, TASK).steps or (
        ast.dump(ast.parse(extract(PROMPT + BODY + broken, TASK).source).body[-1])
        == ast.dump(ast.parse(WHOLE).body[-1])
    )
    found = extract("    x = 1\n    return [x for", TASK, kind="completion")
    assert found.steps == ("found no program",)


@pytest.mark.parametrize(
    "answer",
    [
        "def f(:\n" * 20_000,
        "```python\n" * 5_000,
        "x = (\n" * 50_000,
        "import a\nprose here\n" * 10_000,
        "@" * 100_000,
        "'''\n" * 30_001,
        "1<" * 45_000 + "1\nThis is it",
        "1<" * 45_000 + "1\ntotal",
        "1<" * 300_000 + "1\nThis is it",
    ],
)
def test_hostile_answers_end(answer: str) -> None:
    """Long nonsense is given up after a bounded search, or not looked into."""
    found = extract(answer, TASK)
    assert found.source == answer
    assert found.steps in (("found no program",), ("too large to look into",))


def test_thinking_of_any_length_is_left_out() -> None:
    """An answer is what follows the last end of thinking, however much there was before."""
    answer = "<think>\n</think>\n" + "So it adds one.\n" * 5_000 + f"</think>\n{FUNCTION}"
    assert extract(answer, ALONE).source.strip() == FUNCTION.strip()


@pytest.mark.parametrize(
    ("folder", "dataset"), [("humaneval", "HumanEvalPlus-Mini"), ("mbpp", "MbppPlus")]
)
def test_real_samples_keep_their_programs(shared: Path, folder: str, dataset: str) -> None:
    """Of real samples those that compile are untouched; the others keep the function as it is."""
    data = load_dataset(shared / "datasets" / f"{dataset}.jsonl.gz")
    tasks = {task.id: task for task in data.tasks}
    seen = changed = 0
    for path in sorted((shared / "samples" / folder).glob("*.jsonl.gz")):
        for answer in read_responses(path, data):
            found = extracted(answer, tasks[answer.task_id])
            seen += 1
            if definitions.parse(answer.text) is not None:
                assert found.source.endswith(answer.text)
                assert set(found.steps) <= {"took definitions from the prompt", "found no program"}
            elif "found no program" not in found.steps:
                changed += 1
                tree = ast.parse(found.source)
                name = tasks[answer.task_id].entry_point
                (function,) = [node for node in tree.body if getattr(node, "name", "") == name]
                assert (ast.get_source_segment(found.source, function) or "?") in answer.text
    assert seen
    assert changed
