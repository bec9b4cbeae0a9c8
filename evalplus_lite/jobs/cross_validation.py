"""Policies of reduction on models that they did not see."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.reduction import MeasuredTask, measurement
from evalplus_lite.jobs.samples import Samples
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.reduction.cross_validation import (
    GradedSamples,
    PolicyRow,
    compared,
    crossval,
    pooled,
)
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.reduction.requirements import MODES
from evalplus_lite.reduction.set_cover import bitset
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.types import Sample
from evalplus_lite.values import wire

SIZES = (2.0, 4.0, 6.0, 8.0, 10.0, 16.0)
"""Plus cases a task that are tried in every mode unless others are asked for."""


@dataclass(frozen=True, slots=True)
class CrossValidationResult(Result):
    """The performance of suites on each model, chosen by other models' samples."""

    kind: ClassVar[str] = "crossval"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each policy and model: size, pass@1, failures that are kept."""
        return list(self.summary["models"])


def cross_validate(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    *,
    judges: Samples = (),
    policies: Mapping[str, Policy] | None = None,
    compare: Sequence[str | os.PathLike[str]] = (),
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> CrossValidationResult:
    """Leave one model out: choose suites by the others' samples, and judge them by its own.

        result = cross_validate("tasks.jsonl", ["samples.jsonl", "more.jsonl"])
        result.to_rows()[0]["pass@1"]

    A file is a model unless its rows name one. With ``judges``, programs that have no part in
    choosing, suites are chosen once, by all ``samples``, and judged by these. ``policies`` are
    tried by name (default: each mode with each requirement kept once, and with the ``SIZES``);
    ``compare`` are names or paths of ready-made smaller suites to compare with. Each is also
    compared with random suites of the same size. With ``out``, a folder, ``crossval.json`` is
    written there.

    Raises InputError if no model is left to judge, and as ``reduce``.
    """
    policies = policies_to_try() if policies is None else policies
    with within(session) as opened:
        measured = measurement(
            dataset,
            samples,
            opened,
            judges=judges,
            strict=strict,
            check=_require_judges,
        )
        # One measurement serves all policies and left-out models: only the choice is repeated.
        field = GradedSamples(measured.matrices, measured.samples, measured.judges)
        if not field.has_judges:
            _require_models(field.models)
        opened.stage("leave one out", len(policies))
        lines: list[PolicyRow] = []
        for name, policy in policies.items():
            lines += crossval(field, {name: policy})
            opened.advance()
        for path in compare:
            lines += compared(field, Path(path).name, _ready_made(path, measured.suites))
    tasks = max(1, len(measured.suites))
    summary = {
        "dataset": measured.data.name,
        "cases_a_task": {
            "all": sum(len(one.cases) for one in measured.suites) / tasks,
            "base": sum(one.matrix.base_count for one in measured.suites) / tasks,
        },
        "models": list(map(_row, lines)),
        "pooled": list(map(_row, pooled(lines).values())),
        **measured.report,
    }
    result = CrossValidationResult(summary)
    if out is not None:
        result.write_summary(made_folder(out) / "crossval.json")
    return result


def _require_judges(samples: Iterable[Sample], judges: Sequence[Sample]) -> None:
    if not judges:
        _require_models({sample.model for sample in samples})


def _require_models(models: Collection[str]) -> None:
    if len(models) < 2:
        shown = f": {', '.join(models)}" if models else ""
        raise InputError(
            f"cross-validation needs two models or more, got {len(models)}{shown}",
            remedy="give a file of samples for each model, or others to judge",
        )


def policies_to_try(
    multiplicities: Iterable[int] = (1,), sizes: Iterable[float] = SIZES
) -> dict[str, Policy]:
    """Return by name the default policy, and each mode with each multiplicity and each size."""
    multiplicities, sizes = tuple(multiplicities), tuple(sizes)
    tried = {"default": Policy()}
    for mode in MODES:
        tried |= {f"{mode}, {count}-fold": Policy(mode, count) for count in multiplicities}
        tried |= {f"{mode}, size {size:g}": Policy(mode, budget=size) for size in sizes}
    return tried


def _ready_made(path: str | os.PathLike[str], measured: Sequence[MeasuredTask]) -> dict[str, int]:
    """Return a smaller dataset's plus cases as bitsets of the larger one's."""
    other = {task.id: task for task in load_dataset(path)}
    suites = {}
    for one in measured:
        place = {wire.encode(case.arguments): n for n, case in enumerate(one.cases)}
        cases = other[one.task.id].cases if one.task.id in other else ()
        numbers = [place.get(wire.encode(case.arguments), -1) for case in cases]
        suites[one.task.id] = bitset(n for n in numbers if n >= one.matrix.base_count)
    return suites


def _row(line: PolicyRow) -> dict[str, Any]:
    return {
        "model": line.model,
        "policy": line.policy,
        "size": line.size,
        "pass@1": {
            "base": line.pass_base,
            "plus": line.pass_plus,
            "reduced": line.pass_reduced,
            "random": line.pass_random,
        },
        **(
            {"intervals": {k: list(v) for k, v in line.intervals.items()}} if line.intervals else {}
        ),
        "failures": line.kept.total,
        "kept": line.kept.hits,
        "share": line.kept.value,
        "interval": list(line.kept.interval),
        "share_random": line.kept_random.value,
        "failures_accepted": line.kept_accepted.total,
        "kept_accepted": line.kept_accepted.hits,
    }
