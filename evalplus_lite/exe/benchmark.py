"""Frozen sets of execution tasks: a committed list of packages, and what is built of it.

A set has a list in ``data/NAME.txt``, every package pinned, with the day of its release and its
licence behind it, and may have ``data/NAME.reviewed.tsv``: the cases that a reader found worth
asking. Building it mines the packages and chooses tasks by counts, of these cases alone if they are
listed, so the same Python gives the same file on every machine.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from statistics import median_high
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.exe.inputs.validators import literals_of
from evalplus_lite.exe.mining import MiningSettings, beside, mine, package_rows
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import UNREADABLE, CallResult, Invocation
from evalplus_lite.exe.selecting.static import MAX_CODE
from evalplus_lite.exe.sources import MOST_BYTES, listed_packages
from evalplus_lite.exe.statistics.measures import variation
from evalplus_lite.exe.tasks.asked import (
    CASES,
    WRITTEN,
    asked,
    has_driver,
    with_neutral_names,
    without_comments,
)
from evalplus_lite.exe.tasks.chains import chained_tasks
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.worth import HARD, HASH, SPLITS, Split, difficulty_of, shape
from evalplus_lite.execution.base import Call, Work, WorkerContext
from evalplus_lite.jobs.session import Result, Session, within
from evalplus_lite.store import Journal, dump_row, read_jsonl, read_text, write_jsonl, write_text
from evalplus_lite.tasks.contracts import bundled

RULES = "6"
"""The version of the selection rules; a build with another version selects again."""
DATA = Path(__file__).parent / "data"
"""Where the lists and reviews of the sets are."""
FOLDER = Path("out")
"""Where sets are built, each in a folder of its name."""
SETTINGS = MiningSettings(functions=40, with_deps=False, max_code=2 * MAX_CODE)
"""What is required is fetched in the versions of the list alone, which are the same every day."""
TASKS, OF_PACKAGE = 2000, 12
"""Maximum number of tasks in a set, and of one package."""
OF_NAME, OF_PART = 2, 2
"""Maximum number of tasks about functions with one name, and of chains with one function."""
CHAINS, LINKS = 25, 3
"""Maximum number of chains built for a package, and of functions in a chain. Functions
that together execute few lines are not tried."""
MOST_SHARED = 0.02
"""The largest share of tasks that one literal may be in."""
LONG_NUMBER = 5
"""Characters of a number that counts as such a literal: 100 and 0.5 are anywhere."""
LEFT_OUT = {
    "package": f"more than {OF_PACKAGE} tasks of a package",
    "name": f"more than {OF_NAME} tasks about functions of one name",
    "part": f"more than {OF_PART} chains with one function",
    "shape": "programs that differ in names and constants alone",
    "literal": f"a text or number that {MOST_SHARED:.0%} of the tasks have",
    "set": f"more than {TASKS} tasks",
    HASH: "a hash or base64",
}
"""Reasons for leaving out tasks that are worth asking, for the data card."""
FEW = f"fewer than {CASES} cases worth asking"
UNREVIEWED = "no case that the review names"


@dataclass(frozen=True, slots=True)
class BenchmarkResult(Result):
    """A set that was built: its file, its data card, and the packages that could not be had."""

    kind: ClassVar[str] = "benchmark"

    path: Path
    card: Path
    problems: dict[str, str] = field(default_factory=dict)


def names() -> list[str]:
    """Return the names of the sets."""
    return sorted(each.stem for each in DATA.glob("*.txt"))


def located(path: str | os.PathLike[str]) -> Path:
    """Return a file of tasks, or that of a set by its name: as built here, else as it ships."""
    name, found = str(path), Path(path)
    if found.exists() or name not in names():
        return found
    built = FOLDER / name / f"{name}.jsonl"
    return built if built.exists() else bundled("data") / name / f"{name}.jsonl.gz"


def build(
    name: str,
    *,
    out: str | os.PathLike[str] | None = None,
    packages: int | None = None,
    force: bool = False,
    session: Session | None = None,
) -> BenchmarkResult:
    """Mine the packages of a set, choose its tasks, and write them with a data card.

    ``name`` is that of a set, or a file with a list of packages (``my-set.txt``), beside which the
    reviewed cases may be (``my-set.reviewed.tsv``). The same call goes on after a kill.
    ``packages`` are the first ones of the list, for a trial. Raises InputError for a set that there
    is not.
    """
    if not (name in names() or name.endswith(".txt")):
        raise InputError(f"no set named {name!r}", remedy=one_of(name, names()))
    path = DATA / f"{name}.txt" if name in names() else Path(name)
    listed, review, name = listed_packages(path)[:packages], Review.read(path), path.stem
    folder = FOLDER / name if out is None else Path(out)
    mined = folder / "mined.jsonl"
    with within(session) as opened:
        result = mine(listed, settings=SETTINGS, out=mined, force=force, session=opened)
        problems = {**result.problems, **result.refused}
        calls = review.calls if review else {}
        found, left_out = _worth_asking(mined, calls, problems, force=force, session=opened)
        found = _reviewed(found, review, left_out)
        named = sum(map(len, review.marks.values())) if review else 0
        if packages is None and (lost := named - sum(len(task.cases) for task in found)) > 0:
            opened.note(f"cases of the review that were not found, or do too little: {lost}")
    tasks = chosen(found, left_out=left_out)
    path, card = folder / f"{name}.jsonl", folder / f"{name}.md"
    write_jsonl(path, (task.to_json() for task in tasks))
    write_text(card, data_card(name, tasks, listed, left_out, is_reviewed=review is not None))
    counts = Counter(split_of(task) for task in tasks)
    summary = {"tasks": str(path), "card": str(card), "count": len(tasks), "splits": counts}
    return BenchmarkResult({**summary, "problems": problems}, path, card, problems)


@dataclass(frozen=True, slots=True)
class Review:
    """The cases of a set that a reader found worth asking, by task, and calls that they wrote."""

    marks: dict[str, list[str]]
    """The ``mark`` of each case, the best first."""
    calls: dict[str, list[str]]
    """Calls to run, as source, whose cases are in ``marks``, too."""

    @classmethod
    def read(cls, path: Path) -> Review | None:
        """Read the review of the set with this list; return None if it has none.

        A line has a task's id, a tab, and the marks of cases with spaces between, or a call of
        ``f`` with literals as arguments. Raises InputError for a line of another form, and for one
        that names a case again.
        """
        path = path.with_suffix(".reviewed.tsv")
        if not path.exists():
            return None
        review = cls({}, {})
        # A literal may hold other ends of lines.
        lines = read_text(path, max_bytes=MOST_BYTES).split("\n")
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.startswith("#") and not review._add(line.rstrip()):
                remedy = (
                    "give a task's id, a tab, and eight hex digits for each case or a call such as "
                    "f(1, 'a'), and each case once"
                )
                problem = f"is no line of a review: {line[:100]!r}"
                raise InputError(problem, path=path, line=number, remedy=remedy)
        return review

    def _add(self, line: str) -> bool:
        """Add a line; return False if that is impossible."""
        name, _, text = line.partition("\t")
        if re.fullmatch(r"[0-9a-f]{8}( [0-9a-f]{8})*", text):
            marks = [*dict.fromkeys(text.split())]
        else:
            try:
                call = Invocation.from_source(text) if text.startswith("f(") else None
                marks = [mark(TaskCase(call, CallResult("value")))] if call else []
            except UNREADABLE:
                marks = []
            self.calls.setdefault(name, []).append(text)
        known = self.marks.setdefault(name, [])
        is_new = {*known}.isdisjoint(marks)
        known += marks
        return bool(marks) and is_new and name == name.strip() != ""


def mark(case: TaskCase) -> str:
    """Return the hash of a case's call by which a review names it."""
    return hashlib.sha256((case.source or case.call.key).encode()).hexdigest()[:8]


