"""Execution tasks to predictions of a model, and predictions to scores."""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.exe.asking import predict as asking_model
from evalplus_lite.exe.asking import score as scoring
from evalplus_lite.exe.asking.predict import Asked, Prediction, PredictionSettings
from evalplus_lite.exe.asking.score import (
    Expression,
    GradedPrediction,
    SameMessage,
    ScoreReport,
    graded_row,
    judge_by,
    read_predictions,
)
from evalplus_lite.exe.benchmark import located
from evalplus_lite.exe.running.runs import CPU_SECONDS, CallableProgram
from evalplus_lite.exe.tasks.forms import PublishedFile, SkippedRow, form_of
from evalplus_lite.exe.tasks.mined import MinedTask
from evalplus_lite.exe.tasks.mined import read_tasks as read_mined
from evalplus_lite.exe.tasks.worth import check_tags
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.jobs.datasets import file_facts, run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import Client, ModelSource
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.store import read_jsonl, write_jsonl
from evalplus_lite.types import Outcome, Raised, Returned, Rule, TimedOut, Value
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal
from evalplus_lite.values.source import value_of


def read_tasks(
    path: str | os.PathLike[str], *, left_out: list[SkippedRow] | None = None
) -> Iterator[MinedTask]:
    """Yield the tasks of a mined file, of a set by its name, or of rows of CRUXEval's forms.

    ``left_out`` takes the rows that cannot be asked about. InputError names two rows of one id.
    """
    path = located(path)
    first = next(iter(read_jsonl(path)), None)
    if first is not None and form_of(first.data) is not None:
        return PublishedFile(path, [] if left_out is None else left_out).tasks()
    return read_mined(path)


@dataclass(slots=True)
class KnownTasks:
    """Tasks by id, and the rows that cannot be asked about."""

    tasks: Mapping[str, MinedTask]
    left_out: list[SkippedRow] = field(default_factory=list)
    ignored: int = 0
    """Predictions about rows that are left out: of other programs' files."""

    @classmethod
    def of(cls, tasks: str | os.PathLike[str] | Iterable[MinedTask]) -> KnownTasks:
        """Read a file, or take tasks; InputError for two tasks of one id."""
        left_out: list[SkippedRow] = []
        if isinstance(tasks, str | os.PathLike):
            tasks = read_tasks(tasks, left_out=left_out)
        found: dict[str, MinedTask] = {}
        for task in tasks:
            if found.setdefault(task.id, task) is not task:
                raise InputError(f"two tasks are named {task.id!r}")
        return cls(found, left_out)

    def predictions(self, path: Path, *, of: Asked | None = None) -> Iterator[Prediction]:
        """Yield a file's predictions, those about rows that are left out aside."""
        others = {each.id for each in self.left_out}
        for each in read_predictions(path, known=[*self.tasks, *others], of=of):
            if each.task_id in others:
                self.ignored += 1
            else:
                yield each

    def facts(self) -> dict[str, Any]:
        """Return what a summary says of it: nothing where nothing is left out."""
        rows = [each.to_json() for each in self.left_out]
        return {"left_out": rows, "ignored": self.ignored} if rows else {}


LIMITS = Limits(cpu=3.0, load=5.0)
OF_MINED = Limits(cpu=2 * CPU_SECONDS, load=20.0)
"""Of calls of mined functions, whose own cases may take ``CPU_SECONDS`` each."""
EXACT = Rule(atol=0.0, rtol=0.0)
"""CRUXEval's: Python's own equality."""
LONGEST = 100_000
"""Characters of an expression that is looked at."""
CALLER = "_call_as_predicted"
PLAIN = frozenset(
    "abs all any bool bytes chr complex dict divmod enumerate filter float frozenset int iter len "
    "list map max min next ord pow print range repr reversed round set slice sorted str sum tuple "
    "zip True False None".split()
)
"""Names of built-ins that do nothing beyond giving a value."""


class Subject(NamedTuple):
    """A program, the name of its function, and the value in wire form that is right.

    What a function gives that ``is_mined`` is read as plain data, as when it was mined.
    """

    code: str
    entry_point: str
    truth: bytes
    is_mined: bool = False

    @property
    def limits(self) -> Limits:
        """How long loading it and a call of it may take."""
        return OF_MINED if self.is_mined else LIMITS


def judging(place: WorkerContext, _: Row) -> Work:
    """Judge (what is asked, subject, expressions): why each expression is wrong, "" if right."""

    def work(item: Row) -> Row:
        asked, subject, texts = item
        judge = judged_calls if asked == "input" else judged_values
        return judge(place.sandbox, Subject(*subject), texts)

    return work


