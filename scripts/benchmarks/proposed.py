"""Take the annotations off functions of packages, and have their types proposed.

    python -m scripts.benchmarks.proposed WHEEL...

Each package is mined without the annotations of its functions (comments are lost, too) four times:
with nobody to ask; with somebody who proposes what the annotations said; with somebody who proposes
another type for each parameter; and with somebody who does so first, and knows better when asked
again. Prints what came of them, and how large the share of
misused inputs was (``evalplus_lite.exe.inputs.proposing.misused``), which decides whether
proposed types are kept.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evalplus_lite.exe.inputs import proposing
from evalplus_lite.exe.inputs.proposing import MOST_MISUSED, TRIED, misused
from evalplus_lite.exe.inputs.validators import Executed
from evalplus_lite.exe.mine import MISTYPED, PackageMine
from evalplus_lite.exe.reading.names import arguments_of
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.selecting.proposed import UNFIT
from evalplus_lite.exe.settings import MiningSettings
from evalplus_lite.exe.sources.archives import open_package
from evalplus_lite.exe.sources.packages import PackageSource
from evalplus_lite.models import Reply, Request, Usage
from scripts.benchmarks.figures import Table, arguments

OTHERS = tuple(
    """int | str | float | bool | bytes | list[int] | list[str] | dict[str, int]
    | tuple[int, int]""".replace("\n", "").split(" | ")
)
"""What wrong types are taken from."""
KINDS = ("nobody", "annotations", "wrong", "wrong at first")
_QUESTION = re.compile(r"The function is (\S+), in this source:")
_MISSING = re.compile(r"^Parameters without a type: (.*)$", re.MULTILINE)

Functions = dict[str, dict[str, str]]


class _Bare(ast.NodeTransformer):
    """Takes the annotations off functions and methods, and remembers them."""

    def __init__(self) -> None:
        self.functions: Functions = {}
        self._owner = ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        before, self._owner = self._owner, f"{node.name}."
        self.generic_visit(node)
        self._owner = before
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        given = {a.arg: a for a in arguments_of(node.args) if a.annotation is not None}
        self.functions[f"{self._owner}{node.name}"] = {
            name: ast.unparse(each.annotation) for name, each in given.items() if each.annotation
        }
        for each in given.values():
            each.annotation = None
        node.returns = None
        return node


@dataclass(slots=True)
class Knowing:
    """A source that answers questions about types with what it is given by function."""

    known: Callable[[str, str], str]
    """The type of a function's parameter."""
    again: Callable[[str, str], str] | None = None
    """The same once calls with values of the first have failed."""
    model = "known"
    usage: Usage = field(default_factory=Usage)

    def ask(self, request: Request, *, cut_off: str = "error") -> Reply:
        """Answer a question about types."""
        text = request.messages[0].content
        asked, missing = _QUESTION.search(text), _MISSING.search(text)
        assert asked is not None
        assert missing is not None
        is_again = TRIED.partition("\n{")[0] in text
        known = self.again if is_again and self.again is not None else self.known
        types = {name: known(asked[1], name) for name in missing[1].split(", ")}
        return Reply(text=json.dumps({"types": types}), prompt_tokens=1, completion_tokens=1)

    def each(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Do one after the other."""
        return map(function, items)


def bare(package: PackageSource) -> tuple[PackageSource, Functions]:
    """Return a package without its functions' annotations, and these by function."""
    functions: Functions = {}
    texts: dict[str, bytes] = {}
    for file in package.files.values():
        try:
            tree = ast.parse(package.text(file))
        except (ValueError, SyntaxError):
            continue
        visitor = _Bare()
        tree = visitor.visit(tree)
        functions |= visitor.functions
        texts[file.path] = ast.unparse(tree).encode("utf-8", "replace")
    read = package._read
    stripped = replace(package, data={}, _read=lambda path: texts.get(path) or read(path))
    return stripped, functions


def true_type(functions: Functions, name: str, parameter: str) -> str:
    """Return what a parameter's annotation said."""
    return functions.get(name, {}).get(parameter, UNFIT)


def other_type(functions: Functions, name: str, parameter: str) -> str:
    """Return a type of another kind than the annotation's, the same each time."""
    known = functions.get(name, {}).get(parameter)
    if known is None:
        return UNFIT
    key = f"{name}.{parameter}"
    order = sorted(OTHERS, key=lambda each: hashlib.sha256(f"{key} {each}".encode()).digest())
    kinds = {word.lower() for word in re.findall(r"[A-Za-z]+", known)}
    return next(each for each in order if each.partition("[")[0] not in kinds)


@contextmanager
def shares(found: list[float]) -> Iterator[None]:
    """Collect the share of misused inputs of each function that is looked at."""

    def recorded(executed: list[Executed]) -> float:
        share = misused(executed)
        found.append(share)
        return share

    with patch.object(proposing, "misused", recorded):
        yield


def mined(package: PackageSource, source: Knowing | None, sandboxes: Sandboxes) -> dict[str, int]:
    """Mine a package; return how many functions came to which end."""
    settings = MiningSettings(types="known", asked_for="inputs" if source is None else "types")
    miner = PackageMine(package, settings, sandboxes=sandboxes, source=source)
    rejects = [each.reject for each in miner.yields() if each.reject is not None]
    counts = miner.funnel.counts
    return {
        "asked": counts["asked for types"],
        "proposed": counts["types proposed"],
        "static": counts["static"],
        "mistyped": sum(reject.reason == MISTYPED for reject in rejects),
        "mined": counts["mined"],
        "valid": counts["valid"],
    }


def main() -> None:
    """Print a table of each package and of all."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("wheels", nargs="+", type=Path)
    given = parser.parse_args()
    columns = ("asked", "proposed", "static", "mistyped", "mined", "valid")
    total = {kind: dict.fromkeys(columns, 0) for kind in KINDS}
    misuse: dict[str, list[float]] = {kind: [] for kind in total}
    table = Table(("package", "who says", *columns))
    with Sandboxes() as sandboxes:
        for path in given.wheels:
            with open_package(path) as opened:
                package, functions = bare(opened)
                knows = {
                    "nobody": None,
                    "annotations": Knowing(partial(true_type, functions)),
                    "wrong": Knowing(partial(other_type, functions)),
                    "wrong at first": Knowing(
                        partial(other_type, functions), partial(true_type, functions)
                    ),
                }
                for kind, source in knows.items():
                    with shares(misuse[kind]):
                        row = mined(package, source, sandboxes)
                    for column in columns:
                        total[kind][column] += row[column]
                    name = "-".join(path.name.split("-")[:2])
                    table.add({"package": name, "who says": kind, **row})
    for kind, sums in total.items():
        table.add({"package": "all", "who says": kind, **sums})
    print()
    bounds = (0.3, MOST_MISUSED, 0.7, 0.9)
    found = Table(("who says", "functions", *(f"misused above {bound:.0%}" for bound in bounds)))
    for kind in ("annotations", "wrong"):
        above = {f"misused above {b:.0%}": sum(s > b for s in misuse[kind]) for b in bounds}
        found.add({"who says": kind, "functions": len(misuse[kind]), **above})
    table.save(given.record, misused=found.rows)


if __name__ == "__main__":
    main()
