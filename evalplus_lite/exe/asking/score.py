"""Scores of predictions: by the paper's rules, overall, on errors, by package, by statistic."""

from __future__ import annotations

import ast
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.exe.asking.predict import Asked, Prediction, question_digest
from evalplus_lite.exe.running.runs import UnaskableError, key_text, normal, number, text
from evalplus_lite.exe.statistics.measures import measures
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.moments import KINDS, consistency
from evalplus_lite.exe.tasks.worth import SPLITS
from evalplus_lite.models import Message, ModelSource, Request
from evalplus_lite.models.errors import is_about_request
from evalplus_lite.models.json_form import shorten
from evalplus_lite.statistics.means import clustered_interval
from evalplus_lite.statistics.pass_at_k import pass_at_k
from evalplus_lite.store import Row, parse_json, read_beginning, read_jsonl, read_text
from evalplus_lite.types import Value
from evalplus_lite.values.kinds.containers import DefaultDict
from evalplus_lite.values.source import value_of

JUDGE = """Two messages of one kind of Python exception ({kind}) follow. Do they report the same \
problem? Keep in mind: versions of Python word one error with more or less detail; the cause may \
be put more or less helpfully; hints and suggestions added to a message change nothing; line \
numbers and file paths do not matter.

<first>
{first}
</first>
<second>
{second}
</second>

Would an experienced Python developer call them the same error? Answer True or False only."""

SameMessage = Callable[[str, str, str], bool]
"""Whether two messages of an exception's type, the true and the predicted one, say the same."""


class UnclearError(LLMError):
    """A judge answered with neither True nor False."""


def judge_by(source: ModelSource) -> SameMessage:
    """Return a judge of exception messages that asks a language model for True or False.

    The texts are data to it. Each question is asked once, and none after an error that speaks of
    the server. Raises LLMError for a question without an answer, or with one that begins with
    neither word.
    """
    known: dict[tuple[str, str, str], bool | LLMError] = {}
    down: LLMError | None = None

    def ask(kind: str, true: str, predicted: str) -> bool:
        text = JUDGE.format(kind=kind, first=true[:2000], second=predicted[:2000])
        request = Request(
            model=source.model, messages=(Message("user", text),), temperature=0.0, max_tokens=16
        )
        said = source.ask(request, cut_off="keep").text
        word = re.match(r"\W*(true|false)\b", said, re.IGNORECASE)
        if word is None:
            raise UnclearError(f"the judge said neither True nor False: {shorten(said)}")
        return word[1].lower() == "true"

    def judge(kind: str, true: str, predicted: str) -> bool:
        nonlocal down
        question = (kind, true, predicted)
        if question not in known:
            if down is not None:
                raise down
            try:
                known[question] = ask(*question)
            except LLMError as error:
                known[question] = error
                is_down = not (is_about_request(error) or isinstance(error, UnclearError))
                down = error if is_down else None
        found = known[question]
        if isinstance(found, LLMError):
            raise found
        return found

    return judge


MOST_NESTED = 200
"""Members of a set that are compared in any order of their own; of larger ones in sorted order."""
LONGEST_KEY = 10_000
"""Characters of a predicted key that is read."""


def is_same(truth: Value, predicted: Any) -> bool:
    """Return whether a predicted JSON value is a true output.

    Where the truth has a set, at any depth, the prediction's list may stand in any order. A key
    that is no text may be written as JSON or as Python: ``[1, 2]``, ``[1,2]`` or ``(1, 2)``.
    """
    return text(normal(truth)) == text(_aligned(truth, _numbers(predicted)))


def _aligned(truth: Value, predicted: Any) -> Any:
    """Return a prediction with lists sorted where the truth has sets, and keys as it has them."""
    if isinstance(truth, DefaultDict):
        truth = truth.items
    if isinstance(truth, set | frozenset) and isinstance(predicted, list):
        return sorted(_members(truth, predicted), key=text)
    if isinstance(truth, list | tuple) and isinstance(predicted, list):
        if len(truth) == len(predicted):
            return [_aligned(t, p) for t, p in zip(truth, predicted, strict=True)]
    elif isinstance(truth, Mapping) and isinstance(predicted, dict):
        known = {key_text(key): item for key, item in truth.items()}
        others = {key_text(key): key for key in truth if not isinstance(key, str)}
        found: dict[str, Any] = {}
        for written, item in predicted.items():
            key = written if written in known else _respelled(written, others)
            if key in found:  # two spellings of one key say two things
                return predicted
            found[key] = _aligned(known[key], item) if key in known else item
        return found
    return predicted