def _reviewed(
    tasks: Iterable[MinedTask], review: Review | None, left_out: Counter[str]
) -> list[MinedTask]:
    """Return the tasks with the cases of a review; without one, those with enough cases."""
    found: list[MinedTask] = []
    for task in tasks:
        if review is None:
            if len(task.cases) >= CASES:
                found.append(task)
            else:
                left_out[FEW] += 1
            continue
        places = {mark(case): at for at, case in enumerate(task.cases)}
        wanted = [places[each] for each in review.marks.get(task.id, ()) if each in places]
        if wanted:
            found.append(_with_cases(task, wanted))
        else:
            left_out[UNREVIEWED] += 1
    return found


def _with_cases(task: MinedTask, wanted: Sequence[int]) -> MinedTask:
    """Return a task with some of its cases, and the facts of these."""
    cases = tuple(task.cases[at] for at in wanted)
    runs = [case.runtime for case in cases]
    facts = {
        "sources": [task.facts["sources"][at] for at in wanted],
        "difficulty": difficulty_of(runs, is_driven=has_driver(task)),
        "variation": variation(runs),
    }
    return replace(task, cases=cases, facts={**task.facts, **facts})


def _worth_asking(
    mined: Path,
    calls: Mapping[str, Sequence[str]],
    problems: dict[str, str],
    *,
    force: bool,
    session: Session,
) -> tuple[list[MinedTask], Counter[str]]:
    """Return the tasks of a mined file that are worth asking, and chains of them.

    ``calls`` are further ones to ask, by task. Return also how many are left out, by reason. Each
    package's are kept in a journal when they are known; a package whose tasks could not be looked
    at is added to ``problems``.
    """
    rows = (row.data for row in read_jsonl(mined)) if mined.stat().st_size else ()
    groups = {package: [*some] for package, some in itertools.groupby(rows, itemgetter("package"))}
    written: dict[str, list[Any]] = defaultdict(list)
    for id, texts in sorted(calls.items()):
        written[id.removeprefix("chain/").partition("/")[0]].append([id, *texts])
    contents: dict[str, str] = {}
    for package, some in groups.items():
        names = sorted({row["task_id"].partition("/")[0] for row in some})
        parts = [RULES, *map(dump_row, some), *(repr(written[name]) for name in names)]
        contents[package] = hashlib.sha256("".join(parts).encode()).hexdigest()
    journal = beside(mined, "asked.journal.jsonl")
    settings = {"contents": contents, "calls": calls}
    call = Call("evalplus_lite.exe.benchmark:choosing", settings)
    session.stage("choosing cases", len(groups))
    with Journal(journal, identity={"choosing": 1}, force=force, batch=1) as kept:
        known = (row.data for row in kept.rows())
        done = {
            row["package"]: row for row in known if contents.get(row["package"]) == row["content"]
        }
        session.advance(len(done), known=True)
        left = ((package, some) for package, some in groups.items() if package not in done)
        for row in package_rows(call, left, session.pool(), lost=_lost):
            package = row["package"]
            if "problem" in row:
                problems[package] = row["problem"]
                session.note(f"{package}: {row['problem']}")
            else:
                kept.append(row)
                done[package] = row
            session.advance()
    rows = (row for package in groups if package in done for row in done[package]["tasks"])
    left_out = sum((Counter(row["left_out"]) for row in done.values()), Counter[str]())
    # A docstring often shows the very call and its answer. The last part of Python's version only
    # counts repairs: all of them write the same file.
    return [
        MinedTask.from_json({**row, "docstring": "", "python": row["python"].rpartition(".")[0]})
        for row in rows
    ], left_out


