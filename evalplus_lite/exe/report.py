"""Reports of several models' predictions, with the tables and figures of the paper."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import fsum
from pathlib import Path
from statistics import correlation, fmean, linear_regression, median, pstdev, stdev
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.exe.benchmark import located
from evalplus_lite.exe.scoring import (
    CaseShare,
    GradedPrediction,
    KnownTasks,
    judge_by,
    scored,
    share_of,
)
from evalplus_lite.exe.statistics.measures import FEATURES, TIME, features, measures
from evalplus_lite.exe.tasks.forms import written
from evalplus_lite.exe.tasks.mined import MinedTask, read_tasks
from evalplus_lite.jobs.datasets import file_facts, run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, made_folder, within
from evalplus_lite.models import ModelSource, Prices, Usage
from evalplus_lite.programs import parsing
from evalplus_lite.reports.exporting import ExportResult
from evalplus_lite.reports.figure_files import figures
from evalplus_lite.reports.reporting import report
from evalplus_lite.statistics.means import difference_of_shares, noise
from evalplus_lite.statistics.pass_at_k import Count
from evalplus_lite.statistics.trends import (
    Observation,
    line_fit,
    logarithmic_fit,
    rank_correlation,
    size_groups,
)
from evalplus_lite.store import parse_json, read_jsonl, read_text, write_jsonl
from evalplus_lite.store.labels import labels, stem

Row = dict[str, Any]
Place = tuple[str, int]
"""A case: its task's id and its index."""
ALL_MODELS = "all models"


@dataclass(slots=True)
class ModelGrades:
    """One model's grades by run (``sample``) and case.

    Predictions without an answer from the judge only count in ``undecided``.
    """

    label: str
    runs: dict[int, dict[Place, bool]] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    asked: int = 0
    retried: int = 0
    unreadable: int = 0
    undecided: int = 0

    def take(self, found: GradedPrediction, *, run: int) -> None:
        """Count one graded prediction in a run."""
        said = found.prediction
        self.asked += 1
        self.usage += Usage(
            prompt_tokens=said.prompt_tokens, completion_tokens=said.completion_tokens
        )
        self.retried += said.retried
        if found.problem:
            self.undecided += 1
            return
        self.unreadable += found.reason == "unreadable"
        self.runs.setdefault(run, {})[said.task_id, said.case] = found.is_right

    def counts(self) -> dict[Place, Count]:
        """Return the numbers of answers and right answers by case."""
        places = sorted({place for graded in self.runs.values() for place in graded})
        marks = {at: [run[at] for run in self.runs.values() if at in run] for at in places}
        return {place: Count(len(some), sum(some)) for place, some in marks.items()}

    def rates(self) -> dict[Place, float]:
        """Return pass@1 by case."""
        return {place: count.correct / count.total for place, count in self.counts().items()}


@dataclass(frozen=True)
class GradedTasks:
    """Tasks, grades by model, and measured CPU seconds by case."""

    tasks: Mapping[str, MinedTask]
    models: Sequence[ModelGrades]
    seconds: Mapping[Place, float]

    @cached_property
    def rates(self) -> dict[str, dict[Place, float]]:
        """Pass@1 by model and case; for several models, their mean (``ALL_MODELS``) comes first."""
        found = {model.label: model.rates() for model in self.models}
        if len(found) < 2:
            return found
        every: dict[Place, list[float]] = defaultdict(list)
        for rates in found.values():
            for place, rate in rates.items():
                every[place].append(rate)
        means = {place: fsum(some) / len(some) for place, some in sorted(every.items())}
        return {ALL_MODELS: means, **found}

    @cached_property
    def answered(self) -> list[Place]:
        """The cases that at least one model answered."""
        return sorted({place for rates in self.rates.values() for place in rates})

    @cached_property
    def errors(self) -> frozenset[Place]:
        """The answered cases that raise an exception."""
        return frozenset(
            (id, case)
            for id, case in self.answered
            if self.tasks[id].cases[case].answer.kind == "error"
        )

    @cached_property
    def measures(self) -> dict[Place, dict[str, float]]:
        """The measures of each answered case."""
        found = {}
        for id, case in self.answered:
            task = self.tasks[id]
            static, runtime = task.facts.get("static", {}), task.cases[case].runtime
            found[id, case] = measures(static, runtime, self.seconds.get((id, case)))
        return found

    @cached_property
    def constructs(self) -> dict[str, set[str]]:
        """The constructs in each answered task's program, without annotations."""
        found = {}
        for id in dict.fromkeys(id for id, _ in self.answered):
            # An unparsable program is in no comparison of constructs.
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                found[id] = features(parsing.parse(self.tasks[id].code))
        return found


