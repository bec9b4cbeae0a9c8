"""Scores of predictions by the paper's rules: overall, on errors, by package and by split."""

from __future__ import annotations

import ast
import functools
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from math import fsum
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, ClassVar

from evalplus_lite.errors import CodecError, InputError, LLMError
from evalplus_lite.exe.prediction import Prediction, facts_of, question_digest
from evalplus_lite.exe.running.runs import (
    CallResult,
    UnaskableError,
    key_text,
    normal,
    number,
    text,
)
from evalplus_lite.exe.tasks.forms import SkippedRow, read_any_tasks
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.worth import SPLITS
from evalplus_lite.execution.base import Call, Work, WorkerContext
from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, within
from evalplus_lite.models import Message, ModelSource, Request
from evalplus_lite.models.errors import is_about_request
from evalplus_lite.models.json_form import shorten
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.statistics.means import clustered_interval
from evalplus_lite.statistics.pass_at_k import pass_at_k
from evalplus_lite.store import parse_json, read_beginning, read_jsonl, read_text, write_jsonl
from evalplus_lite.types import Raised, Returned, Rule, TimedOut, Value
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal
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
"""Returns whether two messages of an exception type, true and predicted, mean the same."""


def judge_by(source: ModelSource) -> SameMessage:
    """Return a judge of exception messages that asks a language model for True or False.

    The messages are passed as data. Each question is asked once; after an error of the server, no
    more are asked. The judge raises LLMError if there is no answer, or if it begins with neither
    word.
    """
    down: list[LLMError] = []

    @functools.cache
    def ask(kind: str, true: str, predicted: str) -> bool | LLMError:
        if down:
            return down[0]
        text = JUDGE.format(kind=kind, first=true[:2000], second=predicted[:2000])
        request = Request(
            model=source.model, messages=(Message("user", text),), temperature=0.0, max_tokens=16
        )
        try:
            said = source.ask(request, cut_off="keep").text
        except LLMError as error:
            down.extend([] if is_about_request(error) else [error])
            return error
        word = re.match(r"\W*(true|false)\b", said, re.IGNORECASE)
        if word is None:
            return LLMError(f"the judge said neither True nor False: {shorten(said)}")
        return word[1].lower() == "true"

    def judge(kind: str, true: str, predicted: str) -> bool:
        found = ask(kind, true, predicted)
        if isinstance(found, LLMError):
            raise found
        return found

    return judge


MOST_NESTED = 200
"""Maximum nested members of a set to match in any order; larger sets are compared as sorted."""
LONGEST_KEY = 10_000
"""Maximum characters of a predicted key to parse."""


def is_same(truth: Value, predicted: Any) -> bool:
    """Return whether a predicted JSON value equals the true output.

    For a set in the truth, at any depth, the predicted list may have any order. A key that is not
    a string may be written as JSON or as Python: ``[1, 2]``, ``[1,2]`` or ``(1, 2)``.
    """
    return text(normal(truth)) == text(_aligned(truth, _numbers(predicted)))


def _aligned(truth: Value, predicted: Any) -> Any:
    """Return a prediction with lists sorted for sets in the truth, and keys spelled as there."""
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
            if key in found:  # the same key in two spellings
                return predicted
            found[key] = _aligned(known[key], item) if key in known else item
        return found
    return predicted


def _members(truth: frozenset[Value] | set[Value], predicted: list[Any]) -> list[Any]:
    """Return the predicted members of a set, each aligned with a true member if one matches."""
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
    """Return the true key that a predicted key spells in another way, or the key itself."""
    if not keys or len(written) > LONGEST_KEY:
        return written
    for read in (json.loads, _literal, str):  # str for bytes, written as text
        try:
            found = normal(read(written))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if text(found) in keys:
            return text(found)
        # Sets inside a key may have any order too.
        nested = [known for known, key in keys.items() if isinstance(key, frozenset | tuple)]
        for known in nested if len(nested) <= MOST_NESTED else ():
            if text(_aligned(keys[known], found)) == known:
                return known
    return written


def _literal(written: str) -> Value:
    return value_of(ast.parse(written, mode="eval").body)