def _members(truth: frozenset[Value] | set[Value], predicted: list[Any]) -> list[Any]:
    """Return what is predicted of a set, each member written as the one that it may be."""
    nested = [each for each in truth if isinstance(each, frozenset | tuple)]
    if not nested or len(predicted) != len(truth) or len(nested) > MOST_NESTED:
        return predicted
    texts = [text(normal(each)) for each in nested]
    found = []
    for item in predicted:
        written = (_aligned(each, item) for each in nested)
        fitting = (
            tree for tree, wanted in zip(written, texts, strict=True) if text(tree) == wanted
        )
        found.append(next(fitting, item))
    return found


def _respelled(written: str, keys: Mapping[str, Value]) -> str:
    """Return which of the keys, the texts of values, a predicted key spells; or the key itself."""
    if not keys or len(written) > LONGEST_KEY:
        return written
    for read in (json.loads, _literal, str):  # bytes are written as text
        try:
            found = normal(read(written))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if text(found) in keys:
            return text(found)
        # In a key, too, a set's members stand in any order.
        nested = [known for known, key in keys.items() if isinstance(key, frozenset | tuple)]
        for known in nested if len(nested) <= MOST_NESTED else ():
            if text(_aligned(keys[known], found)) == known:
                return known
    return written


def _literal(written: str) -> Value:
    return value_of(ast.parse(written, mode="eval").body)


def _numbers(tree: Any) -> Any:
    """Write a prediction's numbers one way."""
    if isinstance(tree, list):
        return [_numbers(item) for item in tree]
    if isinstance(tree, dict):
        return {str(key): _numbers(item) for key, item in tree.items()}
    if isinstance(tree, int | float) and not isinstance(tree, bool):
        return number(tree)
    return tree


BINS = 4
"""Quantile groups of a statistic."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One line of a score table: mean pass@1 over ``cases`` cases of ``tasks`` functions.

    ``interval`` is its 95 % interval, in which cases of one function count as alike as they are.
    """

    group: str
    name: str
    cases: int
    tasks: int
    pass_at_1: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class CaseShare:
    """Mean pass@1 over ``cases`` cases of ``functions`` functions, with its 95 % interval."""

    cases: int
    functions: int
    mean: float
    interval: tuple[float, float]

    def to_json(self) -> dict[str, object]:
        """Return it for a file."""
        return {
            "cases": self.cases,
            "functions": self.functions,
            "pass@1": self.mean,
            "interval": list(self.interval),
        }


@dataclass(frozen=True, slots=True)
class MomentScore:
    """Mean incremental consistency over moments that were asked about in every way."""

    moments: int
    mean: float
    interval: tuple[float, float]

    def to_json(self) -> dict[str, object]:
        """Return it for a file."""
        interval = [round(end, 6) for end in self.interval]
        return {"moments": self.moments, "mean": round(self.mean, 6), "interval": interval}