def share(
    rates: Mapping[Place, float], places: Iterable[Place], tasks: Mapping[str, MinedTask]
) -> CaseShare | None:
    """Return the mean over the places that have a rate; None if none has."""
    found = {place: rates[place] for place in places if place in rates}
    return share_of(found, tasks) if found else None


GROUPS = 10
LINEAR = frozenset({"maintainability"})
"""Measures that are not counts; like shares per line, they have no logarithmic scale."""


def trend_rows(material: GradedTasks) -> Iterator[dict[str, Any]]:
    """Yield a row per measure, scope (``all`` cases or ``errors``) and model.

    ``spearman`` uses all of these cases. ``fit`` uses the measure's logarithm where it is above 0
    (``zero`` counts the other cases), or the measure itself (``scale``). Both are None if there are
    too few functions for an interval. ``groups`` are those of figure 5, of equal width.
    """
    names = dict.fromkeys(name for found in material.measures.values() for name in found)
    failing = [place for place in material.answered if place in material.errors]
    for name in names:
        is_linear = name in LINEAR or name.endswith("per line")
        for scope, places in (("all", material.answered), ("errors", failing)):
            for label, rates in material.rates.items():
                points = [
                    Observation(material.tasks[at[0]].function_id, found[name], rates[at])
                    for at in places
                    if at in rates and name in (found := material.measures[at])
                ]
                if not points:
                    continue
                groups = size_groups(points, count=GROUPS, logarithmic=not is_linear)
                ranked = rank_correlation(points)
                fit = line_fit(points) if is_linear else logarithmic_fit(points)
                yield {
                    "measure": name,
                    "scope": scope,
                    "model": label,
                    "scale": "linear" if is_linear else "logarithmic",
                    "cases": len(points),
                    "functions": len({point.cluster for point in points}),
                    "zero": 0 if is_linear else sum(not point.x > 0 for point in points),
                    "spearman": ranked and asdict(ranked),
                    "fit": fit and asdict(fit),
                    "groups": [asdict(group) for group in groups] if scope == "all" else [],
                }


PAPER: Mapping[str, Mapping[str, float]] = {
    "call_depth": {"median": 2, "max": 13},
    "identifiers": {"median": 16, "max": 823},
    "ifs": {"median": 1, "max": 63},
}
"""The paper's figures for its tasks (section 2.2)."""
PAPER_VARIATION: Mapping[str, float] = {"conditionals": 0.61, "lines": 0.20}
"""The paper's mean coefficients of variation (section 3)."""


def size_rows(tasks: Sequence[MinedTask]) -> Iterator[Row]:
    """Yield median and maximum of static measures over functions, with the paper's."""
    for name in ("lines", "call_depth", "identifiers", "ifs", "cyclomatic", "characters of code"):
        found = ({"characters of code": len(t.code), **t.facts.get("static", {})} for t in tasks)
        values = [each[name] for each in found if isinstance(each.get(name), int | float)]
        if values:
            known = PAPER.get(name, {})
            yield {"measure": name, "median": median(values), "max": max(values),
                   "paper_median": known.get("median"), "paper_max": known.get("max")}  # fmt: skip