def judged_values(sandbox: Sandbox, subject: Subject, texts: Sequence[str]) -> list[str]:
    """Judge expressions for the value of a call. They do not see the program."""
    found: list[str] = []
    for text in texts:
        tree = _parsed(text)
        if tree is None:
            found.append("unreadable")
            continue
        try:
            said = wire.encode(value_of(tree))
        except (ValueError, CodecError):
            program = Program(f"def {CALLER}():\n    return (\n{text}\n)\n", CALLER)
            outcome = sandbox.run(program, Inputs.of([()]), LIMITS).outcomes[0]
            found.append(_judged(outcome, subject.truth))
        else:
            found.append(_compared(said, subject.truth))
    return found


def judged_calls(sandbox: Sandbox, subject: Subject, texts: Sequence[str]) -> list[str]:
    """Judge calls by what the program gives on their arguments.

    Arguments that are literals are handed over as values. Others, such as a lambda, are written
    into the program's text, so they may only be what does nothing but give a value.
    """
    found = ["unreadable"] * len(texts)
    places: list[int] = []
    given: list[tuple[list[Value], dict[str, Value]]] = []
    for place, text in enumerate(texts):
        tree = _parsed(text)
        if tree is None:
            continue
        if not (
            isinstance(tree, ast.Call)
            and isinstance(tree.func, ast.Name)
            and tree.func.id == subject.entry_point
        ):
            found[place] = f"no call of {subject.entry_point}"
            continue
        try:
            arguments = _arguments(tree)
            wire.encode(list(arguments))
        except (ValueError, CodecError):
            found[place] = _run_as_written(sandbox, subject, tree, text)
        else:
            places.append(place)
            given.append(arguments)
    if places:
        outcomes = sandbox.run(_calling(subject), Inputs.of(given), subject.limits).outcomes
        for place, outcome in zip(places, outcomes, strict=True):
            found[place] = _judged(outcome, subject.truth)
    return found


def _calling(subject: Subject) -> Program:
    """Return a program that calls the function with positional and named arguments."""
    if subject.is_mined:
        return CallableProgram(subject.entry_point, subject.code).program()
    return Program(
        f"{subject.code}\n\ndef {CALLER}(positional, named):\n"
        f"    return {subject.entry_point}(*positional, **named)\n",
        CALLER,
    )


