"""Types that a model proposes: who is asked about what, what an answer may be, and the proof."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import run

from evalplus_lite import Session
from evalplus_lite.errors import InputError
from evalplus_lite.exe import mine
from evalplus_lite.exe.findings.tables import generation
from evalplus_lite.exe.inputs.proposing import CYCLES, TOOL
from evalplus_lite.exe.mining import MiningResult
from evalplus_lite.exe.reading.index import PackageIndex
from evalplus_lite.exe.selecting.annotations import PackageAnnotations
from evalplus_lite.exe.selecting.proposed import read_proposed
from evalplus_lite.exe.settings import MiningSettings
from evalplus_lite.exe.sources.archives import open_package
from evalplus_lite.exe.tasks.mined import MinedTask
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.models import Client

PROJECT = '[project]\nname = "toys"\nversion = "1.0"\nlicense = "MIT"\n'
PACKAGE = """
import os
from collections.abc import Callable

def grouped(pairs, most):
    found = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return [(key, values[:most]) for key, values in found.items()]

class Box:
    def __init__(self, content):
        self.content = content

    def repeated(self, times):
        return self.content * times

    def shown(self):
        return f"<{self.content!r}>"

def weight(box):
    return len(box.content) + 1

def told(text="", width=3):
    return text.ljust(width) + "|"

def impure(thing):
    return os.getpid() + thing

def typed_badly(call: Callable[[int], int], thing):
    return call(thing)

def nothing(thing):
    thing.clear()

async def later(thing):
    return thing
"""
TRUE = {
    "grouped": {"pairs": "list[tuple[str, int]]", "most": "int"},
    "Box.__init__": {"content": "str | List[int]"},
    "Box.repeated": {"times": "int"},
    "weight": {"box": "Box"},
}
_QUESTION = re.compile(r"The function is (\S+), in this source:\n<source>(.*)</source>", re.DOTALL)


def asked(body: dict[str, Any]) -> tuple[str, str]:
    """Return the function that a request is about, and its source as shown."""
    found = _QUESTION.search(body["messages"][0]["content"])
    assert found is not None
    return found[1], found[2]


def player(server: Any, types: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
    """Return a model that knows functions' types."""
    return lambda body: server.chat(json.dumps({"types": types.get(asked(body)[0], {})}))


def mined(folder: Path, server: Any, *, source: str = PACKAGE, **settings: Any) -> MiningResult:
    """Mine a package while a model at a real server is asked for types."""
    (folder / "toys").mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "toys/__init__.py").write_text(source)
    given = {"types": "known", "model": "tiny", "asked_for": "types", "rounds": 1, **settings}
    with Session(workers=1) as session:
        return mine(
            [str(folder)],
            settings=MiningSettings(**given),
            client=Client("tiny", base_url=server.url),
            session=session,
        )


def parameters(result: MiningResult, name: str) -> dict[str, tuple[str, str]]:
    """Return a task's parameters: each type, and what told it."""
    (row,) = (row for row in result.to_rows() if row["task_id"] == f"toys/toys.{name}")
    listed = row["signature"]["parameters"]
    return {each["name"]: (each["type"], each.get("origin", "annotation")) for each in listed}


def test_what_nothing_tells_is_asked_once_and_marked(tmp_path: Path, model_server: Any) -> None:
    """Functions, methods, and what objects are made of; the row has the model and its tokens."""
    model_server.answers.append(player(model_server, TRUE))
    result = mined(tmp_path, model_server)
    names = [asked(body)[0] for body in model_server.asked]
    assert sorted(names) == sorted(TRUE)
    assert parameters(result, "grouped") == {
        "pairs": ("list[tuple[str, int]]", "model"),
        "most": ("int", "model"),
    }
    assert parameters(result, "Box_repeated")["content"] == ("str | list[int]", "model")
    assert parameters(result, "call_weight") == {"box": ("tuple[str | list[int]]", "model")}
    assert all(origin != "model" for _, origin in parameters(result, "told").values())
    rows = {row["function"]: row for row in result.to_rows()}
    assert rows["grouped"]["typing"] == {
        "model": "tiny", "temperature": 0.8, "requests": 1, "prompt_tokens": 7,
        "completion_tokens": 5,
    }  # fmt: skip
    assert rows["Box_shown"]["typing"]["requests"] == 0
    assert "typing" not in rows["told"]
    assert all(row["validators"]["failed"] == [] for row in rows.values())
    counts = result.funnel.counts
    assert (counts["asked for types"], counts["types proposed"]) == (4, 4)
    assert counts["tokens for types"] == 4 * 12
    cost = generation(map(MinedTask.from_json, rows.values()), {})
    assert cost is not None
    assert (cost["models"], cost["prompt"]) == (["tiny"], 3 * 7)  # Box's own was asked for no task


