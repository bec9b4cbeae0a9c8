"""Programs come out of the other forms that they are shown in."""

from __future__ import annotations

import ast
import html
import json

import pytest

from evalplus_lite.programs.extraction import extract
from evalplus_lite.types import Task

PROMPT = 'from typing import List\n\n\ndef total(numbers: List[int]) -> int:\n    """Add."""\n'
TASK = Task("t", PROMPT, "total", "", style="completion")
ALONE = Task("m", '"""Add."""\n', "total", "", style="solution")
FUNCTION = (
    "def total(numbers):\n"
    "    result = 0\n"
    "    for number in numbers:\n"
    "        if number < 3 & 7 and number > -1:\n"
    "            result += number\n"
    "    return result\n"
)
LINES = FUNCTION.splitlines()
SESSION = "\n".join([f">>> {LINES[0]}", *(f"... {line}" for line in LINES[1:]), "..."])
OLLAMA = FUNCTION.replace("numbers:\n", "num\x1b[3D\x1b[K\x1b[?25lnumbers:\n")


@pytest.mark.parametrize(
    "answer",
    [
        SESSION,
        f"Try it:\n```pycon\n{SESSION}\n>>> total([1, 2])\n3\n```\nIt prints 3.",
        f"```\nPython 3.11.4\n{SESSION}\n>>> total([1,\n... 2])\n3\n>>> \n```",
        "In [1]: " + FUNCTION.rstrip().replace("\n", "\n   ...: ") + "\nOut[1]: 3",
        json.dumps({"thought": "add them", "code": FUNCTION}),
        f"```json\n{json.dumps({'answer': {'python': FUNCTION}}, indent=2)}\n```",
        json.dumps({"solution": f"```python\n{FUNCTION}```"}),
        json.dumps({"lines": LINES}),
        json.dumps(FUNCTION),
        FUNCTION.replace("\n", "\\n"),
        html.escape(FUNCTION),
        f'<pre><code class="language-python">{html.escape(FUNCTION)}</code></pre>',
        f"```python\n{html.escape(FUNCTION)}```",
        f"\x1b[1mHere:\x1b[0m\n```python\n\x1b[32m{FUNCTION}\x1b[0m```\n",
        f"```python\n{OLLAMA}```",
        f"\x1b[?25l{FUNCTION}\x1b[?25h",
        f"[PYTHON]\n{FUNCTION}",
        f"[BEGIN]\n{FUNCTION}[DONE]\n",
        f"{FUNCTION}[ANSWER]",
        f"{FUNCTION}]\n",
        f"{FUNCTION}}}\n\nThat is all.",
        f"{FUNCTION}[END OF CODE]\nThanks",
        f"```python\n{FUNCTION}```\nTests:\n```python\nfrom solution import total\n"
        "def test():\n    assert total([1]) == 1\n```",
        f"{FUNCTION}\nfrom main import total\nassert total([1]) == 1\n",
    ],
)
@pytest.mark.parametrize("task", [TASK, ALONE], ids=["completion", "solution"])
def test_the_function_is_found(answer: str, task: Task) -> None:
    """The function that the form shows comes out as it was, and nothing else defines it."""
    found = extract(answer, task)
    functions = [node for node in ast.parse(found.source).body if "total" in ast.dump(node)[:60]]
    assert [ast.unparse(node) for node in functions] == [ast.unparse(ast.parse(FUNCTION))]
    assert found.steps
    assert "import" not in found.source


@pytest.mark.parametrize(
    "program",
    [
        "class Solution:\n    def total(self, numbers):\n        return sum(numbers)\n",
        "class Solution:\n    def totalOf(self, numbers):\n        return self._add(numbers)\n\n"
        "    def _add(self, numbers):\n        return sum(numbers)\n",
        "class Adder:\n    def __init__(self, start=0):\n        self.start = start\n\n"
        "    @staticmethod\n    def total(numbers):\n        return sum(numbers)\n",
    ],
)
@pytest.mark.parametrize("form", ["{}", "```python\n{}```", "Here:\n```\n{}\nprint(1)\n```\n"])
def test_a_method_is_called(program: str, form: str) -> None:
    """A class that holds the function as a method answers as the function would."""
    found = extract(form.format(program), ALONE)
    names: dict[str, object] = {}
    exec(found.source, names)  # our own text above
    total = names["total"]
    assert callable(total)
    assert total([1, 2]) == 3
    assert "made a function of a method" in found.steps


@pytest.mark.parametrize("kind", ["plain", "fenced"])
def test_the_prompts_imports_are_lent(kind: str) -> None:
    """A program that lacks an import of the prompt gets it, whether in a fence or not."""
    program = "def total(numbers: List[int]) -> int:\n    return sum(numbers)\n"
    answer = program if kind == "plain" else f"```python\n{program}```"
    found = extract(answer, TASK)
    assert found.source == "from typing import List\n" + program
    assert "took definitions from the prompt" in found.steps
    assert extract(program.replace("List[int]", "list"), TASK).steps == ()


@pytest.mark.parametrize(
    "answer",
    [
        "def total(numbers):\n    if numbers:\n        x = (numbers\n  and then more\n",
        "def total(numbers):\n    x = [\n        1,\n) + numbers\n]\n",
        "class Solution:\n  def __init__(self, a): pass\n  def total(self, n): return n\n",
        '{"code": "def other(): return 1"}',
        ">>> total([1])\n3\n",
        "+ total is\n- not here\n",
        "1. total first\n2. then second\n",
        "from solution import total\nassert total([1]) == 1\nprose here",
    ],
)
def test_what_shows_no_program_stays(answer: str) -> None:
    """Where the form holds no function, or half of one, the answer stays as it is."""
    found = extract(answer, ALONE)
    assert (found.source, found.steps) == (answer, ("found no program",))