def _numbers(tree: Any) -> Any:
    """Normalize a prediction's numbers."""
    if isinstance(tree, list):
        return [_numbers(item) for item in tree]
    if isinstance(tree, dict):
        return {str(key): _numbers(item) for key, item in tree.items()}
    if isinstance(tree, int | float) and not isinstance(tree, bool):
        return number(tree)
    return tree


@dataclass(frozen=True, slots=True)
class CaseShare:
    """Mean pass@1 over ``cases`` cases of ``functions`` functions, with its 95 % interval."""

    cases: int
    functions: int
    mean: float
    interval: tuple[float, float]

    def to_json(self) -> dict[str, object]:
        """Return the share as JSON data."""
        return {
            "cases": self.cases,
            "functions": self.functions,
            "pass@1": self.mean,
            "interval": list(self.interval),
        }


def score_rows(
    known: Mapping[str, MinedTask], rates: Mapping[tuple[str, int], float]
) -> Iterator[dict[str, Any]]:
    """Yield a row for all cases, for errors, for each package, and for each split.

    Each has the mean pass@1 of cases, with a 95 % interval clustered by function.
    """
    groups: dict[tuple[str, str], dict[tuple[str, int], float]] = defaultdict(dict)
    for place, rate in sorted(rates.items()):
        task = known[place[0]]
        groups["all", "all"][place] = rate
        if task.cases[place[1]].answer.kind == "error":
            groups["all", "errors only"][place] = rate
        groups["package", str(task.facts.get("package", "-"))][place] = rate
        groups["split", str(task.facts.get("difficulty", {}).get("split"))][place] = rate
    packages = sorted((-len(found), name) for (group, name), found in groups.items()
                      if group == "package")  # fmt: skip
    order = [("all", "all"), ("all", "errors only"), *(("package", name) for _, name in packages)]
    for group, name in (*order, *(("split", name) for name in SPLITS)):
        if (group, name) in groups:
            share = share_of(groups[group, name], known)
            yield {
                "group": group, "name": name, "cases": share.cases, "tasks": share.functions,
                "pass@1": round(share.mean, 6), "interval": [round(x, 6) for x in share.interval],
            }  # fmt: skip


def share_of(values: Mapping[tuple[str, int], float], known: Mapping[str, MinedTask]) -> CaseShare:
    """Return the mean of values from 0 to 1 by case; there must be at least one."""
    found: dict[str, list[float]] = defaultdict(list)
    for (task_id, _), value in values.items():
        found[known[task_id].function_id].append(value)
    sums = [(fsum(some), len(some)) for some in found.values()]
    mean = fsum(hits for hits, _ in sums) / len(values)
    return CaseShare(len(values), len(found), mean, clustered_interval(sums))


@dataclass(frozen=True, slots=True)
class GradedPrediction:
    """A prediction with its grade: ``is_right``, and the ``reason`` if it is wrong."""

    prediction: Prediction
    is_right: bool
    reason: str = ""
    problem: str = ""
    """Why there is no grade: the judge gave no answer."""


Expression = tuple[str, int, str]
"""A predicted expression: task, case and text."""


def expression(prediction: Prediction) -> Expression | None:
    """Return the expression of a prediction; None if its answer is not an expression."""
    said = (prediction.answer or {}).get("python")
    return None if said is None else (prediction.task_id, prediction.case, str(said))


def grade(
    case: TaskCase,
    prediction: Prediction,
    same_message: SameMessage | None = None,
    *,
    ran: Mapping[Expression, str] = MappingProxyType({}),
) -> GradedPrediction:
    """Grade one prediction.

    A value is compared as JSON after normalization. An exception needs the same type, and the same
    message up to surrounding space; ``same_message(kind, true, predicted)`` is called only if the
    messages alone differ. If it raises LLMError, the prediction is neither right nor wrong. ``ran``
    maps each expression to the reason why it is wrong, or "".
    """
    source = expression(prediction)
    try:
        reason = _fault(case.answer, prediction, same_message) if source is None else ran[source]
    except LLMError as error:
        return GradedPrediction(prediction, False, "not judged", problem=str(error))
    return GradedPrediction(prediction, not reason, reason)


