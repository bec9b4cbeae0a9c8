"""Sections of a page on all but verdicts: suites, mutants, tables of results, pictures of jobs."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import Kind, Output
from evalplus_lite.jobs.tables import LAYOUTS, Table
from evalplus_lite.reports.page import efficiency
from evalplus_lite.reports.page.gathering import WORDS
from evalplus_lite.reports.page.rendering import MOST_ROWS, Section, asset
from evalplus_lite.store import parse_json, read_text
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Case

# Mutants in Stryker's form as a page needs them: who kills whom, and as many as it can hold.

MOST_DOCUMENT = 3_000_000
"""What a document may have in a page before lists of tests are cut."""
LISTED = 5
"""Tests that a list keeps then."""


@dataclass(frozen=True, slots=True)
class MutatedFile:
    """A task's mutants: operator, line, and the positions of the tests that kill it, from 0."""

    name: str
    tests: int
    mutants: tuple[tuple[str, int, tuple[int, ...]], ...]

    @property
    def killers(self) -> list[tuple[int, ...]]:
        """The positions of the tests that kill each mutant, in order."""
        return [killers for _, _, killers in self.mutants]


def read_mutations(path: Path) -> dict[str, Any]:
    """Return a document of Stryker's schema; InputError if it is none."""
    found = parse_json(read_text(path, max_bytes=OWN_LINE), path=path, max_values=OWN_VALUES)
    return checked(found, path)


def checked(found: Any, path: Path) -> dict[str, Any]:
    """Return a document read from ``path``; InputError if it is not of the schema."""
    try:
        list(mutated_files(found))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InputError(
            "is no mutation report of Stryker's schema",
            path=path,
            remedy="write it anew with evalplus-lite quality --survivors",
        ) from None
    return dict(found)


def mutated_files(document: Mapping[str, Any]) -> Iterator[MutatedFile]:
    """Yield the files of a document with the tests of the same name."""
    tests = document.get("testFiles") or {}
    for name, file in document["files"].items():
        place = {test["id"]: n for n, test in enumerate(tests.get(name, {"tests": ()})["tests"])}
        mutants = tuple(
            (
                str(each["mutatorName"]),
                int(each["location"]["start"]["line"]),
                tuple(sorted(place[id] for id in each.get("killedBy", ()) if id in place)),
            )
            for each in file["mutants"]
        )
        yield MutatedFile(name.removesuffix(".py"), len(place), mutants)


LISTS = ("killedBy", "coveredBy")
"""Keys of a mutant that name tests."""


def _with_lists(
    mutant: Mapping[str, Any], change: Callable[[Sequence[str]], Sequence[str]]
) -> dict[str, Any]:
    return {**mutant, **{key: change(mutant[key]) for key in LISTS if key in mutant}}