def _arguments(call: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    """Return a call's arguments; ValueError if they are not all literals."""
    if any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("not a literal")
    named = {str(keyword.arg): value_of(keyword.value) for keyword in call.keywords}
    return [value_of(argument) for argument in call.args], named


def _run_as_written(sandbox: Sandbox, subject: Subject, call: ast.Call, text: str) -> str:
    bound = {node.arg for node in ast.walk(call) if isinstance(node, ast.arg)}
    bound |= _stored(call) | _own_names(subject.code)
    for node in ast.walk(call):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            return "does more than give a value"
        if isinstance(node, ast.Name) and node is not call.func and node.id not in PLAIN | bound:
            return "does more than give a value"
    code = f"{subject.code}\n\ndef {CALLER}():\n    return (\n{text}\n)\n"
    if subject.is_mined:
        program = CallableProgram(CALLER, code).program()
        inputs = Inputs.of([([], {})])
    else:
        program, inputs = Program(code, CALLER), Inputs.of([()])
    return _judged(sandbox.run(program, inputs, subject.limits).outcomes[0], subject.truth)


def _stored(tree: ast.AST) -> set[str]:
    """Return the names that are given values somewhere in a tree."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def _own_names(code: str) -> set[str]:
    """Return what a program defines at its top level, imports aside."""
    found: set[str] = set()
    for node in parsing.parse(code).body:
        if isinstance(node, ast.Assign):
            found |= _stored(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


def _parsed(text: str) -> ast.expr | None:
    """Return the one expression that a text is; None if it is not."""
    if len(text) > LONGEST:
        return None
    try:
        tree: ast.Expression = parsing.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree.body


def _judged(outcome: Outcome | None, truth: bytes) -> str:
    if isinstance(outcome, Returned):
        return _compared(outcome.data, truth)
    if isinstance(outcome, Raised):
        return "raises"
    return "too slow" if isinstance(outcome, TimedOut) else "gives no plain value"


def _compared(said: bytes, truth: bytes) -> str:
    try:
        return "" if equal(said, truth, EXACT) else "other value"
    except CodecError:
        return "other value"


@dataclass(frozen=True, slots=True)
class PredictionResult(Result):
    """A model's predictions for every case."""

    predictions: tuple[Prediction, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a prediction: ``task_id``, ``case``, ``sample``, ``prediction``, ..."""
        return [each.to_json() for each in self.predictions]


@dataclass(frozen=True, slots=True)
class ScoreResult(Result):
    """How many predictions are right: overall, on errors, by package, by statistic."""

    kind: ClassVar[str] = "score"

    report: ScoreReport

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each line of the tables: ``group``, ``name``, ``pass@1``, ..."""
        return list(self.summary["tables"])


def predict(
    tasks: str | os.PathLike[str] | Iterable[MinedTask],
    client: Client,
    *,
    asking: PredictionSettings = PredictionSettings(),  # noqa: B008 - frozen
    cases: int | None = None,
    limit: int | None = None,
    max_code: int | None = None,
    without: Collection[str] = (),
    tagged: Collection[str] = (),
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> PredictionResult:
    """Ask a model for the value or exception of every case.

        client = Client("my-model", base_url="http://localhost:8000/v1")
        result = predict("out/mined/tasks.jsonl", client, out="out/predictions.jsonl")
        score("out/mined/tasks.jsonl", result.predictions)

    ``tasks`` is a file of mined tasks or of CRUXEval, or tasks; of them only the first ``limit``
    that have cases, at most ``max_code`` characters, all tags of ``tagged`` and none of
    ``without``, and the first ``cases`` of each. Nothing that the model writes is executed. With
    ``out``, a file, each answer is written there as it comes, and the same call asks what is
    missing. With ``shard``, such as ``"2/4"``, it asks about a part of the tasks, for ``merge``.
    Raises LLMError if the server cannot be used, InputError for a tag that no task can have.
    """
    check_tags([*without, *tagged])
    keep_inputs({"output": out}, {"tasks": tasks})
    left_out: list[SkippedRow] = []
    given = read_tasks(tasks, left_out=left_out) if isinstance(tasks, str | os.PathLike) else tasks
    chosen = (
        task
        for task in given
        if task.cases
        and (max_code is None or len(task.code) <= max_code)
        and not {*without} & task.marks
        and {*tagged} <= task.marks
    )
    listed = [replace(task, cases=task.cases[:cases]) for task in itertools.islice(chosen, limit)]
    path = None if out is None else Path(out)
    share = share_of(
        shard, path, kind="predict", journal="" if path is None else path.name, kept="beside"
    )
    if share is not None:
        share.plan(
            {task.id: len(task.cases) for task in listed},
            facts={"model": client.model, **asdict(asking), "programs": programs_digest(listed)},
            force=force,
        )
        listed, path = [task for task in listed if task.id in share.items], share.out
    found: list[Prediction] = []
    with within(session) as opened:
        opened.stage("predict", asking.samples * sum(len(task.cases) for task in listed))

        def report(prediction: Prediction) -> None:
            found.append(prediction)
            opened.advance()

        asked = asking_model.predict(
            listed, client, path, asking=asking, report=report, force=force
        )
    run = run_facts(tasks=_facts(tasks), model=client.model)
    where = None if path is None else str(path)
    shared = share.end() if share is not None and share.is_part else {}
    kept = found if path is None or not path.stat().st_size else read_predictions(path)
    predictions = tuple(kept)
    summary = {
        **shared,
        "run": run,
        "asking": asdict(asking),
        "asked": asked,
        "unasked": sum(each.unasked for each in predictions),
        "predictions": where,
        "tokens": {
            "prompt": sum(each.prompt_tokens for each in predictions),
            "completion": sum(each.completion_tokens for each in predictions),
        },
        "usage": asdict(client.usage),
        **KnownTasks({}, left_out).facts(),
    }
    return PredictionResult(summary, predictions)


def programs_digest(tasks: Iterable[MinedTask]) -> str:
    """Return a short name of the programs and calls that a model is asked about."""
    digest = hashlib.sha256()
    for task in tasks:
        words = [task.id, task.code, task.entry_point]
        words += [case.source or case.call.key for case in task.cases]
        digest.update(json.dumps(words).encode())
    return digest.hexdigest()[:32]


def score(
    tasks: str | os.PathLike[str] | Iterable[MinedTask],
    predictions: str | os.PathLike[str] | Iterable[Prediction],
    *,
    ks: Sequence[int] = (1, 5),
    of: Asked | None = None,
    judge: ModelSource | None = None,
    graded: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> ScoreResult:
    """Mark predictions: values as normalised JSON, exceptions by type and message.

        client = Client("my-model", base_url="http://localhost:8000/v1")
        predict("out/mined/tasks.jsonl", client, out="out/predictions.jsonl")
        score("out/mined/tasks.jsonl", "out/predictions.jsonl").to_rows()

    ``predictions`` may be a file of CRUXEval's: for each task a list of Python expressions. They
    are values, or with ``of="input"`` calls that give the value; other expressions are evaluated in
    sandboxes, and compared as Python compares. Of ``ks`` those count that enough answers were
    sampled for. ``judge`` is a model that is asked where only messages differ; a prediction that it
    gives no answer on is in no figure (``result.report.undecided``). Rows of another set that
    cannot be asked about are listed in the summary (``left_out``), predictions about them counted
    (``ignored``). ``graded`` is a file for each prediction with its mark, ``out`` one for the
    report. Raises InputError for a prediction of an unknown case.
    """
    keep_inputs({"grades": graded, "report": out}, {"tasks": tasks, "predictions": predictions})
    known = KnownTasks.of(tasks)
    said = list(
        known.predictions(Path(predictions), of=of)
        if isinstance(predictions, str | os.PathLike)
        else predictions
    )
    rows: list[dict[str, Any]] = []

    def keep(task: MinedTask, found: GradedPrediction) -> None:
        rows.append(graded_row(task, found))

    report = graded_all(
        known.tasks,
        said,
        ks=ks,
        of=of,
        judge=None if judge is None else judge_by(judge),
        notify=None if graded is None else keep,
        session=session,
    )
    run = run_facts(tasks=_facts(tasks), predictions=_facts(predictions))
    result = ScoreResult({"run": run, **report.to_json(), **known.facts()}, report)
    if graded is not None:
        write_jsonl(graded, rows)
    if out is not None:
        result.write_summary(Path(out))
    return result


def graded_all(
    tasks: Mapping[str, MinedTask],
    said: Sequence[Prediction],
    *,
    ks: Iterable[int] = (1,),
    of: Asked | None = None,
    judge: SameMessage | None = None,
    notify: Callable[[MinedTask, GradedPrediction], None] | None = None,
    session: Session | None = None,
) -> ScoreReport:
    """Grade one model's predictions; ``notify`` is called with each grade (see ``score``)."""
    _require_kind(said, tasks, of)
    ran = _ran(said, tasks, session)
    return scoring.score(tasks.values(), said, ks=ks, judge=judge, graded=notify, ran=ran)


def _require_kind(
    said: Iterable[Prediction], tasks: Mapping[str, MinedTask], of: Asked | None
) -> None:
    """Raise InputError if expressions for values are all calls of the programs' functions."""
    if of is not None:
        return
    found = [each for each in map(scoring.expression, said) if each is not None]
    calls = [
        text.lstrip().startswith(f"{tasks[id].entry_point}(")
        for id, _, asked, text in found
        if asked == "output" and id in tasks
    ]
    if calls and all(calls):
        raise InputError(
            "every prediction is a call, where values were expected",
            remedy="--of input if calls that give a known value were asked for, else --of output",
        )


def _ran(
    said: Iterable[Prediction], tasks: Mapping[str, MinedTask], session: Session | None
) -> dict[Expression, str]:
    """Return of each expression among predictions why it is wrong, or ""."""
    texts: dict[tuple[str, int, Asked], dict[str, None]] = {}
    for prediction in said:
        if (found := scoring.expression(prediction)) is not None:
            id, case, of, text = found
            texts.setdefault((id, case, of), {})[text] = None
    items = []
    for (id, case, of), wanted in texts.items():
        task = scoring.task_of(Prediction(id, case, 0, None), tasks)
        answer = task.cases[case].answer
        truth = wire.encode(answer.value) if answer.kind == "value" else b""
        subject = (task.code, task.entry_point, truth, "signature" in task.facts)
        items.append((of, subject, list(wanted)))
    if not items:
        return {}
    ran: dict[Expression, str] = {}
    with within(session) as opened:
        opened.stage("expressions", len(items))
        call = Call("evalplus_lite.exe.prediction:judging")
        rows = opened.pool().map(call, items)
        for (place, wanted), row in zip(texts.items(), rows, strict=True):
            ran |= {(*place, text): reason for text, reason in zip(wanted, row, strict=True)}
            opened.advance()
    return ran


def _facts(given: object) -> list[dict[str, str]]:
    return file_facts([Path(given)]) if isinstance(given, str | os.PathLike) else []