def _fault(truth: CallResult, prediction: Prediction, same_message: SameMessage | None) -> str:
    """Return why a prediction is wrong; empty if it is right."""
    answer = prediction.answer
    if not answer:
        return "not asked" if prediction.unasked else "unreadable"
    if truth.kind != "error":
        if "value" not in answer:
            return "error predicted, value returned"
        try:
            return "" if is_same(truth.value, answer["value"]) else "other value"
        except RecursionError:  # it is nested deeper than any answer
            return "other value"
    if "error" not in answer:
        return "value predicted, error raised"
    kind = str(answer["error"]["type"]).rpartition(".")[2]
    if kind != truth.type:
        return "other exception"
    message = str(answer["error"]["message"]).strip()
    is_right = message == truth.message.strip()
    if not is_right and same_message is not None:
        is_right = same_message(kind, truth.message, message)
    return "" if is_right else "other message"


_GENERATIONS = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[')
"""The beginning of a CRUXEval generations file: a task and a list."""


def read_predictions(path: Path, *, known: Collection[str] = ()) -> Iterator[Prediction]:
    """Yield a file's predictions; raise InputError for a line that is not a prediction.

    The file may hold generations: a list of expressions per task. ``known`` are task ids, which may
    be prefixed with the data set's name (``cruxeval/sample_0``).
    """
    if _GENERATIONS.match(read_beginning(path)):
        full = {id.rpartition("/")[2]: id for id in known}
        for name, texts in parse_json(read_text(path), path=path).items():
            if type(texts) is not list or any(type(text) is not str for text in texts):
                raise InputError(
                    f"{name[:60]!r} has something other than a list of texts", path=path
                )
            for number, said in enumerate(texts):
                yield Prediction(full.get(name, name), 0, number, {"python": said})
        return
    for row in read_jsonl(path):
        try:
            yield Prediction.from_json(row.data)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"is not a prediction: {type(error).__name__}: {error}", path=path, line=row.line
            ) from None


def task_of(prediction: Prediction, known: Mapping[str, MinedTask]) -> MinedTask:
    """Return the task of a prediction; raise InputError if it is unknown or has changed."""
    id, case, asked = prediction.task_id, prediction.case, prediction.question
    task, wrong = known.get(id), ""
    if task is None or not 0 <= case < len(task.cases):
        wrong = f"a prediction is for {id!r}, case {case}, which the tasks do not have"
    elif asked and asked != question_digest(task, task.cases[case]):
        wrong = f"a prediction for {id!r}, case {case}, is about another program or input than here"
    if task is None or wrong:
        raise InputError(wrong, remedy="score against the file that was predicted on")
    return task


def graded_row(task: MinedTask, found: GradedPrediction) -> dict[str, Any]:
    """Return a prediction as a row in the paper's form (A.1): input, output, prediction, result."""
    said = found.prediction.to_json()
    return {
        **{key: said[key] for key in ("task_id", "case", "sample")},
        **replace(task.cases[said["case"]], runtime={}).to_json(),
        "prediction": said["prediction"],
        "result": None if found.problem else found.is_right,
        "reason": found.reason,
        "answer_tokens": said["answer_tokens"],
    }


@dataclass(slots=True)
class ScoreReport:
    """All tables of one model's predictions."""

    pass_at_k: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    tables: list[dict[str, Any]] = field(default_factory=list)
    wrong: dict[str, int] = field(default_factory=dict)
    """Wrong predictions by reason."""
    missing: int = 0
    """Number of cases without any prediction; they do not count as wrong."""
    undecided: list[dict[str, Any]] = field(default_factory=list)
    """Predictions without an answer from the judge, and why; they are in no figure."""
    repeated: int = 0
    """Number of duplicate predictions for the same sample; each is counted once."""
    too_few: list[int] = field(default_factory=list)
    """The k of pass@k for which no case has enough answers."""
    grades: list[GradedPrediction] = field(default_factory=list)