def together(documents: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return documents as one; of several, each in a folder of its name."""
    if len(documents) == 1:
        return dict(documents[0][1])
    files: dict[str, Any] = {}
    tests: dict[str, Any] = {}

    def named(ids: Sequence[str]) -> list[str]:
        return [f"{number}.{id}" for id in ids]

    for number, (name, document) in enumerate(documents):
        folder = f"{number + 1} {name}"
        for inner, file in document["files"].items():
            mutants = [{**_with_lists(each, named), "id": f"{number}.{each['id']}"}
                       for each in file["mutants"]]  # fmt: skip
            files[f"{folder}/{inner}"] = {**file, "mutants": mutants}
        for inner, file in (document.get("testFiles") or {}).items():
            cases = [{**each, "id": f"{number}.{each['id']}"} for each in file["tests"]]
            tests[f"{folder}/{inner}"] = {**file, "tests": cases}
    return {**documents[0][1], "files": files, "testFiles": tests}


def fitted(document: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return a document that a page can hold, and what was left out, in words, or "".

    Lists of tests are cut to a few if they must be; None if it is too large even so.
    """
    if _size(document) <= MOST_DOCUMENT:
        return dict(document), ""
    files = {
        name: {**file, "mutants": [_with_lists(each, lambda ids: ids[:LISTED])
                                   for each in file["mutants"]]}
        for name, file in document["files"].items()
    }  # fmt: skip
    kept = {
        id
        for file in files.values()
        for each in file["mutants"]
        for key in LISTS
        for id in each.get(key, ())
    }
    tests = {
        name: {**file, "tests": [each for each in file["tests"] if each["id"] in kept]}
        for name, file in (document.get("testFiles") or {}).items()
    }
    few = {**document, "files": files, "testFiles": tests}
    if _size(few) <= MOST_DOCUMENT:
        return few, f"Of the inputs that kill or run a mutant the first {LISTED} are shown."
    return None, "There are too many mutants to show each here: mutants.stryker.json has them."


def _size(document: Mapping[str, Any]) -> int:
    return len(json.dumps(document, separators=(",", ":")))


MOST_GIVEN_UP = 100
"""Mutants that a small suite gave up and that are listed."""


def lost(files: Sequence[MutatedFile], chosen: Mapping[str, set[int]]) -> list[tuple[Any, ...]]:
    """Return task, operator, line and number of killers of the mutants that all tests kill and
    the chosen ones do not: those that most tests kill first.
    """
    found = [
        (file.name, operator, line, len(killers))
        for file in files
        for operator, line, killers in file.mutants
        if killers and chosen.get(file.name, set()).isdisjoint(killers)
    ]
    return sorted(found, key=lambda row: (-row[3], row[0], row[2]))


def by_source(
    files: Sequence[MutatedFile], cases: Mapping[str, Sequence[Case]], base: Mapping[str, int]
) -> list[tuple[Any, ...]]:
    """Return for each source of tests: how many there are; kill some mutant; kill one that no base
    test kills; are the only one to kill a mutant.
    """
    found: dict[str, list[int]] = {}
    for file in files:
        known = cases.get(file.name, ())
        if len(known) != file.tests:
            continue
        # Killers are sorted: base tests come first.
        kills = {n for killers in file.killers for n in killers}
        past = {n for killers in file.killers if killers and killers[0] >= base[file.name]
                for n in killers}  # fmt: skip
        sole = {killers[0] for killers in file.killers if len(killers) == 1}
        for n, case in enumerate(known):
            counts = found.setdefault(case.source, [0, 0, 0, 0])
            counts[:] = map(add, counts, (1, n in kills, n in past, n in sole))
    return [(source, *counts) for source, counts in found.items()]


# The sections, made of what outputs say of one suite.

STRYKER = "mutants.stryker.json"
ELEMENT = "mutation-test-elements.js"
MOST_OPERATORS = 12
MOST_SURVIVORS = 500
"""Survivors of a suite that are shown with their diffs."""
SIGNS = {"+": "added", "-": "removed", "@": "place"}


@dataclass(slots=True)
class Known:
    """All that was given about the suite of one name."""

    name: str
    data: Dataset | None = None
    mutants: Mapping[str, Any] | None = None
    document: dict[str, Any] | None = None
    small: Mapping[str, Any] | None = None

    @property
    def counts(self) -> dict[str, int | None]:
        """The number of cases by task."""
        if self.data is not None:
            return {task.id: len(task.cases) for task in self.data.tasks}
        rows = (self.mutants or {"by_task": {}})["by_task"]
        return {id: row.get("cases") for id, row in rows.items()}

    @property
    def mutated(self) -> list[MutatedFile]:
        """The mutants with the positions of the tests that kill them."""
        return list(mutated_files(self.document)) if self.document else []


def suite_sections(outputs: Sequence[Output], datasets: Iterable[Dataset]) -> list[Section]:
    """Return a section on each suite, on its survivors, and the browser of all mutants.

    Suites are those of ``datasets``, and those that an output of ``mutants`` is about: outputs name
    their suite, and what is not of as many cases is not taken to be about it.
    """
    known = _known(outputs, datasets)
    found = []
    for number, suite in enumerate(known):
        ending = f"-{number + 1}" if number else ""
        naming = f" of {suite.name}" if len(known) > 1 else ""
        if [each.name for each in known].count(suite.name) > 1:
            naming += f" ({number + 1})"
        found.append(Section(f"inputs{ending}", f"Inputs{naming}", "inputs.html", _suite(suite)))
        if suite.mutants is not None:
            context = _survivors(suite.name, suite.mutants)
            title = f"Survivors{naming}"
            found.append(Section(f"survivors{ending}", title, "survivors.html", context))
    documents = [(suite.name, suite.document) for suite in known if suite.document]
    documents += [
        (output.path.stem, checked(output.summary, output.path))
        for output in outputs
        if output.kind == "stryker"
    ]
    if documents:
        found.append(_browser(documents))
    return found


def _known(outputs: Sequence[Output], datasets: Iterable[Dataset]) -> list[Known]:
    found = [Known(each.name, each) for each in datasets if any(task.cases for task in each.tasks)]
    for output in (each for each in outputs if each.kind == "mutants"):
        suite = _about(output.summary, found)
        if suite is None or suite.mutants is not None:
            suite = Known(str(output.summary["dataset"]))
            found.append(suite)
        suite.mutants = output.summary
        if (path := Path(output.folder, STRYKER)).is_file():
            suite.document = read_mutations(path)
    for output in outputs:
        if output.kind == "reduction" and (one := _about(output.summary, found)):
            one.small = output.summary
    return found


def _about(summary: Mapping[str, Any], known: Sequence[Known]) -> Known | None:
    """Return the suite that an output is about: of the same tasks, each with as many cases.

    Of several, the one of its name: a file may be called otherwise than what was written there.
    """
    wanted = {id: row.get("cases") for id, row in summary["by_task"].items()}
    found = [suite for suite in known if wanted.items() <= suite.counts.items()]
    found.sort(key=lambda suite: suite.name != summary["dataset"])
    return found[0] if found else None


def _suite(suite: Known) -> dict[str, Any]:
    context: dict[str, Any] = {"name": suite.name, "sizes": None, "sources": (), "operators": ()}
    mutated = suite.mutated
    cases = {}
    base = {}
    if suite.data is not None:
        tasks = suite.data.tasks
        cases = {task.id: task.cases for task in tasks}
        base = {task.id: len(task.base) for task in tasks}
        every = [case for task in tasks for case in task.cases]
        sizes = sorted(map(len, cases.values()))
        context["sizes"] = {
            "tasks": len(tasks),
            "cases": len(every),
            "base": sum(base.values()),
            "least": sizes[0],
            "median": sizes[len(sizes) // 2],
            "most": sizes[-1],
        }
        context["sources"] = _bars(Counter(case.source for case in every))
        operators = Counter(name for case in every for name in case.operators)
        context["operators"] = _bars(operators, MOST_OPERATORS)
        context["further_operators"] = max(0, len(operators) - MOST_OPERATORS)
    context["kills"] = [
        (WORDS.get(source, source), *row) for source, *row in by_source(mutated, cases, base)
    ]
    context["small"] = _small(suite, mutated)
    return context


def _bars(counts: Counter[str], most: int | None = None) -> list[tuple[str, int, float]]:
    """Return names in words, counts, and lengths in percent of the longest bar."""
    rows = counts.most_common(most)
    longest = max((count for _, count in rows), default=1)
    return [
        (WORDS.get(name, name.replace(".", ": ")), count, 100 * count / longest)
        for name, count in rows
    ]


def _small(suite: Known, mutated: Sequence[MutatedFile]) -> dict[str, Any] | None:
    """Return what a small suite keeps of the mutants that all tests kill, and what it gave up."""
    if suite.small is None:
        return None
    tasks = suite.small["by_task"]
    found = {
        "cases": suite.small["cases"],
        "kept": suite.small["base"] + suite.small["chosen"],
        "base": suite.small["base"],
        "killed": sum(bool(k) for file in mutated for k in file.killers),
        "lost": None,
        "further": 0,
    }
    # What it gave up is known only if it is one of this suite.
    if mutated and all(tasks.get(f.name, {}).get("cases") == f.tests for f in mutated):
        chosen = {id: {*range(row["base"]), *row["chosen"]} for id, row in tasks.items()}
        rows = lost(mutated, chosen)
        found |= {"lost": rows[:MOST_GIVEN_UP], "further": max(0, len(rows) - MOST_GIVEN_UP)}
    return found


def _survivors(name: str, summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return survivors by task, those that most likely want an input first, and how many more."""
    pairs = [
        (id, survivor) for id, row in summary["by_task"].items() for survivor in row["survivors"]
    ]
    pairs.sort(key=lambda pair: bool(pair[1]["suspected_equivalent"]))
    groups: dict[bool, dict[str, list[Any]]] = {False: {}, True: {}}
    for id, survivor in pairs[:MOST_SURVIVORS]:
        lines = survivor["diff"].splitlines()[2:]
        row = {**survivor, "lines": [(SIGNS.get(line[:1], "same"), line) for line in lines]}
        groups[bool(survivor["suspected_equivalent"])].setdefault(id, []).append(row)
    return {
        "name": name,
        "summary": summary,
        "groups": groups,
        "counts": Counter(bool(survivor["suspected_equivalent"]) for _, survivor in pairs),
        "further": max(0, len(pairs) - MOST_SURVIVORS),
    }


def _browser(documents: Sequence[tuple[str, dict[str, Any]]]) -> Section:
    """Return the section that holds Stryker's element, with what its policy must allow."""
    data, note = fitted(together(documents))
    scripts = (asset(ELEMENT, folder="bundled"), asset("mutants.js")) if data is not None else ()
    return Section(
        "mutant",
        "Mutants",
        "mutants.html",
        {"note": note, "has_data": data is not None},
        data,
        scripts,
        allows={"style-src-attr": "'unsafe-inline'", "img-src": "data:"} if scripts else {},
    )


# Results of other jobs, and pictures.


def table_sections(outputs: Sequence[Output]) -> Iterator[Section]:
    """Yield a section for each kind of result that there is, with the tables of all of its kind."""
    for kind, (title, lead) in VIEWS.items():
        found = [each for each in outputs if each.kind == kind]
        if found:
            parts = [(str(each.path), list(LAYOUTS[kind](each.summary))) for each in found]
            context = {"title": title, "lead": lead, "parts": parts, "most": MOST_ROWS}
            yield Section(kind, title, "tables.html", context)


VIEWS: Mapping[Kind, tuple[str, str]] = {
    "quality": (
        "Quality",
        "How well the suites tell right programs from wrong ones. Shares come with their counts"
        " and 95 % intervals.",
    ),
    "crossval": (
        "Cross-validation",
        "Small suites that were chosen by other models' samples, and judged by a model that was"
        " left out.",
    ),
    "lint": (
        "Lint",
        "Whether each task is fit to judge or train by: weak tasks accept wrong programs, unfair"
        " ones reject right programs, and broken ones cannot be used.",
    ),
    "mining": ("Mining", "Functions of packages on their way to execution tasks."),
    "score": ("Predictions", "How many predictions of what programs do are right."),
}
"""By kind of output: the section's title, and what it shows."""


# Pictures of a job, with their tables: a page that holds them loads nothing.


def _drawn(output: Output) -> Iterator[tuple[Table, str]]:
    """Yield the tables of exe-report, each with the picture in its folder, or ""."""
    for made in output.summary.get("figures", ()):
        name = str(made["name"])
        table = Table(
            name,
            str(made["title"]),
            str(made["caption"]),
            [str(head) for head in made["heads"]],
            [[_text(cell) for cell in row] for row in made["rows"]],
            left=int(made["left"]),
        )
        file = f"{name}.svg"
        has_picture = file in made["files"]
        yield table, read_text(output.folder / file, max_bytes=OWN_LINE) if has_picture else ""


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


PICTURED: Mapping[Kind, tuple[str, str, Callable[[Output], Iterator[tuple[Table, str]]], str]] = {
    "execution": (
        "Execution prediction",
        "What models predict of programs: the tables and figures of EXecution-Eval, by model,"
        " package, construct, and measure of the code. Intervals are of 95 %.",
        _drawn,
        "make it again: evalplus-lite exe report",
    ),
    "efficiency": (
        "Efficiency",
        "Counted work of right programs on inputs that grow. Counts are the same on every machine;"
        " how much time a unit takes depends on it.",
        efficiency.pictures,
        "run it again with --force",
    ),
}
"""By kind of output: the title, what is shown, its tables with their pictures, and a remedy."""


def picture_sections(outputs: Sequence[Output]) -> Iterator[Section]:
    """Yield a section for each exe-report, what it drew into its folder, and efficiency run.

    A picture is embedded as an image, in which no script runs, whatever its file holds.
    """
    for kind, (name, lead, pictures, remedy) in PICTURED.items():
        found = [each for each in outputs if each.kind == kind]
        for number, output in enumerate(found, 1):
            several = f" {number}" if len(found) > 1 else ""
            try:
                products = [
                    (table, base64.b64encode(image.encode()).decode())
                    for table, image in pictures(output)
                ]
                left_out = output.summary.get("not_measured", {}).items()
                missing = [{"name": id, "reason": reason} for id, reason in left_out]
            except (AttributeError, KeyError, TypeError, ValueError, OSError) as error:
                problem = f"is not what {kind} writes: {type(error).__name__}: {error}"
                raise InputError(problem, path=output.path, remedy=remedy) from None
            context = {
                "title": f"{name}{several}",
                "lead": lead,
                "products": products,
                "missing": [*output.summary.get("missing", ()), *missing],
                "path": str(output.path),
                "most": MOST_ROWS,
            }
            route = f"{kind}{several.replace(' ', '-')}"
            allows = {"img-src": "data:"}
            yield Section(route, f"{name}{several}", "pictures.html", context, allows=allows)
