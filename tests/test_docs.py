"""Links, commands, names and figures in the documents are right."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer
import typer.main

from evalplus_lite.cli.app import app
from evalplus_lite.tasks import load_dataset, write_suites
from evalplus_lite.tasks.samples import read_samples
from evalplus_lite.types import Rule
from scripts.api_reference import FACES, reference
from scripts.benchmarks.render import documents, rendered

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted({*documents(), *ROOT.glob("*.md"), ROOT / "tests" / "README.md"})
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
BENCHMARK = re.compile(r"python -m (scripts[\w.]+)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}


def broken(page: Path) -> Iterator[str]:
    """Yield a page's links that lead nowhere."""
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = unquote(target).partition("#")
        if re.match(r"\w+:", target):
            continue
        to = (page.parent / path).resolve() if path else page
        if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_page_names_is_there(page: Path) -> None:
    """Links, commands with their options, extras, scripts, and what is imported."""
    assert list(broken(page)) == []
    for words in commands(page):
        command = typer.main.get_command(app)
        context = typer.Context(command)
        known = {option for each in command.params for option in each.opts}
        while hasattr(command, "resolve_command") and words and not words[0].startswith("-"):
            _, command, words = command.resolve_command(context, words)
            known |= {o for each in command.params for o in (*each.opts, *each.secondary_opts)}
        given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert given - {"--help", "-h"} <= known, words
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"evalplus[-_]lite\[([\w,-]+)\]", page.read_text(encoding="utf-8"))
    wanted = {extra for each in named for extra in each.split(",")}
    assert wanted <= project["optional-dependencies"].keys()
    for module in BENCHMARK.findall(page.read_text(encoding="utf-8")):
        assert importlib.util.find_spec(module.rstrip(".")), module
    for language, code in FENCE.findall(page.read_text(encoding="utf-8")):
        if language != "python" or "import" not in code:
            continue
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("evalplus_lite"):
                module = importlib.import_module(str(node.module))
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    found = hasattr(module, alias.name) or importlib.util.find_spec(inner)
                    assert found, ast.unparse(node)


def test_the_python_reference_can_be_generated() -> None:
    """With every public name; the index names every page."""
    index = ROOT / "docs" / "README.md"
    linked = {
        (index.parent / to.partition("#")[0]).resolve() for to in LINK.findall(index.read_text())
    }
    assert {p for p in (ROOT / "docs").rglob("*.md") if p != index} <= linked
    page = reference()
    for face in FACES:
        for name in (name for name in face.__all__ if not name.startswith("_")):
            assert re.search(rf"^### {name}$|^- `{name}`$", page, re.MULTILINE), name
            value = getattr(face, name)
            if inspect.isclass(value):
                assert vars(value).get("__doc__"), name
            elif inspect.isroutine(value):
                assert value.__doc__, name


@pytest.mark.parametrize("page", list(documents()), ids=name)
def test_tables_hold_the_last_figures(page: Path) -> None:
    """A table stands in its document as its JSON says: ``python -m scripts.benchmarks.render``."""
    assert page.read_text(encoding="utf-8") == rendered(page)


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the ``evalplus-lite`` commands that a page shows on lines of their own."""
    text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
    for line in text.splitlines():
        if line.strip().startswith("evalplus-lite ") and not line.startswith("evalplus-lite is"):
            yield shlex.split(line, comments=True)[1:]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_paths_exist(page: str) -> None:
    """Every path that these pages name is there: in the checkout, or in the package."""
    for path in PATH.findall((ROOT / page).read_text(encoding="utf-8")):
        assert any((folder / path).exists() for folder in (ROOT, ROOT / "evalplus_lite")), path


# The examples in docs/reference/formats.md are read by the readers that they document.

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "reference" / "formats.md"


@pytest.fixture
def examples(tmp_path: Path) -> dict[str, Path]:
    """Return a file for each marked example."""
    found = {}
    pattern = r"<!-- example: (\w+) -->\n```json\n(.*?)```"
    for name, text in re.findall(pattern, DOCUMENT.read_text(encoding="utf-8"), re.DOTALL):
        found[name] = tmp_path / f"{name}.jsonl"
        found[name].write_text(text)
    return found


def test_own_tasks_and_their_samples(examples: dict[str, Path], tmp_path: Path) -> None:
    """The examples of a task, its samples and its suite are read with what they say."""
    (task,) = load_dataset(examples["own"]).tasks
    assert task.base[1].arguments == ((1,), (2,))
    assert task.rule == Rule("strict")
    samples = list(read_samples(examples["samples"], load_dataset(examples["own"])))
    assert [(sample.model, sample.index) for sample in samples] == [("some-model", 0), ("", 0)]
    assert all("return a + b" in sample.source for sample in samples)
    dataset = load_dataset(examples["suite"])
    assert (len(dataset.tasks[0].base), len(dataset.tasks[0].plus)) == (1, 1)
    write_suites(tmp_path / "again", dataset.tasks, dataset.suites.values())
    written = json.loads((tmp_path / "again").read_text())
    # As lists of pairs, so that the order of keys counts too.
    assert json.dumps(written) == json.dumps(json.loads(examples["suite"].read_text()))