def consistency_of(
    moments: Mapping[tuple[str, str, int], Mapping[str, bool]],
) -> MomentScore | None:
    """Return how consistent the answers on moments are, by (function, moment, sample).

    Moments that lack an answer are left out; None if all do.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for (function, _, _), marks in moments.items():
        if len(marks) == len(KINDS):
            found[function].append(consistency(marks))
    values = [value for some in found.values() for value in some]
    if not values:
        return None
    interval = clustered_interval((fsum(some), len(some)) for some in found.values())
    return MomentScore(len(values), fmean(values), interval)


def score_rows(
    known: Mapping[str, MinedTask], rates: Mapping[tuple[str, int], float]
) -> Iterator[ScoreRow]:
    """Yield the rows of all, of errors, of each package, and of each statistic in quarters."""
    places = sorted(rates)
    yield _line("all", "all", places, rates, known)
    errors = [p for p in places if known[p[0]].cases[p[1]].answer.kind == "error"]
    if errors:
        yield _line("all", "errors only", errors, rates, known)
    groups: dict[str, dict[str, list[tuple[str, int]]]] = {
        name: defaultdict(list) for name in ("package", "question", "split")
    }
    for place in places:
        facts = known[place[0]].facts
        groups["package"][str(facts.get("package", "-"))].append(place)
        groups["split"][str(facts.get("difficulty", {}).get("split"))].append(place)
        if "question" in facts:
            groups["question"][str(facts["question"].get("kind"))].append(place)
    packages = groups["package"]
    order: dict[str, list[str]] = {
        "package": sorted(packages, key=lambda name: (-len(packages[name]), name)),
        "question": sorted(groups["question"]),
        "split": [name for name in SPLITS if name in groups["split"]],
    }
    for group, names in order.items():
        for name in names:
            yield _line(group, name, groups[group][name], rates, known)
    for group, values in _statistics(known, places).items():
        yield from _quarters(group, values, rates, known)


def _statistics(
    known: Mapping[str, MinedTask], places: list[tuple[str, int]]
) -> dict[str, dict[tuple[str, int], float]]:
    """Return statistic -> case -> value; per line of code for counts of node types."""
    found: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for place in places:
        task = known[place[0]]
        case = task.cases[place[1]]
        for name, value in measures(task.facts.get("static", {}), case.runtime).items():
            found[name][place] = value
    return dict(found)


def _quarters(
    group: str,
    values: Mapping[tuple[str, int], float],
    rates: Mapping[tuple[str, int], float],
    known: Mapping[str, MinedTask],
) -> Iterator[ScoreRow]:
    """Split cases at the quartiles of a statistic; equal values stay together."""
    ordered = sorted(values.values())
    edges = sorted({ordered[len(ordered) * n // BINS] for n in range(1, BINS)})
    bins: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for place, value in values.items():
        bins[sum(value >= edge for edge in edges)].append(place)
    if len(bins) < 2:
        return
    for _, members in sorted(bins.items()):
        low = min(values[place] for place in members)
        high = max(values[place] for place in members)
        yield _line(group, f"{low:.4g} to {high:.4g}", members, rates, known)


def _line(
    group: str,
    name: str,
    places: list[tuple[str, int]],
    rates: Mapping[tuple[str, int], float],
    known: Mapping[str, MinedTask],
) -> ScoreRow:
    found = share_of({place: rates[place] for place in places}, known)
    return ScoreRow(group, name, found.cases, found.functions, found.mean, found.interval)


def share_of(values: Mapping[tuple[str, int], float], known: Mapping[str, MinedTask]) -> CaseShare:
    """Return the mean of a figure from 0 to 1 a case, of which there is at least one."""
    found: dict[str, list[float]] = defaultdict(list)
    for (task_id, _), value in values.items():
        found[known[task_id].function_id].append(value)
    sums = [(fsum(some), len(some)) for some in found.values()]
    mean = fsum(hits for hits, _ in sums) / len(values)
    return CaseShare(len(values), len(found), mean, clustered_interval(sums))


_BEGINNING = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[')


def is_generations(path: Path) -> bool:
    """Return whether a file holds generations, by how it begins."""
    return _BEGINNING.match(read_beginning(path)) is not None


def read_generations(path: Path, known: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """Yield task, number and text of each expression, the tasks in the file's order.

    ``known`` are ids of tasks: one may follow the set's name there (``cruxeval/sample_0``). Raises
    InputError, naming the task, for anything but lists of strings.
    """
    full = {id.rpartition("/")[2]: id for id in known}
    for name, texts in parse_json(read_text(path), path=path).items():
        if type(texts) is not list or any(type(text) is not str for text in texts):
            raise InputError(f"{name[:60]!r} has something other than a list of texts", path=path)
        for at, expression_text in enumerate(texts):
            yield full.get(name, name), at, expression_text


LAST = 1 << 20
"""Bytes at the end of a file in which its last line is looked for."""


@dataclass(frozen=True, slots=True)
class GradedPrediction:
    """A prediction with its grade: ``is_right``, and ``reason`` where it is wrong."""

    prediction: Prediction
    is_right: bool
    reason: str = ""
    judged: bool = False
    """Whether a language model had the last word, on an exception's message."""
    problem: str = ""
    """Why there is no grade: the model that was to have the last word could not be asked."""


Expression = tuple[str, int, Asked, str]
"""An expression that a model wrote, and for what: task, case, what was asked, its text."""


def expression(prediction: Prediction) -> Expression | None:
    """Return the expression that a prediction consists of, None if it does not."""
    text = (prediction.answer or {}).get("python")
    if text is None:
        return None
    return prediction.task_id, prediction.case, prediction.of, str(text)


