"""Programs known to be right or wrong: given as such, or told apart by a stronger suite."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.pipelines.context import Session
from evalplus_lite.pipelines.evaluation import EvaluationResult, evaluate
from evalplus_lite.pipelines.grouping import named
from evalplus_lite.pipelines.samples import Samples, SampleStream
from evalplus_lite.pipelines.spool import Spool
from evalplus_lite.store.locations import Place
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample

RIGHT = frozenset({"pass"})
WRONG = frozenset({"fail", "error", "unrepresentable", "crash"})
"""Verdicts by which a program is wrong. One that is too slow or too large may be right."""


@dataclass(frozen=True, slots=True)
class Given:
    """Where programs come from: ``right`` and ``wrong`` ones, and ``samples`` for ``truth`` to tell
    apart. Without ``extract`` answers are programs as they stand.
    """

    right: Samples = ()
    wrong: Samples = ()
    samples: Samples = ()
    truth: Dataset | None = None
    extract: bool = True


@dataclass(frozen=True, slots=True)
class Truth:
    """Distinct programs known to be ``right`` and ``wrong``, and what is to be said of them.

    ``files`` are those that they came from; ``counts`` how many there are of each kind, how many
    were given, and how many the truth is undecided about. The machine failed on the samples in
    ``infra``; ``left_out`` rows were no answers.
    """

    right: Spool
    wrong: Spool
    files: tuple[Place, ...]
    counts: Mapping[str, int]
    infra: tuple[str, ...]
    left_out: int


@dataclass
class _Distinct:
    """Passes each program on once, and refuses one that is both right and wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    _kinds: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str, samples: Iterable[Sample]) -> Iterator[Sample]:
        for sample, name in named(samples):
            self.counts[f"{kind}_given"] += 1
            key = sample.task_id, name
            if key not in self._kinds:
                self._kinds[key] = kind
                self.counts[kind] += 1
                yield sample
            elif self._kinds[key] != kind:
                raise InputError(
                    f"a program for {sample.task_id} is both right and wrong: "
                    f"{sample.source.strip()[:80]!r}",
                    remedy="take it out of one of the two",
                )


@contextlib.contextmanager
def told_apart(
    given: Given,
    data: Dataset,
    session: Session,
    *,
    limits: Mapping[str, Any],
    out: Path | None = None,
    force: bool = False,
) -> Iterator[Truth]:
    """Give the programs for a dataset's tasks, equal ones once, as long as this is open.

    ``limits`` are what ``evaluate`` tells the samples apart under, ``out`` the folder of their
    verdicts, which a later call takes up. Raises InputError for a program that is both.
    """
    distinct = _Distinct()
    streams = [
        SampleStream(each, data, extract=given.extract, is_named=True, backend=session.pool())
        for each in (given.right, given.wrong, given.samples)
    ]
    with Spool(streams[2]) as samples:
        verdicts, infra = dict[tuple[str, int], str](), list[str]()
        if given.truth is not None:
            asked = (sample for sample in samples if sample.task_id in set(given.truth.ids))
            found = evaluate(
                given.truth, asked, extract=False, out=out, force=force, session=session, **limits
            )
            verdicts, infra = _verdicts(found), list(found.summary["infra"])

        def told(wanted: Collection[str]) -> Iterator[Sample]:
            for sample in samples:
                if verdicts.get((sample.task_id, sample.index)) in wanted:
                    yield sample

        with (
            Spool(distinct.of("right", itertools.chain(streams[0], told(RIGHT)))) as right,
            Spool(distinct.of("wrong", itertools.chain(streams[1], told(WRONG)))) as wrong,
        ):
            for stream in streams:
                stream.tell(session)
            names = ("right", "right_given", "wrong", "wrong_given")
            decided = sum(verdict in RIGHT | WRONG for verdict in verdicts.values())
            undecided = sum(1 for _ in samples) - decided
            yield Truth(
                right,
                wrong,
                tuple(path for stream in streams for path in stream.files),
                {**{name: distinct.counts[name] for name in names}, "undecided": undecided},
                tuple(infra),
                sum(stream.faults.left_out for stream in streams),
            )


def _verdicts(found: EvaluationResult) -> dict[tuple[str, int], str]:
    """Return what all cases of its suite say of each sample, by task and index."""
    return {(row["task_id"], row["index"]): whole_verdict(row) for row in found.to_rows()}


def whole_verdict(row: Mapping[str, Any]) -> str:
    """Return a result's verdict on all cases: that on the base ones where there are no others."""
    return str(row["base"] if row["base"] != "pass" else row["plus"] or "pass")