def _lost(package: str, problem: str) -> dict[str, Any]:
    return {"package": package, "problem": problem}


def choosing(place: WorkerContext, settings: Any) -> Work:
    """Of a package's mined rows, a row with its name, their hash, and those worth asking.

    Chains come last. ``settings`` are the hashes and the further calls, by package.
    """
    sandboxes = Sandboxes(place.sandbox)

    def work(rows: Any) -> dict[str, Any]:
        tasks = [MinedTask.from_json(row) for row in rows]
        tasks = [replace(task, code=without_comments(task.code)) for task in tasks]
        fit = [task for task in tasks if HASH not in task.marks and len(task.code) <= MAX_CODE]
        chains = chained_tasks(
            fit, sandboxes, count=CHAINS, seed=SETTINGS.seed, links=LINKS, least=HARD["lines"]
        )
        found: list[dict[str, Any]] = []
        left_out: Counter[str] = Counter()
        for task in itertools.chain(tasks, chains):
            calls = map(Invocation.from_source, settings["calls"].get(task.id, ()))
            result = asked(with_neutral_names(task), sandboxes, [*filter(None, calls)])
            if isinstance(result, str):
                left_out["chain: " * ("parts" in task.facts) + result] += 1
            else:
                found.append(result.to_json())
        package = rows[0]["package"]
        row = {"package": package, "content": settings["contents"][package]}
        return {**row, "tasks": found, "left_out": left_out}

    return work