def test_types_that_do_not_run_are_not_kept(tmp_path: Path, model_server: Any) -> None:
    """What is readable and wrong is found by running: what was told without it counts again."""
    wrong = {"Box.repeated": {"times": "str"}, "grouped": {"pairs": "list[float]", "most": "str"}}
    model_server.answers.append(player(model_server, TRUE | wrong))
    result = mined(tmp_path, model_server)
    assert result.funnel.reasons["loads", "proposed types do not run"] == 1
    assert parameters(result, "grouped") == {
        "pairs": ("list[int | str]", "use"),
        "most": ("Any", "none"),
    }
    kept = {row["function"] for row in result.to_rows()}
    assert kept == {"grouped", "Box_shown", "call_weight", "told"}


def test_what_did_not_run_is_told_and_asked_once_more(tmp_path: Path, model_server: Any) -> None:
    """With the calls that failed and their errors; tokens of both questions are the row's."""
    wrong = player(model_server, TRUE | {"grouped": {"pairs": "list[float]", "most": "str"}})
    right = player(model_server, TRUE)

    def says(body: dict[str, Any]) -> Any:
        return (right if "these failed" in body["messages"][0]["content"] else wrong)(body)

    model_server.answers.append(says)
    result = mined(tmp_path, model_server)
    said = [body["messages"][0]["content"] for body in model_server.asked]
    (again,) = (text for text in said if "these failed" in text)
    assert "The function is grouped," in again
    assert "pairs: list[float], most: str" in again
    assert "TypeError" in again
    assert parameters(result, "grouped")["pairs"] == ("list[tuple[str, int]]", "model")
    (row,) = (row for row in result.to_rows() if row["function"] == "grouped")
    assert (row["typing"]["requests"], row["typing"]["prompt_tokens"]) == (2, 14)


def test_what_cannot_be_used_is_told_and_asked_again(tmp_path: Path, model_server: Any) -> None:
    """The model hears of each such type, so often at most, and what can be used counts."""
    source = """
def pair(a, b):
    return combined(a, b)
def combined(x: int, y: int):
    return [x, y, x]
"""
    said = [
        {"a": "Callable[[int], int]", "b": "int"},
        {"a": "Any", "b": "int"},
        {"a": "no type at all", "b": "int"},
        {"a": "unfit", "b": "int"},
        "never",
    ]
    model_server.says(*(json.dumps({"types": each}) for each in said))
    result = mined(tmp_path, model_server, source=source)
    assert len(model_server.asked) == CYCLES
    again = model_server.asked[1]["messages"][-1]["content"]
    assert "Callable" in again
    assert "b:" not in again
    assert parameters(result, "pair") == {"a": ("Any", "none"), "b": ("int", "model")}


def test_questions_are_bounded_as_functions_are(tmp_path: Path, model_server: Any) -> None:
    """So many a package at most, and no more of its functions run."""
    model_server.answers.append(player(model_server, TRUE))
    result = mined(tmp_path, model_server, functions=2)
    assert len(model_server.asked) == 2
    assert result.funnel.counts["asked for types"] == 2
    assert result.funnel.counts["mined"] <= 2


def test_a_tool_is_called_for_types(tmp_path: Path, model_server: Any) -> None:
    """As for inputs: by its name, with the parameters as its own."""
    types = {"types": {"first": "str", "second": "str"}}
    model_server.answers.append(model_server.call(TOOL, types))
    source = "def both(first, second):\n    return {'first': first, 'second': second}\n"
    result = mined(tmp_path, model_server, source=source, tools=True, temperature=0.0)
    (body,) = model_server.asked
    (tool,) = body["tools"]
    assert tool["function"]["name"] == TOOL
    wanted = tool["function"]["parameters"]["properties"]["types"]["required"]
    assert wanted == ["first", "second"]
    assert body["temperature"] == 0.0
    assert len(result.to_rows()) == 1


