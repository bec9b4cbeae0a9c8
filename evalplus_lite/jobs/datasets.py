"""Datasets for jobs: with base cases recovered, unusable tasks set aside, content hashed."""

from __future__ import annotations

import hashlib
import io
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.execution.processes import Processes
from evalplus_lite.execution.records import to_row
from evalplus_lite.grading.evidence import evidence_rows
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.session import Session, keep_inputs, within
from evalplus_lite.sandbox import Inputs
from evalplus_lite.store.labels import file_name, labels
from evalplus_lite.store.locations import Place, is_folder, local_folder, names_at
from evalplus_lite.store.opening import opened
from evalplus_lite.tasks import Dataset, names
from evalplus_lite.tasks import load_dataset as read_dataset
from evalplus_lite.tasks.loading import Rows, dataset_of, refusal
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, with_base_cases
from evalplus_lite.types import Suite, Unusable
from evalplus_lite.version import __version__

SUITE = "suite.jsonl.gz"
"""The file of a suite that a job writes into its folder."""


def load_dataset(
    name_or_path: str | os.PathLike[str],
    *,
    tasks: Sequence[str] | None = None,
    strict: bool = False,
    session: Session | None = None,
) -> Dataset:
    """Load a published dataset or a file, with the base cases of its tasks.

        data = load_dataset("tasks.jsonl", tasks=["0-1"])
        data["Own/0"].base[0].arguments

    Names: ``humaneval`` (ships with the project), ``humaneval+``, ``humaneval+-mini`` and ``mbpp+``
    (downloaded once). A file holds your own tasks, a suite, or a published set; its first row
    decides which (docs/reference/formats.md). ``tasks`` selects some, as ``Dataset.only`` does. If
    a set states its base cases only in test programs, as HumanEval does, these are run in
    sandboxes to get the cases.

    An unusable task does not stop the others: it is in ``Dataset.unusable``. Raises InputError if
    no task is usable or, with ``strict``, if any is unusable, which requires running all
    references; SandboxUnavailable if this machine has no sandbox.
    """
    with within(session) as opened:
        return prepared(read_dataset(name_or_path, only=tasks), opened, strict=strict)


def prepared(
    dataset: Dataset | str | os.PathLike[str] | Rows, session: Session, *, strict: bool = False
) -> Dataset:
    """Return a dataset (see ``dataset_of``) with its base cases; see ``load_dataset``."""
    data = dataset_of(dataset)
    # Order: base cases that only test programs state; then whether any task is left; then, with
    # ``strict``, every reference, so that all problems are listed at once.
    if any(map(has_hidden_cases, data.tasks)):
        data = with_base_cases(data, session.pool(), session.cache)
    if not data.tasks and data.unusable:
        raise refusal(data.unusable)
    if strict:
        source = SuiteSource(given=data.suites)
        session.stage("references", len(data.tasks))
        source.prepare(data.tasks, session.pool())
        if problems := unusable(data, source):
            raise refusal(problems)
    return data


def content_hash(data: Dataset) -> str:
    """Return a hash of the tasks' references, harnesses, inputs and expected outputs."""
    digest = hashlib.sha256()
    for task in data.tasks:
        # Only what verdicts depend on: an edited prompt does not make results incomparable.
        program = (task.reference, task.entry_point, task.harness.row)
        others = (task.programs, len(task.base))
        text = "\0".join(map(str, (task.id, *program, task.contract, task.rule, *others)))
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(Inputs.of(case.arguments for case in task.cases).key.encode())
        for output in task.outputs:
            digest.update(output)
        if task.id in data.suites:
            suite = data.suites[task.id]
            for expected in (*suite.expected, *(suite.stress.expected if suite.stress else ())):
                digest.update(expected)
            if suite.stress is not None:
                digest.update(Inputs.of(case.arguments for case in suite.stress.cases).key.encode())
    return digest.hexdigest()[:32]


def whole_hash(data: Dataset) -> str:
    """Return a hash of everything in the tasks, also of what does not affect verdicts: prompts."""
    digest = hashlib.sha256(content_hash(data).encode())
    for task in data.tasks:
        rest = to_row(replace(task, base=(), plus=(), outputs=()))
        text = repr((rest, [case.source for case in task.cases]))
        digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def with_suites(data: Dataset, suites: Iterable[Suite]) -> Dataset:
    """Return the dataset with these suites, as a suite file would have it; drop other tasks."""
    by_task = {suite.task_id: suite for suite in suites}
    # A suite's cases replace the task's own, so cases on which the reference fails are dropped.
    tasks = tuple(
        replace(task, base=suite.cases[: suite.base_count], plus=suite.cases[suite.base_count :])
        for task in data.tasks
        if (suite := by_task.get(task.id)) is not None
    )
    return replace(data, tasks=tasks, suites=by_task, of=(), unusable=(), path="")