def chosen(
    tasks: Sequence[MinedTask], *, count: int = TASKS, left_out: Counter[str] | None = None
) -> list[MinedTask]:
    """Return the tasks of a set, in the order of the given ones.

    None computes a hash, and no package, name, program and literal is in more than its share.
    Functions are taken before chains, and what is rare first: hard tasks, and those whose values
    somebody wrote. The others are counted in ``left_out`` by reason.
    """
    fit = sorted(
        (task for task in tasks if HASH not in task.marks),
        key=lambda each: (
            len(each.facts.get("parts", ())),
            -SPLITS.index(split_of(each)),
            -_own_share(each),
            each.id,
        ),
    )
    limits = {task.id: {("set", ""): count, **_limits(task)} for task in fit}
    most, reasons = count, _reasons(fit, limits, most=count)
    # Fewer tasks, of which each literal is in a larger share.
    while most > max(1, int(MOST_SHARED * [*reasons.values()].count(""))):
        most = max(1, int(MOST_SHARED * [*reasons.values()].count("")))
        reasons = _reasons(fit, limits, most=most)
    if left_out is not None:
        for task in tasks:
            if reason := reasons.get(task.id, HASH):
                left_out[LEFT_OUT[reason]] += 1
    return [task for task in tasks if not reasons.get(task.id, HASH)]


def _limits(task: MinedTask) -> dict[tuple[str, Hashable], int]:
    """Return what a task shares with others, and how many tasks of a set may have it at most."""
    parts = task.facts.get("parts", ())
    name = str(task.facts.get("function", task.id)).replace("_", "").lower()
    return {
        ("package", task.facts.get("package")): OF_PACKAGE,
        ("name", name): OF_NAME,
        ("shape", shape(task.code, task.entry_point, constants=False) or task.id): 1,
        **{("part", part): OF_PART for part in parts},
    }


def _reasons(
    tasks: Iterable[MinedTask],
    limits: Mapping[str, Mapping[tuple[str, Hashable], int]],
    *,
    most: int,
) -> dict[str, str]:
    """Return why each task is not taken, empty if it is; a literal is in ``most`` of those."""
    taken: Counter[Hashable] = Counter()
    reasons: dict[str, str] = {}
    for task in tasks:
        own = {**limits[task.id], **{("literal", each): most for each in _literals(task)}}
        reasons[task.id] = next((key[0] for key, limit in own.items() if taken[key] >= limit), "")
        if not reasons[task.id]:
            taken.update(own.keys())
    return reasons


def _literals(task: MinedTask) -> set[Hashable]:
    """Return the texts and longer numbers that a task's cases hold."""
    held = {each for case in task.cases for each in literals_of(case.call)}
    return {each for each in held if isinstance(each, str | bytes) or len(str(each)) >= LONG_NUMBER}


def split_of(task: MinedTask) -> Split:
    """Return the split of a task; easy where its runs could not be counted."""
    split: Split = task.facts.get("difficulty", {}).get("split", "easy")
    return split