def grade(
    case: TaskCase,
    prediction: Prediction,
    same_message: SameMessage | None = None,
    *,
    ran: Mapping[Expression, str] = MappingProxyType({}),
) -> GradedPrediction:
    """Mark one prediction.

    A value is compared as JSON after normalisation. An exception needs the same type, and the same
    message up to surrounding space; ``same_message(kind, true, predicted)`` is asked only where
    the messages alone differ. If it raises LLMError, the prediction is neither right nor wrong.
    ``ran`` says of each expression why it is wrong, or "".
    """
    source = expression(prediction)
    if source is not None:
        return GradedPrediction(prediction, not ran[source], ran[source])
    is_error = case.answer.kind == "error"
    answer = prediction.answer
    if not answer:
        reason = "not asked" if prediction.unasked else "unreadable"
        return GradedPrediction(prediction, False, reason)
    if not is_error:
        if "value" not in answer:
            return GradedPrediction(prediction, False, "error predicted, value returned")
        try:
            right = is_same(case.answer.value, answer["value"])
        except RecursionError:  # it nests deeper than any answer
            right = False
        return GradedPrediction(prediction, right, "" if right else "other value")
    if "error" not in answer:
        return GradedPrediction(prediction, False, "value predicted, error raised")
    kind = str(answer["error"]["type"]).rpartition(".")[2]
    if kind != case.answer.type:
        return GradedPrediction(prediction, False, "other exception")
    message = str(answer["error"]["message"]).strip()
    if message == case.answer.message.strip():
        return GradedPrediction(prediction, True)
    if same_message is not None:
        try:
            right = same_message(kind, case.answer.message, message)
        except LLMError as error:
            return GradedPrediction(prediction, False, "not judged", problem=str(error))
        return GradedPrediction(prediction, right, "" if right else "other message", judged=True)
    return GradedPrediction(prediction, False, "other message")


def read_predictions(
    path: Path, *, known: Collection[str] = (), of: Asked | None = None
) -> Iterator[Prediction]:
    """Yield a file's predictions; InputError names a line that holds none.

    The file may be one of generations, of expressions for tasks with the ids in ``known``: these
    are of what ``of`` says, ``output`` by default.
    """
    if is_generations(path):
        for task_id, number, text in read_generations(path, known):
            said = {"python": text}
            yield Prediction(task_id, 0, number, said, of=of or "output")
        return
    for row in _whole_rows(path):
        try:
            yield Prediction.from_json(row.data)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"is no prediction: {type(error).__name__}: {error}", path=path, line=row.line
            ) from None


def _whole_rows(path: Path) -> Iterator[Row]:
    """Yield a file's rows; of one that a run was killed at the error says what to do."""
    try:
        yield from read_jsonl(path)
    except InputError as error:
        if error.line is None or path.suffix in (".gz", ".zst"):
            raise
        with path.open("rb") as file:
            file.seek(-min(LAST, path.stat().st_size), os.SEEK_END)
            end = file.read().rpartition(b"\n")[2]
            if not end.startswith(b"{") or b"\0" in end:  # no line of ours that was being written
                raise
        raise InputError(
            error.problem,
            path=path,
            line=error.line,
            remedy="its last line is cut off: predict resumes when run again",
        ) from None


def task_of(prediction: Prediction, known: Mapping[str, MinedTask]) -> MinedTask:
    """Return the task of a prediction; InputError if the tasks do not have it, or no longer."""
    task = known.get(prediction.task_id)
    if task is None or not 0 <= prediction.case < len(task.cases):
        raise InputError(
            f"a prediction is for {prediction.task_id!r}, case {prediction.case}, which the tasks"
            " do not have",
            remedy="score against the file that was predicted on",
        )
    asked = prediction.question
    if asked and asked != question_digest(task, task.cases[prediction.case], prediction.of):
        raise InputError(
            f"a prediction for {task.id!r}, case {prediction.case}, is about another program or"
            " input than the tasks have",
            remedy="score against the file that was predicted on",
        )
    return task


def graded_row(task: MinedTask, found: GradedPrediction) -> dict[str, Any]:
    """Return a prediction as a row in the paper's form (A.1): input, output, prediction, result."""
    row = found.prediction.to_json()
    return {
        "task_id": task.id,
        "case": row["case"],
        "sample": row["sample"],
        **({"of": row["of"]} if "of" in row else {}),
        **{k: v for k, v in task.cases[row["case"]].to_json().items() if k != "runtime"},
        "prediction": row["prediction"],
        "result": None if found.problem else found.is_right,
        "reason": found.reason,
        "answer_tokens": row["answer_tokens"],
    }


