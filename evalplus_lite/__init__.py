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

from evalplus_lite.version import __version__ as __version__

if TYPE_CHECKING:
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
    from evalplus_lite.exe.asking.predict import PredictionSettings as PredictionSettings
    from evalplus_lite.exe.mining import MiningResult as MiningResult
    from evalplus_lite.exe.mining import mine as mine
    from evalplus_lite.exe.prediction import PredictionResult as PredictionResult
    from evalplus_lite.exe.prediction import ScoreResult as ScoreResult
    from evalplus_lite.exe.prediction import predict as predict
    from evalplus_lite.exe.prediction import score as score
    from evalplus_lite.exe.report import ExecutionReportResult as ExecutionReportResult
    from evalplus_lite.exe.report import exe_report as exe_report
    from evalplus_lite.exe.settings import MiningSettings as MiningSettings
    from evalplus_lite.grading.text_verifier import verify_code_execution as verify_code_execution
    from evalplus_lite.jobs.auditing import AuditResult as AuditResult
    from evalplus_lite.jobs.auditing import audit as audit
    from evalplus_lite.jobs.augmentation import AugmentationResult as AugmentationResult
    from evalplus_lite.jobs.augmentation import augment as augment
    from evalplus_lite.jobs.checking import CheckResult as CheckResult
    from evalplus_lite.jobs.checking import check_tasks as check_tasks
    from evalplus_lite.jobs.cross_validation import CrossValidationResult as CrossValidationResult
    from evalplus_lite.jobs.cross_validation import cross_validate as cross_validate
    from evalplus_lite.jobs.datasets import load_dataset as load_dataset
    from evalplus_lite.jobs.drafting import DraftResult as DraftResult
    from evalplus_lite.jobs.drafting import draft_from_module as draft_from_module
    from evalplus_lite.jobs.drafting import draft_from_pytest as draft_from_pytest
    from evalplus_lite.jobs.evaluation import EvaluationResult as EvaluationResult
    from evalplus_lite.jobs.evaluation import evaluate as evaluate
    from evalplus_lite.jobs.merging import merge as merge
    from evalplus_lite.jobs.outputs import RESULT_COLUMNS as RESULT_COLUMNS
    from evalplus_lite.jobs.outputs import read_results as read_results
    from evalplus_lite.jobs.quality import QualityResult as QualityResult
    from evalplus_lite.jobs.quality import quality as quality
    from evalplus_lite.jobs.reduction import ReductionResult as ReductionResult
    from evalplus_lite.jobs.reduction import reduce as reduce
    from evalplus_lite.jobs.samples import read_samples as read_samples
    from evalplus_lite.jobs.session import ProgressEvent as ProgressEvent
    from evalplus_lite.jobs.session import Session as Session
    from evalplus_lite.models import Client as Client
    from evalplus_lite.reduction.policy import Policy as Policy
    from evalplus_lite.reports.comparison import ComparisonResult as ComparisonResult
    from evalplus_lite.reports.comparison import compare as compare
    from evalplus_lite.reports.export.conversion import convert as convert
    from evalplus_lite.reports.exporting import ExportResult as ExportResult
    from evalplus_lite.reports.exporting import export as export
    from evalplus_lite.reports.figure_files import FiguresResult as FiguresResult
    from evalplus_lite.reports.figure_files import figures as figures
    from evalplus_lite.reports.leaderboards import LeaderboardResult as LeaderboardResult
    from evalplus_lite.reports.leaderboards import leaderboard as leaderboard
    from evalplus_lite.reports.reporting import ReportResult as ReportResult
    from evalplus_lite.reports.reporting import report as report
    from evalplus_lite.serving.audit.auditing import VerifierAudit as VerifierAudit
    from evalplus_lite.serving.audit.auditing import audit_verifier as audit_verifier
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


_HOMES = {
    "errors": "CodecError ContractError EvalPlusLiteError EvidenceWarning InfrastructureError "
    "InputError LLMError ReferenceSolutionError SandboxUnavailable UnusableTask",
    "exe.asking.predict": "PredictionSettings",
    "exe.mining": "MiningResult mine",
    "exe.prediction": "PredictionResult ScoreResult predict score",
    "exe.report": "ExecutionReportResult exe_report",
    "exe.settings": "MiningSettings",
    "grading.text_verifier": "verify_code_execution",
    "jobs.auditing": "AuditResult audit",
    "jobs.augmentation": "AugmentationResult augment",
    "jobs.checking": "CheckResult check_tasks",
    "jobs.cross_validation": "CrossValidationResult cross_validate",
    "jobs.datasets": "load_dataset",
    "jobs.drafting": "DraftResult draft_from_module draft_from_pytest",
    "jobs.evaluation": "EvaluationResult evaluate",
    "jobs.merging": "merge",
    "jobs.outputs": "RESULT_COLUMNS read_results",
    "jobs.quality": "QualityResult quality",
    "jobs.reduction": "ReductionResult reduce",
    "jobs.samples": "read_samples",
    "jobs.session": "ProgressEvent Session",
    "models": "Client",
    "reduction.policy": "Policy",
    "reports.comparison": "ComparisonResult compare",
    "reports.export.conversion": "convert",
    "reports.exporting": "ExportResult export",
    "reports.figure_files": "FiguresResult figures",
    "reports.leaderboards": "LeaderboardResult leaderboard",
    "reports.reporting": "ReportResult report",
    "serving.audit.auditing": "VerifierAudit audit_verifier",
    "statistics.pass_at_k": "pass_at_k",
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