def keep_dataset(
    out: str | os.PathLike[str] | None, dataset: Dataset | str | os.PathLike[str]
) -> None:
    """Raise InputError if a job's suite would overwrite the dataset that the job reads."""
    if out is not None:
        path = dataset.path if isinstance(dataset, Dataset) else dataset
        keep_inputs({"suite": local_folder(out) / SUITE}, {"data set": path})


def default_folder(job: str, dataset: str, data: Dataset, *parts: str) -> Path:
    """Return the default folder for a job's results; different inputs get different folders.

    ``dataset`` is the name or path as given, ``parts`` are samples or model. Unless the set is a
    published one, the name includes a prefix of its content hash, because file names repeat.
    """
    # Two files named tasks.jsonl are different inputs: the hash separates their results.
    of = data.name if dataset in names() else f"{file_name(data.name)}-{content_hash(data)[:6]}"
    return Path("out", "-".join([job, *map(file_name, parts), of]))


def samples_name(paths: Sequence[Path]) -> str:
    """Return a short name for sample files: the first ones' names and the number of others."""
    names = labels(paths)
    return "+".join(names if len(names) < 4 else [*names[:2], str(len(names) - 2)])


def listed(data: Dataset, source: SuiteSource) -> dict[str, Any]:
    """Return the unusable tasks, and notes on the others, in the dataset's order."""
    evidence = source.evidence
    has_plus = data.has_plus
    notes = [
        row
        for id in data.ids
        if id in evidence
        for row in evidence_rows(id, evidence[id], has_plus=has_plus)
    ]
    return {"unusable": [asdict(each) for each in unusable(data, source)], "notes": notes}


def unusable(data: Dataset, source: SuiteSource) -> list[Unusable]:
    """Return the tasks that cannot be read, then those without a usable case."""
    return [*data.unusable, *(source.unusable[id] for id in data.ids if id in source.unusable)]


def require_any(count: int, data: Dataset, source: SuiteSource) -> None:
    """Raise InputError, listing the causes, if no task can be used."""
    if not count:
        raise refusal(unusable(data, source))


def unknown_task(task_id: object, data: Dataset) -> InputError:
    """Return the error for a sample whose task is not in the dataset."""
    return InputError(
        f"a sample is for {task_id!r}, which is not a task of {data.name}",
        remedy=f"its first is {next(iter(data.ids), None)!r}",
    )


# Facts behind a result: version, date, limits, hashes of data and samples.


def now() -> datetime:
    """Return the date for outputs: ``SOURCE_DATE_EPOCH`` if it is set, else the current time.

    https://reproducible-builds.org/specs/source-date-epoch: whole seconds since 1970, UTC.
    """
    # Reproducible builds set the date of all their outputs.
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"SOURCE_DATE_EPOCH is {epoch[:40]!r}", remedy="give whole seconds since 1970"
        ) from None


def run_facts(
    data: Dataset | None = None,
    *,
    content: str | None = None,
    pool: Processes | None = None,
    samples: Iterable[Place] = (),
    **settings: Any,
) -> dict[str, Any]:
    """Return the facts of a run for its summary: version, date, Python, sandbox tier, hashes of
    data and sample files, and these settings.

    Only ``date`` differs between two runs of the same command on the same machine. The tier is
    probed if nothing ran before. ``content`` is the data's hash, if it is known.
    """
    facts: dict[str, Any] = {
        "version": __version__,
        "date": now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "python": platform.python_version(),
    }
    if pool is not None:
        facts["sandbox"] = pool.tier
    if data is not None:
        facts["data"] = {"name": data.name, "content": content or content_hash(data)}
        if data.path:
            facts["data"]["path"] = shown_path(data.path)
    if files := file_facts(samples):
        facts["samples"] = files
    return {**facts, **settings}


def file_facts(paths: Iterable[Place]) -> list[dict[str, str]]:
    """Return the path, as given, and the SHA-256 of each file or folder.

    A folder's hash is that of a line for each of its files, with hash and name, sorted by name.
    """
    return [{"path": shown_path(path), "sha256": sha256_of(path)} for path in paths]


def sha256_of(place: Place) -> str:
    """Return the SHA-256 of a file's bytes, or of a folder's names and contents."""
    if not is_folder(place):
        return _of_file(place)
    files: dict[str, Place]
    if isinstance(place, str):
        files = {name: f"{place.rstrip('/')}/{name}" for name in names_at(place)}
    else:
        paths = {path.relative_to(place): path for path in place.rglob("*") if path.is_file()}
        files = {
            name.as_posix(): path
            for name, path in paths.items()
            # Hidden files and ``__pycache__`` are not read as samples, so the hash ignores them.
            if not any(part.startswith((".", "__")) for part in name.parts)
        }
    # In the format of sha256sum, sorted, so that anyone can check it.
    lines = (f"{_of_file(files[name])}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _of_file(place: Place) -> str:
    with opened(place, packed=True) as file:
        return hashlib.file_digest(cast("io.BufferedReader", file), "sha256").hexdigest()