def variation_rows(tasks: Sequence[MinedTask]) -> Iterator[Row]:
    """Yield the mean coefficient of variation of each runtime counter over functions' cases."""
    found: dict[str, list[float]] = defaultdict(list)
    for task in tasks:
        for name, value in task.facts.get("variation", {}).items():
            if isinstance(value, int | float):
                found[name].append(value)
    for name, values in sorted(found.items()):
        moving = [value for value in values if value > 0]
        yield {
            "measure": name,
            "mean": fmean(values),
            "functions": len(values),
            "mean_where_any": fmean(moving) if moving else None,
            "paper": PAPER_VARIATION.get(name),
        }


def generation(tasks: Iterable[MinedTask], prices: Mapping[str, Prices]) -> Row | None:
    """Return the tokens that models used to write inputs; None if no model wrote any.

    ``cost`` is None if the price of one of these models is unknown.
    """
    asked = [task.facts.get("generation", {}) for task in tasks]
    asked = [facts for facts in asked if facts.get("prompt_tokens")]
    usage = defaultdict[str, Usage](Usage)
    for facts in asked:
        usage[str(facts.get("model", ""))] += Usage(
            prompt_tokens=facts["prompt_tokens"],
            completion_tokens=facts.get("completion_tokens", 0),
        )
    if not usage:
        return None
    is_priced = set(usage) <= set(prices)
    total = sum(usage.values(), Usage())
    return {
        "models": sorted(set(usage) - {""}),
        "functions": len(asked),
        "prompt": total.prompt_tokens,
        "completion": total.completion_tokens,
        "cost": sum(u.cost(prices[name]) for name, u in usage.items()) if is_priced else None,
    }


HISTOGRAM = 10
"""Number of bars in the histogram of functions' pass rates."""
EASY = 0.8
"""Minimum pass rate of the functions with many calls in the table of figure 7."""
MOST_CALLED = 10


def model_rows(material: GradedTasks, prices: Mapping[str, Prices]) -> Iterator[Row]:
    """Yield a row per model: table 1, functions' mean and sigma, runs, tokens and cost."""
    for model in material.models:
        rates = material.rates[model.label]
        whole = share(rates, rates, material.tasks)
        if whole is None:
            continue
        raising = [place for place in rates if place in material.errors]
        failing = share(rates, raising, material.tasks)
        prompt, completion = model.usage.prompt_tokens, model.usage.completion_tokens
        price = prices.get(model.label)
        yield {
            "model": model.label,
            "predictions": model.asked,
            "unreadable": model.unreadable,
            "retried": model.retried,
            "undecided": model.undecided,
            "all": whole.to_json(),
            "errors": None if failing is None else failing.to_json(),
            "functions": _functions(rates),
            "runs": _runs(model),
            "tokens": {
                "prompt": prompt,
                "completion": completion,
                "a_prediction": (prompt + completion) / model.asked,
            },
            "cost": None if price is None else model.usage.cost(price),
        }