def scored(
    tasks: Iterable[MinedTask],
    predictions: Iterable[Prediction],
    *,
    ks: Iterable[int] = (1,),
    judge: SameMessage | None = None,
    session: Session | None = None,
) -> ScoreReport:
    """Score one model's predictions: pass@k over cases, and pass@1 by group.

    Groups: all, errors only, package, split. Raise InputError for a prediction of an unknown case,
    for two different answers to the same sample, for calls in place of values, and if there are no
    predictions.
    """
    known = {task.id: task for task in tasks}
    predictions = list(predictions)
    ran = _ran(predictions, known, session)
    marks: dict[tuple[str, int], list[bool]] = defaultdict(list)
    report = ScoreReport()
    reasons: Counter[str] = Counter()
    unjudged: set[tuple[str, int]] = set()
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
        except UnaskableError as error:  # the file was not mined, or was edited
            raise InputError(
                f"{task.id}, case {prediction.case}: its answer cannot be asked for: {error}",
                remedy="mine the task again",
            ) from None
        report.grades.append(found)
        if found.problem:
            row = dict(zip(("task_id", "case", "sample"), name, strict=True))
            report.undecided.append({**row, "problem": found.problem})
            unjudged.add(name[:2])
            continue
        marks[name[:2]].append(found.is_right)
        reasons.update([] if found.is_right else [found.reason])
    if not answers:
        raise InputError(
            "there is no prediction", remedy="ask a model first: evalplus-lite exe predict"
        )
    for k in ks:
        values = {p: pass_at_k(len(m), sum(m), k) for p, m in marks.items() if len(m) >= k}
        if values:
            report.pass_at_k[f"pass@{k}"] = fmean(values.values())
            report.intervals[f"pass@{k}"] = share_of(values, known).interval
        else:
            report.too_few.append(k)
    report.missing = sum(len(task.cases) for task in known.values()) - len(unjudged | {*marks})
    rates = {place: fmean(found) for place, found in marks.items()}
    report.tables = list(score_rows(known, rates)) if rates else []  # if the judge always failed
    report.wrong = dict(sorted(reasons.items()))
    return report


@dataclass(slots=True)
class KnownTasks:
    """Tasks by id, and the rows that cannot become tasks."""

    tasks: Mapping[str, MinedTask]
    left_out: list[SkippedRow] = field(default_factory=list)
    ignored: int = 0
    """Number of predictions about rows that are left out."""

    @classmethod
    def of(cls, tasks: str | os.PathLike[str] | Iterable[MinedTask]) -> KnownTasks:
        """Read a file, or use tasks; raise InputError for two tasks with the same id."""
        left_out: list[SkippedRow] = []
        if isinstance(tasks, str | os.PathLike):
            tasks = read_any_tasks(tasks, left_out=left_out)
        found: dict[str, MinedTask] = {}
        for task in tasks:
            if found.setdefault(task.id, task) is not task:
                raise InputError(f"two tasks have the id {task.id!r}")
        return cls(found, left_out)

    def predictions(self, path: Path) -> Iterator[Prediction]:
        """Yield a file's predictions, except those about rows that are left out."""
        others = {each.task_id for each in self.left_out}
        for each in read_predictions(path, known=[*self.tasks, *others]):
            if each.task_id in others:
                self.ignored += 1
            else:
                yield each

    def facts(self) -> dict[str, Any]:
        """Return the facts for a summary; empty if no row is left out."""
        rows = [*map(asdict, self.left_out)]
        return {"left_out": rows, "ignored": self.ignored} if rows else {}


LIMITS = Limits(cpu=3.0, load=5.0)
EXACT = Rule(atol=0.0, rtol=0.0)
"""CRUXEval's rule: Python's equality."""
LONGEST = 100_000
"""Maximum characters of an expression; longer ones are unreadable."""
CALLER = "_predicted"


def judging(place: WorkerContext, _: Any) -> Work:
    """Return a worker function from (encoded value, expressions) to the reasons of ``judged``."""
    return lambda item: [judged(place.sandbox, item[0], said) for said in item[1]]


