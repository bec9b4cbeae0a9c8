"""``audit_verifier``: what a verifier says of programs whose right verdict is known."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.serving.audit.programs import AuditProgram, program_set
from evalplus_lite.serving.audit.verifier_process import Answer, Target, VerifierProcess

MOST_PROCESSES = 8
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""Keeps a processor busy for as long as its parent lives."""
LOADED = ("right", "wrong")
"""The classes that are asked again under load: a verdict must not hang on the machine."""


@dataclass(frozen=True, slots=True)
class AuditedProgram:
    """A program with what the verifier said of it; ``loaded`` is whether the machine was busy."""

    program: AuditProgram
    answer: Answer
    loaded: bool

    @property
    def is_fooled(self) -> bool:
        """Whether a program that is not right was accepted."""
        return self.answer.reply == "accepted" and not self.program.is_right

    @property
    def is_refused(self) -> bool:
        """Whether a right program was rejected."""
        return self.answer.reply == "rejected" and self.program.is_right

    @property
    def is_sound(self) -> bool:
        """Whether it is the right verdict."""
        return self.answer.reply == ("accepted" if self.program.is_right else "rejected")

    @property
    def category(self) -> str:
        """The program's class, told apart under load."""
        return f"{self.program.category}, under load" if self.loaded else self.program.category

    def row(self) -> dict[str, Any]:
        """The answer as JSON."""
        return {
            "program": self.program.name,
            "class": self.category,
            "kind": self.program.problem.kind,
            "reply": self.answer.reply,
            "sound": self.is_sound,
            "score": self.answer.score,
            "seconds": round(self.answer.seconds, 3),
            "problem": self.answer.problem,
        }


@dataclass(frozen=True, slots=True)
class VerifierAudit:
    """What a verifier said of every program of one version of the set."""

    target: str
    protocol: str
    version: int
    answers: tuple[AuditedProgram, ...]
    kinds: tuple[str, ...]

    @property
    def fooled(self) -> list[AuditedProgram]:
        """Programs that are not right, and were accepted."""
        return [each for each in self.answers if each.is_fooled]

    @property
    def refused(self) -> list[AuditedProgram]:
        """Right programs that were rejected."""
        return [each for each in self.answers if each.is_refused]

    @property
    def unjudged(self) -> list[AuditedProgram]:
        """Programs without a verdict: none given, an error, the verifier's end, or a hang."""
        return [each for each in self.answers if each.answer.reply not in ("accepted", "rejected")]

    @property
    def is_sound(self) -> bool:
        """Whether every program has its right verdict: one that has none says nothing."""
        return all(each.is_sound for each in self.answers)

    def classes(self) -> list[dict[str, Any]]:
        """The counts of each class, in the set's order."""
        names = dict.fromkeys(each.category for each in self.answers)
        return [_counts(name, [a for a in self.answers if a.category == name]) for name in names]

    def to_json(self) -> dict[str, Any]:
        """The audit as ``--json`` prints it."""
        return {
            "target": self.target,
            "protocol": self.protocol,
            "version": self.version,
            "kinds": list(self.kinds),
            "sound": self.is_sound,
            "classes": self.classes(),
            "programs": [each.row() for each in self.answers],
        }


def _counts(name: str, answers: Sequence[AuditedProgram]) -> dict[str, Any]:
    replies = [each.answer.reply for each in answers]
    times = [each.answer.seconds for each in answers]
    is_right = answers[0].program.is_right
    return {
        "class": name,
        "programs": len(answers),
        "true_positives": replies.count("accepted") if is_right else 0,
        "false_negatives": replies.count("rejected") if is_right else 0,
        "true_negatives": 0 if is_right else replies.count("rejected"),
        "false_positives": 0 if is_right else replies.count("accepted"),
        "no_verdict": replies.count("none") + replies.count("error"),
        "ended": replies.count("ended"),
        "hangs": replies.count("hang"),
        "median_seconds": round(statistics.median(times), 3),
        "most_seconds": round(max(times), 3),
    }


def audit_verifier(
    target: str,
    *,
    protocol: str = "",
    python: str | os.PathLike[str] | None = None,
    timeout: float = 30.0,
    workers: int | None = None,
    load: bool = True,
    only: Sequence[str] = (),
    on_answer: Callable[[AuditedProgram, int], object] | None = None,
) -> VerifierAudit:
    """Return what a verifier says of right, wrong, late, odd and cheating programs.

    ``target`` is ``module:function`` (imported by the interpreter ``python``), a command, or the
    URL of a server; ``protocol`` says how it is asked, and is recognised if it is "". It is asked
    in processes of its own, ``workers`` at a time (default: one a processor, at most 8), each ended
    after ``timeout`` seconds without an answer. With ``load`` right and wrong programs are asked
    again while every processor is busy twice over. ``only`` names classes, or their beginnings.
    ``on_answer`` is called with each answer and how many there will be.

    The programs do no harm, but the verifier is trusted as any code that one runs oneself.
    InputError if the target cannot be asked, or no class is of a name in ``only``.
    """
    asked = Target(target, protocol, os.fspath(python or sys.executable), timeout)
    count = workers or min(os.cpu_count() or 1, MOST_PROCESSES)
    known = program_set()
    with VerifierProcess(asked) as first:
        first.start()
        name, kinds = first.protocol, first.kinds
    chosen = [each for each in known.programs if each.problem.kind in kinds]
    if only:
        chosen = [each for each in chosen if each.category.startswith(tuple(only))]
    if not chosen:
        classes = dict.fromkeys(each.category for each in known.programs)
        raise InputError(f"no class is named {', '.join(only)}", remedy=", ".join(classes))
    again = [each for each in chosen if load and each.category in LOADED]
    total = len(chosen) + len(again)
    answers: list[AuditedProgram] = []

    def ask(programs: Sequence[AuditProgram], workers: int, loaded: bool) -> None:
        for program, answer in _asked(asked, programs, workers):
            answers.append(AuditedProgram(program, answer, loaded))
            if on_answer is not None:
                on_answer(answers[-1], total)

    ask(chosen, count, False)
    if again:
        with _busy_machine():
            ask(again, min(2 * count, MOST_PROCESSES), True)
    return VerifierAudit(target, name, known.version, tuple(answers), kinds)


def _asked(
    target: Target, programs: Iterable[AuditProgram], workers: int
) -> Iterator[tuple[AuditProgram, Answer]]:
    """Yield the answers in the programs' order, several asked at a time."""
    reference = program_set().reference
    local = threading.local()
    with ExitStack() as stack:
        lock = threading.Lock()

        def ask(program: AuditProgram) -> Answer:
            if not hasattr(local, "process"):
                with lock:
                    local.process = stack.enter_context(VerifierProcess(target))
            answer: Answer = local.process.ask(program, reference(program.problem))
            return answer

        with ThreadPoolExecutor(workers) as pool:
            futures = [(program, pool.submit(ask, program)) for program in programs]
            try:
                for program, future in futures:
                    yield program, future.result()
            finally:
                for _, future in futures:
                    future.cancel()


@contextmanager
def _busy_machine() -> Iterator[None]:
    """Keep each processor busy with two other processes."""
    count = 2 * min(os.cpu_count() or 1, MOST_PROCESSES)
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
