"""Scores of predictions: by the paper's rules, overall, on errors, by package, by statistic."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.exe.asking.canonical import is_same
from evalplus_lite.exe.asking.judging import SameMessage
from evalplus_lite.exe.asking.predict import Prediction
from evalplus_lite.exe.asking.prompt import Asked, question_digest
from evalplus_lite.exe.asking.score_tables import (
    MomentScore,
    ScoreRow,
    consistency_of,
    score_rows,
    share_of,
)
from evalplus_lite.exe.running.spelling import UnaskableError
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.statistics.pass_at_k import pass_at_k
from evalplus_lite.store import Row, parse_json, read_beginning, read_jsonl, read_text

# CRUXEval's files of generations: an object that has for each task a list of expressions.

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
        for number, text in enumerate(texts):
            yield full.get(name, name), number, text


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
            remedy="its last line is cut off: a predict that was stopped goes on when run again",
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
    """Score predictions: pass@k over cases, and pass@1 by group; ``graded`` is told each grade.

    ``ran`` says of each expression that a model wrote why it is wrong, or "".

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