@dataclass(slots=True)
class ScoreReport:
    """All tables of one model's predictions."""

    lines: list[ScoreRow] = field(default_factory=list)
    pass_at: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    missing: int = 0
    """Cases of the tasks without any prediction; they count as wrong in nothing."""
    undecided: list[dict[str, Any]] = field(default_factory=list)
    """Predictions that the judge gave no answer on, and why: in none of the figures."""
    repeated: int = 0
    """Predictions that are there more than once, under one sample's number: counted once."""
    too_few: list[int] = field(default_factory=list)
    """The k of pass@k that no case has answers enough for."""
    consistency: MomentScore | None = None
    """Of questions about moments of runs: how far an answer's understanding of each one goes."""

    def to_json(self) -> dict[str, Any]:
        """Return it for a file."""
        return {
            "pass_at_k": self.pass_at,
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "tables": [
                {"group": x.group, "name": x.name, "cases": x.cases, "tasks": x.tasks,
                 "pass@1": round(x.pass_at_1, 6),
                 "interval": [round(end, 6) for end in x.interval]}
                for x in self.lines
            ],
            "wrong": self.reasons,
            "missing": self.missing,
            "undecided": self.undecided,
            "repeated": self.repeated,
            "too_few": self.too_few,
            **({} if self.consistency is None else {"consistency": self.consistency.to_json()}),
        }  # fmt: skip


def score(
    tasks: Iterable[MinedTask],
    predictions: Iterable[Prediction],
    *,
    ks: Iterable[int] = (1,),
    judge: SameMessage | None = None,
    graded: Callable[[MinedTask, GradedPrediction], None] | None = None,
    ran: Mapping[Expression, str] = MappingProxyType({}),
) -> ScoreReport:
    """Score predictions: pass@k over cases, and pass@1 by group.

    ``graded`` is called with each grade. ``ran`` has the reason why each expression of a model is
    wrong, "" if right.

    Groups: all, errors only, package, static and runtime statistics in quarters, and the counts of
    node types over lines of code. Raises InputError for a prediction of an unknown case, for two
    answers under one sample's number, and where there is no prediction at all.
    """
    known = {task.id: task for task in tasks}
    marks: dict[tuple[str, int], list[bool]] = defaultdict(list)
    report = ScoreReport()
    unjudged: set[tuple[str, int]] = set()
    moments: dict[tuple[str, str, int], dict[str, bool]] = defaultdict(dict)
    answers: dict[tuple[str, int, int], Mapping[str, Any] | None] = {}
    for prediction in predictions:
        task = task_of(prediction, known)
        name = (prediction.task_id, prediction.case, prediction.sample)
        if name in answers:
            if answers[name] != prediction.answer:
                raise InputError(
                    f"{task.id}, case {prediction.case}, sample {prediction.sample} is answered"
                    " twice, and otherwise",
                    remedy="number the samples of a case from 0, each once",
                )
            report.repeated += 1
            continue
        answers[name] = prediction.answer
        try:
            found = grade(task.cases[prediction.case], prediction, judge, ran=ran)
        except UnaskableError as error:  # of a file that was not mined, or changed
            raise InputError(
                f"{task.id}, case {prediction.case}: its answer cannot be asked for: {error}",
                remedy="mine the task again",
            ) from None
        if graded is not None:
            graded(task, found)
        if found.problem:
            place = {"task_id": prediction.task_id, "case": prediction.case}
            report.undecided.append(
                {**place, "sample": prediction.sample, "problem": found.problem}
            )
            unjudged.add((prediction.task_id, prediction.case))
            continue
        marks[prediction.task_id, prediction.case].append(found.is_right)
        asked = task.facts.get("question", {})
        if "moment" in asked:
            moment = (task.id.partition("@")[0], asked["moment"], prediction.sample)
            moments[moment][asked["kind"]] = found.is_right
        if not found.is_right:
            report.reasons[found.reason] = report.reasons.get(found.reason, 0) + 1
    if not answers:
        raise InputError(
            "there is no prediction", remedy="ask a model first: evalplus-lite exe predict"
        )
    for k in ks:
        values = {p: pass_at_k(len(m), sum(m), k) for p, m in marks.items() if len(m) >= k}
        if values:
            report.pass_at[f"pass@{k}"] = fmean(values.values())
            report.intervals[f"pass@{k}"] = share_of(values, known).interval
        else:
            report.too_few.append(k)
    seen = unjudged | set(marks)
    report.missing = sum(len(task.cases) for task in known.values()) - len(seen)
    rates = {place: fmean(found) for place, found in marks.items()}
    report.lines = list(score_rows(known, rates)) if rates else []  # the judge may have failed all
    report.reasons = dict(sorted(report.reasons.items()))
    report.consistency = consistency_of(moments)
    return report