def judged(sandbox: Sandbox, truth: bytes, said: str) -> str:
    """Return why an expression does not equal the true value, or ""; it cannot see the program."""
    if len(said) > LONGEST:
        return "unreadable"
    try:
        tree: ast.Expression = parsing.parse(said.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "unreadable"
    try:
        data = wire.encode(value_of(tree.body))
    except (ValueError, CodecError):
        program = Program(f"def {CALLER}():\n    return (\n{said}\n)\n", CALLER)
        outcome = sandbox.run(program, Inputs.of([()]), LIMITS).outcomes[0]
        if isinstance(outcome, Raised):
            return "raises"
        if not isinstance(outcome, Returned):
            return "too slow" if isinstance(outcome, TimedOut) else "gives no plain value"
        data = outcome.data
    try:
        return "" if equal(data, truth, EXACT) else "other value"
    except CodecError:
        return "other value"


@dataclass(frozen=True, slots=True)
class ScoreResult(Result):
    """The shares of right predictions: overall, on errors, by package and by split."""

    kind: ClassVar[str] = "score"

    report: ScoreReport

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row per line of the tables: ``group``, ``name``, ``pass@1``, ..."""
        return list(self.summary["tables"])


def score(
    tasks: str | os.PathLike[str] | Iterable[MinedTask],
    predictions: str | os.PathLike[str] | Iterable[Prediction],
    *,
    ks: Sequence[int] = (1, 5),
    judge: ModelSource | None = None,
    graded: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> ScoreResult:
    """Grade predictions: values as normalized JSON, exceptions by type and message.

        client = Client("my-model", base_url="http://localhost:8000/v1")
        predict("out/mined/tasks.jsonl", client, out="out/predictions.jsonl")
        score("out/mined/tasks.jsonl", "out/predictions.jsonl").to_rows()

    ``predictions`` may be a CRUXEval generations file: a list of Python expressions per task, which
    are evaluated in sandboxes and compared by Python's equality. A k in ``ks`` is left out if no
    case has enough answers. ``judge`` is a model that is asked if only messages differ; a
    prediction that it does not answer is in no figure (``result.report.undecided``). Rows that
    cannot become tasks are listed in the summary (``left_out``), and predictions about them are
    counted (``ignored``). Each prediction with its grade is written to ``graded``, the report to
    ``out``. Raise InputError for a prediction of an unknown case.
    """
    keep_inputs({"grades": graded, "report": out}, {"tasks": tasks, "predictions": predictions})
    known = KnownTasks.of(tasks)
    if isinstance(predictions, str | os.PathLike):
        said: Iterable[Prediction] = known.predictions(Path(predictions))
    else:
        said = predictions

    report = scored(
        known.tasks.values(),
        said,
        ks=ks,
        judge=None if judge is None else judge_by(judge),
        session=session,
    )
    run = run_facts(tasks=facts_of(tasks), predictions=facts_of(predictions))
    facts = {each.name: getattr(report, each.name) for each in fields(report)}
    grades = facts.pop("grades")
    result = ScoreResult({"run": run, **facts, **known.facts()}, report)
    if graded is not None:
        write_jsonl(graded, (graded_row(known.tasks[g.prediction.task_id], g) for g in grades))
    if out is not None:
        result.write_summary(Path(out))
    return result


def _ran(
    predictions: Iterable[Prediction], tasks: Mapping[str, MinedTask], session: Session | None
) -> dict[Expression, str]:
    """Return the reason why each predicted expression is wrong, or ""."""
    found = [each for each in map(expression, predictions) if each is not None]
    known = [(tasks[id].entry_point, said) for id, _, said in found if id in tasks]
    if known and all(said.lstrip().startswith(f"{name}(") for name, said in known):
        raise InputError(
            "every prediction is a call, where values were expected",
            remedy="give generations of outputs",
        )
    texts: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for each in found:
        texts[each[:2]][each[2]] = None
    items = []
    for (id, case), wanted in texts.items():
        answer = task_of(Prediction(id, case, 0, None), tasks).cases[case].answer
        items.append((wire.encode(answer.value) if answer.kind == "value" else b"", list(wanted)))
    if not items:
        return {}
    ran: dict[Expression, str] = {}
    with within(session) as opened:
        opened.stage("expressions", len(items))
        call = Call("evalplus_lite.exe.scoring:judging")
        for (place, wanted), row in zip(texts.items(), opened.pool().map(call, items), strict=True):
            ran |= {(*place, text): reason for text, reason in zip(wanted, row, strict=True)}
            opened.advance()
    return ran