def test_a_question_without_an_answer_costs_no_other(tmp_path: Path, model_server: Any) -> None:
    """A server that refuses one request; the function is left out, and the rejects say why."""
    knows = player(model_server, TRUE)
    model_server.fails(400, "this prompt is filtered", "content_filter")
    refusal = model_server.answers.pop()
    model_server.answers.append(lambda b: refusal if asked(b)[0] == "Box.repeated" else knows(b))
    result = mined(tmp_path, model_server)
    assert {row["function"] for row in result.to_rows()} == {
        "grouped", "Box_shown", "call_weight", "told",
    }  # fmt: skip
    assert result.funnel.counts["no answer about types"] == 1


def test_inputs_and_types_of_one_model(tmp_path: Path, model_server: Any) -> None:
    """First the types, then inputs of them."""
    cases = [{"args": {"times": n}, "kwargs": {}} for n in range(12)]
    source = """
def line(times):
    return made(times)
def made(n: int):
    return '-' * n + '>'
"""

    def says(body: dict[str, Any]) -> Any:
        text = body["messages"][0]["content"]
        is_typing = "have no type annotations" in text
        return model_server.chat(
            json.dumps({"types": {"times": "int"}} if is_typing else {"test_cases": cases})
        )

    model_server.answers.append(says)
    result = mined(tmp_path, model_server, source=source, asked_for="both")
    (row,) = (row for row in result.to_rows() if row["function"] == "line")
    assert (row["typing"]["requests"], row["generation"]["mode"]) == (1, "llm")
    assert sorted(case["input"][0][0] for case in row["cases"]) == list(range(12))


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("list[str]", Type("list", (Type("str"),))),
        (" Optional[int] ", Type("union", (Type("int"), Type("none")))),
        ("'int'", Type("int")),
        ("typing.List[Known]", None),
        ("unfit", ""),
        (None, None), (3, None), ({}, None), ("", None), ("Any", None), ("object", None),
        ("Unheard", None), ("__import__('os').system('x')", None), ("(" * 199, None),
        ("[" * 90, None), ("-" * 200 + "1", None), ("list[" * 30 + "int" + "]" * 30, None),
        ("int | " * 40 + "str", None), ("Literal['" + "a" * 300 + "']", None),
        ("int\x00", None), ("int\n| str", None), ("\ud800", None), ("lambda: 1", None),
        ("Literal[9**9**9]", None), ("Literal[1e999]", None), ("list[Literal[1, -1e999]]", None),
        ("list['list[int]']", Type("list", (Type("list", (Type("int"),)),))),
    ],
)  # fmt: skip
def test_whatever_is_proposed_is_a_type_or_words(
    toys: Any, said: object, kind: Type | str | None
) -> None:
    """It is read as annotations are: nothing is evaluated, and no text does harm."""
    from evalplus_lite.exe.selecting.proposed import _Familiar

    with open_package(toys.wheel({"toy.py": "def known(): ..."})) as package:
        reader = PackageAnnotations(_Familiar(PackageIndex(package)), types="known")
        found = read_proposed(said, reader, "toy")
    if kind is None:
        assert isinstance(found, str)
        assert 0 < len(found) < 300
    else:
        assert found == kind


def test_types_are_asked_of_a_model_for_what_has_none(tmp_path: Path) -> None:
    """Without a model, or where functions without annotations are left out, it is a mistake."""
    (tmp_path / "toy.py").write_text("def f(x):\n    return x\n")
    for settings in ({"asked_for": "types"}, {"asked_for": "both", "types": "paper"}):
        client = Client("m", base_url="http://127.0.0.1:9/v1") if "types" in settings else None
        with pytest.raises(InputError) as caught:
            mine([str(tmp_path)], settings=MiningSettings(**settings), client=client)  # type: ignore[arg-type]
        assert caught.value.remedy
    done = run("exe", "mine", tmp_path, "--ask-for", "types", folder=tmp_path)
    assert done.returncode == 2
    assert "--model" in done.stderr


def test_what_no_value_suits_is_left_out_if_it_may_be(tmp_path: Path, model_server: Any) -> None:
    """Where a call must give it, nothing is known as before."""
    source = """
def kept(pairs, key=None, stream=None):
    if stream is not None:
        stream.write("kept")
    return made(pairs, key)
def made(pairs, key):
    return [(key, each) for each in (pairs or [])]
"""
    types = {"kept": {"pairs": "list[tuple[int, str]]", "key": "unfit", "stream": "unfit"}}
    model_server.answers.append(player(model_server, types))
    result = mined(tmp_path, model_server, source=source)
    assert parameters(result, "kept") == {"pairs": ("list[tuple[int, str]]", "model")}