def _own_share(task: MinedTask) -> float:
    """Return the share of cases whose values were not made by type, in tenths."""
    sources: Sequence[str] = task.facts.get("sources", ())
    return round(sum(each != "types" for each in sources) / max(1, len(sources)), 1)


def data_card(
    name: str,
    tasks: Sequence[MinedTask],
    packages: Sequence[str],
    left_out: Mapping[str, int],
    *,
    is_reviewed: bool = False,
) -> str:
    """Return the data card of a set: what it holds, where it comes from, and its licences.

    ``left_out`` are the numbers of mined tasks that are not in it, by reason.
    """
    cases = [case for task in tasks for case in task.cases]
    sources = Counter(each for task in tasks for each in task.facts.get("sources", ()))
    origins = {
        (each["package"], each["version"]): each
        for task in tasks
        for each in task.facts.get("origins", ())
    }
    dates = sorted(each["date"] for each in origins.values() if each["date"])
    errors = Counter(case.answer.type for case in cases if case.answer.kind == "error")
    literals = Counter(each for task in tasks for each in _literals(task))
    chains = sum("parts" in task.facts for task in tasks)
    mined = len({task.facts["package"] for task in tasks})
    versions = {task.facts.get("python", "") for task in tasks}
    lines = [
        f"# {name}",
        "",
        f"{len(tasks)} execution tasks with {len(cases)} cases, mined from {mined} of "
        f"{len(packages)} packages by `evalplus-lite exe build {name}` under Python "
        f"{' and '.join(sorted(versions))}. Each asks what a call of a real, pure "
        "function returns or raises; every answer was proved equal to the package's own"
        + f", except for {sources[WRITTEN]} calls written for this set" * (WRITTEN in sources)
        + ". "
        "Programs are the packages' code without comments and docstrings.",
        "",
        "## Contamination",
        "",
        f"The code was released between {dates[0]} and {dates[-1]}. "
        if dates
        else "The archives keep no dates. ",
        "A model trained after a package's date may have read it. The cases were made for this "
        "set, but values of tests and examples are as public as these.",
        "",
        "## Splits",
        "",
        *_table(("split", "tasks", "lines run", "depth", "variables"), _splits(tasks)),
        "",
        f"Medians of the tasks' median runs. {chains} of the tasks are chains.",
        "",
        "## Where values come from",
        "",
        *_table(
            ("source", "cases", "share"),
            ((k, n, f"{100 * n / sources.total():.1f} %") for k, n in sources.most_common()),
        ),
        "",
        f"{errors.total()} cases raise, by a `raise` or `assert` of the program, "
        f"{errors['TypeError'] + errors['AttributeError']} of them a TypeError or AttributeError. "
        f"No text or longer number is in more than {max(literals.values(), default=0)} tasks.",
        "",
        "## How tasks are chosen",
        "",
        "Functions, classes and methods called first have neutral names (`f`, `f1`, `C1`). Every "
        "answer was run again with these.",
        *[
            "",
            f"Asked are the cases that `{name}.reviewed.tsv` names, which says who read what, and "
            "who wrote which calls.",
        ]
        * is_reviewed,
        "",
        "Mined tasks and chains that are left out:",
        "",
        *_table(
            ("reason", "tasks"), sorted(left_out.items(), key=lambda pair: (-pair[1], pair))
        ),
        "",
        "## Packages, licences and notices",
        "",
        *_table(
            ("package", "version", "licence", "date", "SHA-256", "notice"),
            (
                (*(each[key] for key in ("package", "version", "licence", "date", "sha256")),
                 "; ".join(each["notice"]).replace("|", "/"))
                for _, each in sorted(origins.items())
            ),
        ),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _splits(tasks: Sequence[MinedTask]) -> Iterable[tuple[Any, ...]]:
    for split in SPLITS:
        facts = [task.facts.get("difficulty", {}) for task in tasks if split_of(task) == split]
        middle = [
            median_high(each.get(key, 0) for each in facts) if facts else ""
            for key in ("lines", "depth", "variables")
        ]
        yield split, len(facts), *middle


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    return [f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] * len(head), *rows)]
