"""The exceptions that evalplus_lite raises.

    EvalPlusLiteError              the root: catch this to catch them all
    ├── InputError                 a file, option or value given by the user cannot be used
    ├── CodecError                 a value or a string is outside the exact codec
    ├── ContractError              a contract file is malformed, or fails on its own base inputs
    ├── ReferenceSolutionError     a task's reference cannot produce expected outputs
    ├── UnusableTask               a task has no usable case: nothing can be judged by it
    ├── LLMError                   a model server was unreachable, refused, or answered unusably
    └── InfrastructureError        the machine failed us: retried, then reported, never scored
        └── SandboxUnavailable     no sandbox tier holds here

A candidate program's failure is never an exception: it is data (``types.Outcome``).
"""

from __future__ import annotations

from collections.abc import Iterable


class EvalPlusLiteError(Exception):
    """Root of every error that evalplus_lite raises on purpose."""


class InputError(EvalPlusLiteError):
    """Something the user gave cannot be used; the message names file, line, value and remedy."""

    def __init__(
        self,
        problem: str,
        *,
        path: object = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem, self.path, self.line, self.remedy = problem, path, line, remedy
        where = "" if path is None else f"{shown_path(path)}{'' if line is None else f':{line}'}: "
        super().__init__(f"{where}{problem}{'' if remedy is None else f' ({remedy})'}")


class CodecError(EvalPlusLiteError):
    """A value is not plain data, or an encoded text does not decode."""


class ContractError(EvalPlusLiteError):
    """A contract file has no usable ``precondition``, or rejects its task's own base inputs."""


class ReferenceSolutionError(EvalPlusLiteError):
    """A task's reference program does not load or answers none of its inputs."""


class UnusableTask(EvalPlusLiteError):
    """A task has no usable case, so no program can pass it; names the task and the cause.

    ``cause`` is one of ``types.Cause``, ``detail`` a sentence.
    """

    def __init__(self, task_id: str, cause: str, detail: str) -> None:
        self.task_id, self.cause, self.detail = task_id, cause, detail
        super().__init__(f"task {task_id} cannot be used: {detail}")

    def __reduce__(self) -> tuple[type[UnusableTask], tuple[str, str, str]]:
        """Return how to make it again: by default, pickle would call it with the message only."""
        return type(self), (self.task_id, self.cause, self.detail)


class EvidenceWarning(UserWarning):
    """Something that a suite cannot see, or a task of a dataset that cannot be used."""


class LLMError(EvalPlusLiteError):
    """The model server cannot be used as asked; the message says what to change."""


class InfrastructureError(EvalPlusLiteError):
    """The machine, not the program under test, is at fault; never scored."""


class SandboxUnavailable(InfrastructureError):
    """No sandbox tier holds on this machine and none was waived."""


ALIASES: dict[str, str] = {}
"""The user's name for a file that is a copy of something else, such as a pipe, or for a folder."""


def shown_path(path: object) -> str:
    """Return a path as the user gave it."""
    text = str(path)
    folder, slash, name = text.rpartition("/")
    inside = ALIASES[folder] + slash + name if folder in ALIASES else text
    return ALIASES.get(text, inside)


def one_of(given: str, known: Iterable[str]) -> str:
    """Return a remedy for a name that is not known: the nearest known one, and all of them."""
    import difflib  # only mistakes need it

    names = list(known)
    close = difflib.get_close_matches(given.lower(), names, n=1, cutoff=0.6)
    listed = f"one of {', '.join(names)}"
    return f"did you mean {close[0]!r}? else {listed}" if close else listed
