"""evalplus_lite: rigorous, small test suites for code benchmarks, and a verifier for programs.

    >>> from evalplus_lite import Dataset, Case, Sample, Task, evaluate
    >>> task = Task("Own/0", "", "double", "def double(x): return 2 * x", base=(Case((3,)),))
    >>> result = evaluate(Dataset("own", (task,)), [Sample("Own/0", "double = lambda x: x + x")])
    >>> result.pass_at_k["base"]["pass@1"]
    1.0

The functions, one a job: ``load_dataset``, ``check_tasks``, ``read_samples``, ``evaluate``,
``augment``, ``reduce``, ``cross_validate``, ``quality``, ``audit``, ``export``, ``compare``,
``leaderboard``, ``merge``, ``mine``, ``predict``, ``score`` and ``exe_report``. A ``Session`` holds
what several of them share, a ``Verifier`` judges one program at a time. The names are loaded when
first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalplus_lite.converters.registry import convert as convert
    from evalplus_lite.errors import CodecError as CodecError
    from evalplus_lite.errors import ContractError as ContractError
    from evalplus_lite.errors import EvalPlusLiteError as EvalPlusLiteError
    from evalplus_lite.errors import EvidenceWarning as EvidenceWarning
    from evalplus_lite.errors import InfrastructureError as InfrastructureError
    from evalplus_lite.errors import InputError as InputError
    from evalplus_lite.errors import LLMError as LLMError
    from evalplus_lite.errors import ReferenceSolutionError as ReferenceSolutionError
    from evalplus_lite.errors import SandboxUnavailable as SandboxUnavailable
    from evalplus_lite.errors import UnusableTask as UnusableTask
    from evalplus_lite.grading.text_verifier import verify_code_execution as verify_code_execution
    from evalplus_lite.llm import Client as Client
    from evalplus_lite.mining.asking.predict import PredictionSettings as PredictionSettings
    from evalplus_lite.mining.settings import MiningSettings as MiningSettings
    from evalplus_lite.outputs.rows import RESULT_COLUMNS as RESULT_COLUMNS
    from evalplus_lite.outputs.rows import read_results as read_results
    from evalplus_lite.pipelines.auditing import AuditResult as AuditResult
    from evalplus_lite.pipelines.auditing import audit as audit
    from evalplus_lite.pipelines.augmentation import AugmentationResult as AugmentationResult
    from evalplus_lite.pipelines.augmentation import augment as augment
    from evalplus_lite.pipelines.checking import CheckResult as CheckResult
    from evalplus_lite.pipelines.checking import check_tasks as check_tasks
    from evalplus_lite.pipelines.context import ProgressEvent as ProgressEvent
    from evalplus_lite.pipelines.context import Session as Session
    from evalplus_lite.pipelines.cross_validation import (
        CrossValidationResult as CrossValidationResult,
    )
    from evalplus_lite.pipelines.cross_validation import cross_validate as cross_validate
    from evalplus_lite.pipelines.datasets import load_dataset as load_dataset
    from evalplus_lite.pipelines.drafting import DraftResult as DraftResult
    from evalplus_lite.pipelines.drafting import draft_from_module as draft_from_module
    from evalplus_lite.pipelines.drafting import draft_from_pytest as draft_from_pytest
    from evalplus_lite.pipelines.evaluation import EvaluationResult as EvaluationResult
    from evalplus_lite.pipelines.evaluation import evaluate as evaluate
    from evalplus_lite.pipelines.execution_report import (
        ExecutionReportResult as ExecutionReportResult,
    )
    from evalplus_lite.pipelines.execution_report import exe_report as exe_report
    from evalplus_lite.pipelines.exporting import ExportResult as ExportResult
    from evalplus_lite.pipelines.exporting import export as export
    from evalplus_lite.pipelines.figures import FiguresResult as FiguresResult
    from evalplus_lite.pipelines.figures import figures as figures
    from evalplus_lite.pipelines.leaderboards import LeaderboardResult as LeaderboardResult
    from evalplus_lite.pipelines.leaderboards import leaderboard as leaderboard
    from evalplus_lite.pipelines.merging import merge as merge
    from evalplus_lite.pipelines.mining import MiningResult as MiningResult
    from evalplus_lite.pipelines.mining import mine as mine
    from evalplus_lite.pipelines.prediction import PredictionResult as PredictionResult
    from evalplus_lite.pipelines.prediction import ScoreResult as ScoreResult
    from evalplus_lite.pipelines.prediction import predict as predict
    from evalplus_lite.pipelines.prediction import score as score
    from evalplus_lite.pipelines.quality import QualityResult as QualityResult
    from evalplus_lite.pipelines.quality import quality as quality
    from evalplus_lite.pipelines.reduction import ReductionResult as ReductionResult
    from evalplus_lite.pipelines.reduction import reduce as reduce
    from evalplus_lite.pipelines.reporting import ReportResult as ReportResult
    from evalplus_lite.pipelines.reporting import report as report
    from evalplus_lite.pipelines.samples import read_samples as read_samples
    from evalplus_lite.pipelines.standings import ComparisonResult as ComparisonResult
    from evalplus_lite.pipelines.standings import compare as compare
    from evalplus_lite.reduction.policy import Policy as Policy
    from evalplus_lite.soundness.auditing import VerifierAudit as VerifierAudit
    from evalplus_lite.soundness.auditing import audit_verifier as audit_verifier
    from evalplus_lite.statistics.pass_at_k import pass_at_k as pass_at_k
    from evalplus_lite.tasks import Dataset as Dataset
    from evalplus_lite.types import Case as Case
    from evalplus_lite.types import Rule as Rule
    from evalplus_lite.types import Sample as Sample
    from evalplus_lite.types import Suite as Suite
    from evalplus_lite.types import Task as Task
    from evalplus_lite.types import Unusable as Unusable
    from evalplus_lite.types import Verdict as Verdict
    from evalplus_lite.verifier import Verifier as Verifier

__version__ = "0.1.0"

_HOMES = {
    "converters.registry": "convert",
    "errors": "CodecError ContractError EvalPlusLiteError EvidenceWarning InfrastructureError "
    "InputError LLMError ReferenceSolutionError SandboxUnavailable UnusableTask",
    "grading.text_verifier": "verify_code_execution",
    "llm": "Client",
    "mining.asking.predict": "PredictionSettings",
    "mining.settings": "MiningSettings",
    "outputs.rows": "RESULT_COLUMNS read_results",
    "pipelines.auditing": "AuditResult audit",
    "pipelines.augmentation": "AugmentationResult augment",
    "pipelines.checking": "CheckResult check_tasks",
    "pipelines.context": "ProgressEvent Session",
    "pipelines.cross_validation": "CrossValidationResult cross_validate",
    "pipelines.datasets": "load_dataset",
    "pipelines.drafting": "DraftResult draft_from_module draft_from_pytest",
    "pipelines.evaluation": "EvaluationResult evaluate",
    "pipelines.execution_report": "ExecutionReportResult exe_report",
    "pipelines.exporting": "ExportResult export",
    "pipelines.figures": "FiguresResult figures",
    "pipelines.leaderboards": "LeaderboardResult leaderboard",
    "pipelines.merging": "merge",
    "pipelines.mining": "MiningResult mine",
    "pipelines.prediction": "PredictionResult ScoreResult predict score",
    "pipelines.quality": "QualityResult quality",
    "pipelines.reduction": "ReductionResult reduce",
    "pipelines.reporting": "ReportResult report",
    "pipelines.samples": "read_samples",
    "pipelines.standings": "ComparisonResult compare",
    "reduction.policy": "Policy",
    "statistics.pass_at_k": "pass_at_k",
    "soundness.auditing": "VerifierAudit audit_verifier",
    "tasks": "Dataset",
    "types": "Case Rule Sample Suite Task Unusable Verdict",
    "verifier": "Verifier",
}
"""Where the public names are defined."""
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
