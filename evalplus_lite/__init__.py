"""evalplus_lite: rigorous, small test suites for code benchmarks, and a verifier for programs.

    >>> from evalplus_lite import verify_code_execution
    >>> test = {"expected": "5", "actual": "5.0", "status": "success"}
    >>> verify_code_execution([test])["pass_rate"]
    1.0

The names below are loaded when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalplus_lite.errors import EvalPlusLiteError as EvalPlusLiteError
    from evalplus_lite.errors import EvidenceWarning as EvidenceWarning
    from evalplus_lite.errors import InfrastructureError as InfrastructureError
    from evalplus_lite.errors import InputError as InputError
    from evalplus_lite.errors import SandboxUnavailable as SandboxUnavailable
    from evalplus_lite.errors import UnusableTask as UnusableTask
    from evalplus_lite.grading.text_verifier import verify_code_execution as verify_code_execution
    from evalplus_lite.statistics.pass_at_k import pass_at_k as pass_at_k
    from evalplus_lite.tasks import Dataset as Dataset
    from evalplus_lite.tasks import load_dataset as load_dataset
    from evalplus_lite.types import Case as Case
    from evalplus_lite.types import Sample as Sample
    from evalplus_lite.types import Suite as Suite
    from evalplus_lite.types import Task as Task
    from evalplus_lite.types import Verdict as Verdict
    from evalplus_lite.verifier import Verifier as Verifier

__version__ = "0.1.0"

_HOMES = {
    "Case": "evalplus_lite.types",
    "Dataset": "evalplus_lite.tasks",
    "EvalPlusLiteError": "evalplus_lite.errors",
    "EvidenceWarning": "evalplus_lite.errors",
    "InfrastructureError": "evalplus_lite.errors",
    "InputError": "evalplus_lite.errors",
    "Sample": "evalplus_lite.types",
    "SandboxUnavailable": "evalplus_lite.errors",
    "Suite": "evalplus_lite.types",
    "Task": "evalplus_lite.types",
    "UnusableTask": "evalplus_lite.errors",
    "Verdict": "evalplus_lite.types",
    "Verifier": "evalplus_lite.verifier",
    "load_dataset": "evalplus_lite.tasks",
    "pass_at_k": "evalplus_lite.statistics.pass_at_k",
    "verify_code_execution": "evalplus_lite.grading.text_verifier",
}
__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