JOINED = """
import os

def joined(items, sep):
    out = []
    for each in items:
        out.append(str(each))
    return out + [sep]

class Kept:
    def __init__(self, n: int):
        self.n = n

class Telling:
    def __init__(self, n: int):
        self.n = os.getpid() + n

def two(items, b):
    return [str(b)[:1], *[str(each) for each in items]]

def call_two(x: int) -> int:
    return x + 1
"""


@pytest.mark.parametrize(
    "types",
    [
        {"items": "set[str]", "sep": "str"},  # changes from run to run
        {"items": "list[str]", "sep": "Kept"},  # no answer is plain data
        {"items": "list[str]", "sep": "Telling"},  # its program is not pure
        {"items": "Literal['']", "sep": "Literal[1]"},  # too few cases
    ],
)
def test_wrong_types_take_nothing_away(
    tmp_path: Path, model_server: Any, types: dict[str, str]
) -> None:
    """What is valid without a model stays so, and the funnel counts each function once."""
    answers = {"joined": types, "two": {"items": "list[int]", "b": "Kept"}}
    model_server.answers.append(player(model_server, answers))
    result = mined(tmp_path, model_server, source=JOINED)
    rows = {row["function"]: row for row in result.to_rows()}
    assert {"joined", "two", "call_two"} <= set(rows)
    assert not rows["joined"]["validators"]["failed"]
    assert "model" not in {origin for _, origin in parameters(result, "joined").values()}
    counts, reasons = result.funnel.counts, result.funnel.reasons
    for before, after in (("accepted", "static"), ("static", "loads"), ("loads", "stable")):
        assert counts[after] == counts[before] - sum(
            number for (stage, _), number in reasons.items() if stage == after
        )


def test_no_answer_ends_a_run(tmp_path: Path, model_server: Any) -> None:
    """Half a pair of surrogates, a text without end: they cost their own question."""
    said = [json.dumps({"types": {"items": "\ud800", "b": "\ud800"}}), "x" * 1_200_000]
    source = "def two(items, b):\n    return [b, *[str(each) for each in items]]\n"
    model_server.says(*said)
    result = mined(tmp_path, model_server, source=source)
    assert [row["function"] for row in result.to_rows()] == ["two"]
    assert result.funnel.counts["no answer about types"] == 1
    assert "\\ud800" in model_server.asked[1]["messages"][-1]["content"]


def test_who_is_not_mined_is_not_asked_about(tmp_path: Path, model_server: Any) -> None:
    """A class that is bound again, a parameter by place; a member's method is."""
    source = """
import enum
class Twice:
    def one(self, n): return n
class Twice:
    def two(self, n): return n
class Placed:
    def at(self, q, /): return q
class Color(enum.Enum):
    RED = 1
    BLUE = 2
    def mixed(self, other): return [self.value, other]
"""
    answers = {"Color.mixed": {"other": "list[int]"}}
    model_server.answers.append(player(model_server, answers))
    result = mined(tmp_path, model_server, source=source)
    assert [asked(body)[0] for body in model_server.asked] == ["Color.mixed"]
    assert parameters(result, "Color_mixed")["other"] == ("list[int]", "model")


def test_a_model_is_asked_about_what_is_refreshed(tmp_path: Path, model_server: Any) -> None:
    """And of what objects are made of, as far as these functions need it."""
    model_server.answers.append(player(model_server, TRUE))
    first = mined(tmp_path, model_server)
    earlier = tmp_path / "earlier.jsonl"
    rows = [row for row in first.to_rows() if row["function"] == "grouped"]
    earlier.write_text("".join(json.dumps(row) + "\n" for row in rows))
    model_server.asked.clear()
    with Session(workers=1) as session:
        again = mine(
            [str(tmp_path)],
            settings=MiningSettings(types="known", model="tiny", asked_for="types", rounds=1),
            client=Client("tiny", base_url=model_server.url),
            refresh=earlier,
            session=session,
        )
    assert [asked(body)[0] for body in model_server.asked] == ["grouped"]
    assert [row["function"] for row in again.to_rows()] == ["grouped"]
