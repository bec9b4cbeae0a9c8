"""Sections on suites and mutants: where inputs came from, what they kill, what they let live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from evalplus_lite.jobs.outputs import Output
from evalplus_lite.reports.page.document import Section
from evalplus_lite.reports.page.gathering import WORDS
from evalplus_lite.reports.page.strength import (
    MOST_GIVEN_UP,
    CurvePoint,
    MutatedFile,
    by_source,
    chart,
    checked,
    curve,
    fitted,
    lost,
    mutated_files,
    read_mutations,
    share_killed,
    together,
)
from evalplus_lite.tasks import Dataset

STRYKER = "mutants.stryker.json"
ELEMENT = "mutation-test-elements.js"
MOST_OPERATORS = 12
MOST_SURVIVORS = 500
"""Survivors of a suite that are shown with their diffs."""


@dataclass(slots=True)
class Known:
    """All that was given about the suite of one name."""

    name: str
    data: Dataset | None = None
    mutants: Mapping[str, Any] | None = None
    document: dict[str, Any] | None = None
    small: Mapping[str, Any] | None = None
    curves: list[tuple[str, Sequence[float]]] = field(default_factory=list)

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
            found.append(
                Section(
                    f"survivors{ending}",
                    f"Survivors{naming}",
                    "survivors.html",
                    _survivors(suite.name, suite.mutants),
                )
            )
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
        if output.kind == "quality":
            truth = str(output.summary.get("truth") or "")
            for row in output.summary["suites"]:
                named = [each for each in found if each.name == row["name"]]
                if named and (points := _detection(row)):
                    named[0].curves.append((truth, points))
    return found


def _about(summary: Mapping[str, Any], known: Sequence[Known]) -> Known | None:
    """Return the suite that an output is about: of the same tasks, each with as many cases.

    Of several, the one of its name: a file may be called otherwise than what was written there.
    """
    wanted = {id: row.get("cases") for id, row in summary["by_task"].items()}
    found = [suite for suite in known if wanted.items() <= suite.counts.items()]
    found.sort(key=lambda suite: suite.name != summary["dataset"])
    return found[0] if found else None


def _detection(row: Mapping[str, Any]) -> Sequence[float]:
    return list(((row.get("all") or {}).get("coverage") or {}).get("curve") or ())


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
    context["mutants"] = suite.mutants
    context["kills"] = [
        (WORDS.get(source, source), *row) for source, *row in by_source(mutated, cases, base)
    ]
    context["tasks"] = list(_tasks(suite, mutated))
    context["charts"] = list(_charts(suite, mutated))
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


def _tasks(suite: Known, mutated: Sequence[MutatedFile]) -> Iterator[dict[str, Any]]:
    """Yield a row a task: tests, mutants, how many are killed, by base, by one test alone."""
    sole = {file.name: sum(len(k) == 1 for k in file.killers) for file in mutated}
    idle = {file.name: file.tests - len({n for k in file.killers for n in k}) for file in mutated}
    for id, row in (suite.mutants or {"by_task": {}})["by_task"].items():
        yield {
            "id": id,
            "cases": row.get("cases"),
            "mutants": row["mutants"],
            "killed": row["killed"],
            "base": row["killed_by_base"],
            "sole": sole.get(id),
            "idle": idle.get(id),
            "suspects": sum(each["suspected_equivalent"] for each in row["survivors"]),
        }


def _chosen(suite: Known, mutated: Sequence[MutatedFile]) -> dict[str, set[int]] | None:
    """Return the positions of the small suite's tests, None where it is not one of this suite."""
    if suite.small is None:
        return None
    rows = suite.small["by_task"]
    if any(rows.get(file.name, {}).get("cases") != file.tests for file in mutated):
        return None
    return {id: {*range(row["base"]), *row["chosen"]} for id, row in rows.items()}


def _points(suite: Known, mutated: Sequence[MutatedFile]) -> list[CurvePoint]:
    count = len(mutated) or 1
    found = []
    rows = (suite.mutants or {"by_task": {}})["by_task"]
    base = {file.name: set(range(rows.get(file.name, {}).get("base", 0))) for file in mutated}
    named = [("base", base), ("mini suite", _chosen(suite, mutated))]
    for name, chosen in named:
        if chosen is not None:
            tests = sum(len(chosen.get(file.name, ())) for file in mutated) / count
            found.append(CurvePoint(name, tests, share_killed(mutated, chosen)))
    every = {file.name: set(range(file.tests)) for file in mutated}
    tests = sum(file.tests for file in mutated) / count
    return [*found, CurvePoint("whole suite", tests, share_killed(mutated, every))]


def _charts(suite: Known, mutated: Sequence[MutatedFile]) -> Iterator[dict[str, Any]]:
    """Yield the charts of strength against size: mutants killed, wrong programs detected."""
    if mutated and (line := curve(mutated)):
        yield chart(
            "Mutants killed by so many tests a task",
            "drawn at random from the suite; points are whole suites",
            [(n, share) for n, share in enumerate(line) if n],
            _points(suite, mutated),
        )
    for truth, shares in suite.curves:
        told = f", wrong by {truth}" if truth else ""
        yield chart(
            "Wrong programs detected by so many tests a task",
            f"drawn at random from the suite (Coverage@N{told})",
            [(n + 1, share) for n, share in enumerate(shares)],
            [],
        )


def _small(suite: Known, mutated: Sequence[MutatedFile]) -> dict[str, Any] | None:
    """Return what a small suite keeps of the mutants that all tests kill, and what it gave up."""
    if suite.small is None:
        return None
    chosen = _chosen(suite, mutated)
    found = {
        "tasks": suite.small["tasks"],
        "cases": suite.small["cases"],
        "kept": suite.small["base"] + suite.small["chosen"],
        "base": suite.small["base"],
        "killed": sum(bool(k) for file in mutated for k in file.killers) if mutated else None,
        "lost": None,
        "further": 0,
    }
    if chosen is not None and mutated:
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
        row = {**survivor, "lines": [(_sign(line), line) for line in lines]}
        groups[bool(survivor["suspected_equivalent"])].setdefault(id, []).append(row)
    return {
        "name": name,
        "summary": summary,
        "groups": groups,
        "counts": Counter(bool(survivor["suspected_equivalent"]) for _, survivor in pairs),
        "further": max(0, len(pairs) - MOST_SURVIVORS),
    }


def _sign(line: str) -> str:
    return {"+": "added", "-": "removed", "@": "place"}.get(line[:1], "same")


def _browser(documents: Sequence[tuple[str, dict[str, Any]]]) -> Section:
    """Return the section that holds Stryker's element, with what its policy must allow."""
    data, note = fitted(together(documents))
    scripts = (
        (_text("bundled", ELEMENT), _text("templates", "mutants.js")) if data is not None else ()
    )
    return Section(
        "mutant",
        "Mutants",
        "mutants.html",
        {"note": note, "has_data": data is not None},
        data,
        scripts,
        allows={"style-src-attr": "'unsafe-inline'", "img-src": "data:"} if scripts else {},
    )


@cache
def _text(folder: str, name: str) -> str:
    return (files("evalplus_lite.reports.page") / folder / name).read_text(encoding="utf-8")