def _by_function(rates: Mapping[Place, float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for (id, _), rate in rates.items():
        found[id].append(rate)
    return found


def _functions(rates: Mapping[Place, float]) -> Row:
    """Return the mean, standard deviation and histogram of functions' pass rates."""
    means = [fmean(some) for some in _by_function(rates).values()]
    bars = Counter(min(HISTOGRAM - 1, int(HISTOGRAM * mean + 1e-9)) for mean in means)
    return {
        "count": len(means),
        "mean": fmean(means),
        "sigma": pstdev(means),
        "histogram": [bars[number] for number in range(HISTOGRAM)],
    }


def _runs(model: ModelGrades) -> Row | None:
    """Return each run's pass@1 and their standard deviation; None if there is only one run.

    ``within`` and ``between`` are the variances within a case's answers and between the cases'
    rates. The latter is an estimate that may fall below zero, which is reported as zero.
    """
    if len(model.runs) < 2:
        return None
    scores = [fmean(graded.values()) for _, graded in sorted(model.runs.items())]
    split = noise({f"{id}\n{case}": count for (id, case), count in model.counts().items()})
    return {
        "pass@1": scores,
        "deviation": stdev(scores),
        "within": None if split is None else split.within,
        "between": None if split is None else max(0.0, split.between),
    }


def package_rows(material: GradedTasks) -> Iterator[Row]:
    """Yield a row per package, most cases first: pass@1 of each model, and their mean.

    Models have equal weight in the mean, however many cases they answered.
    """
    members = defaultdict(list)
    for place in material.answered:
        members[str(material.tasks[place[0]].facts.get("package", "-"))].append(place)
    for name, places in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        shares = {
            label: share(rates, places, material.tasks) for label, rates in material.rates.items()
        }
        own = [shares[model.label] for model in material.models]
        means = [each.mean for each in own if each is not None]
        yield {
            "package": name,
            "cases": len(places),
            "functions": len({id for id, _ in places}),
            "errors": sum(place in material.errors for place in places),
            "mean": fmean(means),
            "models": {label: each and each.to_json() for label, each in shares.items()},
        }


def repositories(material: GradedTasks) -> Row:
    """Return each package's number of cases by rank, and a linear fit over log10(rank)."""
    cases, functions = Counter[str](), Counter[str]()
    for task in material.tasks.values():
        package = str(task.facts.get("package", "-"))
        cases[package] += len(task.cases)
        functions[package] += 1
    ranked = sorted(cases.items(), key=lambda item: (-item[1], item[0]))
    falloff = None
    if len(ranked) >= 3:  # cases = intercept + slope * log10(rank)
        ranks = [math.log10(rank) for rank in range(1, len(ranked) + 1)]
        counts = [count for _, count in ranked]
        slope, intercept = linear_regression(ranks, counts)
        r2 = correlation(ranks, counts) ** 2 if slope else 1.0
        falloff = {"intercept": intercept, "slope": slope, "r2": r2}
    listed = [{"package": p, "cases": n, "functions": functions[p]} for p, n in ranked]
    return {"packages": listed, "falloff": falloff}


def construct_rows(material: GradedTasks) -> Iterator[Row]:
    """Yield a row per construct and model: pass@1 with and without it, and the difference.

    Constructs correlate with program length, so a difference does not show a cause.
    """
    for name in FEATURES:
        places: dict[bool, list[Place]] = {True: [], False: []}
        for place in material.answered:
            if place[0] in material.constructs:
                places[name in material.constructs[place[0]]].append(place)
        for label, rates in material.rates.items():
            have, lack = (share(rates, places[has], material.tasks) for has in (True, False))
            if have is None:
                continue
            row: Row = {"construct": name, "model": label, "with": have.to_json(),
                   "without": None, "difference": None, "interval": None}  # fmt: skip
            if lack is not None:
                ends = difference_of_shares((have.mean, have.interval), (lack.mean, lack.interval))
                row |= {"without": lack.to_json(), "difference": have.mean - lack.mean,
                        "interval": list(ends)}  # fmt: skip
            yield row


def called_most(material: GradedTasks) -> list[Row]:
    """Return the functions with most calls among those with a high pass rate (figure 7)."""
    rates: Mapping[Place, float] = next(iter(material.rates.values()), {})
    known = {place: material.measures[place].get("run: calls") for place in rates}
    calls = _by_function({place: count for place, count in known.items() if count is not None})
    rows: list[Row] = [
        {"function": id, "calls": median(calls[id]), "cases": len(some), "pass@1": fmean(some)}
        for id, some in _by_function(rates).items()
        if id in calls and fmean(some) >= EASY
    ]
    return sorted(rows, key=lambda row: (-row["calls"], row["function"]))[:MOST_CALLED]


NAME = "exe-report.json"
PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class ExecutionReportResult(Result):
    """The report's figures; ``folder`` holds pictures, tables and a page."""

    folder: Path

    kind: ClassVar[str] = "exe_report"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row per model: ``model``, ``all``, ``errors``, ``functions``, ``runs``, ..."""
        return list(self.summary["models"])


def exe_report(
    tasks: str | os.PathLike[str],
    predictions: Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    prices: Mapping[str, Prices] | None = None,
    judge: ModelSource | None = None,
    pictures: bool = True,
    session: Session | None = None,
) -> ExecutionReportResult:
    """Make the tables and figures of the EXecution-Eval paper from models' predictions.

        exe_report("out/mined/tasks.jsonl", ["out/a.predictions.jsonl"], out="out/exe")

    ``predictions`` are files of ``predict``, or of CRUXEval's generations; several files of one
    model at one temperature count as runs. CPU times are read from the ``.times.jsonl`` file next
    to the tasks. ``prices`` are per million tokens, by model ("": all others). The folder ``out``
    gets ``exe-report.json`` with every number, pictures as SVG and PNG (unless ``pictures`` is
    false), tables as Markdown, LaTeX and CSV, and ``report.html``. Figures without data are listed
    under ``missing`` with the reason. Raise InputError for unreadable files, and for predictions of
    other tasks.
    """
    folder, tasks = made_folder(out), located(tasks)
    given = KnownTasks.of(tasks)
    known = given.tasks
    if not known:
        raise InputError("holds no task", path=tasks, remedy="make it with mine")
    named = _named(predictions)
    with within(session) as opened:
        models = _graded(given, named, judge, opened)
        missing: list[dict[str, str]] = []
        seconds = dict(_seconds(known, tasks, missing))
        material = GradedTasks(known, models, seconds)
        missing += [
            {"name": model.label, "reason": f"all {model.undecided} predictions are not judged"}
            for model in models
            if not model.runs
        ]
        if not material.errors:
            missing.append({"name": "errors", "reason": "no answered case raises"})
        every = list(known.values())
        written = (task.facts.get("generation", {}).get("model", "") for task in every)
        by_model = _by_model(
            prices or {}, [*(model.label for model in models), *sorted({*written})]
        )
        summary = {
            "run": run_facts(
                tasks=file_facts([tasks]), predictions=file_facts([path for _, path in named])
            ),
            "cases": sum(len(task.cases) for task in every),
            "answered": len(material.answered),
            "same_cases": len({frozenset(model.counts()) for model in models}) <= 1,
            "models": list(model_rows(material, by_model)),
            "repositories": repositories(material),
            "packages": list(package_rows(material)),
            "trends": list(trend_rows(material)),
            "constructs": list(construct_rows(material)),
            "called_most": called_most(material),
            "sizes": list(size_rows(every)),
            "variation": list(variation_rows(every)),
            "generation": generation(every, by_model),
            **given.facts(),
            "undecided": sum(model.undecided for model in models),
            "missing": missing,
        }
        result = ExecutionReportResult(summary, folder)
        result.write_summary(folder / NAME)
        drawn = figures(
            [folder / NAME], out=folder, pictures=pictures, only=["execution"], session=opened
        )
        tables = ((row, drawn.by_name[row["name"]]) for row in drawn.to_rows())
        summary["figures"] = [
            {**row, "heads": [*table.columns], "left": table.left, "rows": [*map(list, table.rows)]}
            for row, table in tables
            if table
        ]
        summary["missing"] = drawn.summary["missing"]
        result.write_summary(folder / NAME)
        report([folder / NAME], out=folder / PAGE, title="Execution prediction", session=opened)
    return result


def _named(predictions: Sequence[str | os.PathLike[str]]) -> list[tuple[str, Path]]:
    """Return each file with its model's name; files with the same name are runs of one model."""
    paths = [Path(path) for path in predictions]
    if not paths:
        raise InputError("no predictions were given", remedy="name a file that predict wrote")
    known = [_settings(path) for path in paths]
    heats: dict[object, set[object]] = defaultdict(set)
    for own in known:
        heats[own.get("model")].add(own.get("temperature"))
    found = []
    for path, own, fallback in zip(paths, known, labels(paths), strict=True):
        name = own.get("model")
        if isinstance(name, str):
            name += f" at {own.get('temperature')}" if len(heats[name]) > 1 else ""
            name += " with reasoning" if own.get("cot") else ""
        found.append((name if isinstance(name, str) else fallback, path))
    return found


def _settings(path: Path) -> Mapping[str, Any]:
    """Return the settings of ``predict`` for a file; empty if there are none."""
    place = path.with_name(f"{stem(path)}.settings.json")
    if not place.is_file():
        return {}
    found = parse_json(read_text(place), path=place)
    return found if isinstance(found, dict) else {}


def _graded(
    given: KnownTasks,
    named: Sequence[tuple[str, Path]],
    judge: ModelSource | None,
    session: Session,
) -> list[ModelGrades]:
    decide = None if judge is None else judge_by(judge)
    found: dict[str, ModelGrades] = {}
    for label, path in named:
        model = found.setdefault(label, ModelGrades(label))
        said = list(given.predictions(path))
        before = 1 + max(model.runs, default=-1)
        try:
            scores = scored(given.tasks.values(), said, judge=decide, session=session)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        for each in scores.grades:
            model.take(each, run=before + each.prediction.sample)
    return list(found.values())


def _seconds(
    known: Mapping[str, MinedTask], tasks: str | os.PathLike[str], missing: list[dict[str, str]]
) -> Iterator[tuple[Place, float]]:
    """Yield CPU seconds of cases; skip tasks whose number of cases differs."""
    place = Path(tasks).with_name(f"{stem(tasks)}.times.jsonl")
    if not place.is_file():
        missing.append({"name": TIME, "reason": f"there is no {place.name} next to the tasks"})
        return
    odd = 0
    for row in read_jsonl(place):
        id, seconds = row.data.get("task_id"), row.data.get("seconds")
        if not isinstance(seconds, list) or not all(isinstance(s, int | float) for s in seconds):
            raise InputError("is not a row of times", path=place, line=row.line)
        task = known.get(str(id))
        if task is None:
            continue
        if len(seconds) != len(task.cases):
            odd += 1
            continue
        yield from (((task.id, case), float(each)) for case, each in enumerate(seconds))
    if odd:
        reason = f"{place.name} has a different number of cases for {odd} of the tasks"
        missing.append({"name": TIME, "reason": reason})


def _by_model(prices: Mapping[str, Prices], names: Sequence[str]) -> Mapping[str, Prices]:
    """Return the prices by model; raise InputError for a price of an unknown model."""
    if unknown := sorted(set(prices) - {"", *names}):
        raise InputError(
            f"a price is for an unknown model, {unknown[0]!r}",
            remedy=f"the models are {', '.join(filter(None, names))}",
        )
    others = {name: prices[""] for name in names if "" in prices}
    return {**others, **prices}


def export_mined(dataset: str | os.PathLike[str], path: str | os.PathLike[str]) -> ExportResult:
    """Write mined tasks, or a set by its name, as CRUXEval rows."""
    out, dataset = Path(path), located(dataset)
    keep_inputs({"output": out}, {"tasks": dataset})
    tasks = list(read_tasks(dataset))
    asked = [task for task in tasks if "breakpoint" in task.facts]
    if asked:
        raise InputError(
            f"asks about states within a call, which CRUXEval cannot: {asked[0].id}",
            path=dataset,
            remedy="give a file of mined tasks, as mine writes without --breakpoints",
        )
    rows, lost = written(tasks)
    if not rows:
        raise InputError("has no case that CRUXEval's form can hold", path=dataset)
    write_jsonl(out, rows)
    found = {"format": "cruxeval", "tasks": len({row["task_id"] for row in rows}),
             "cases": len(rows), "left_out": lost, "out": str(out)}  # fmt: skip
    return ExportResult(
        {"run": run_facts(tasks=file_facts([dataset])), **found, "unusable": [], "notes": []}
    )
