"""The records that jobs return, and the types in the jobs' signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalplus_lite.lazy import lazily

if TYPE_CHECKING:
    from evalplus_lite.jobs.augmentation import AugmentationResult as AugmentationResult
    from evalplus_lite.jobs.augmentation import ModelSeeds as ModelSeeds
    from evalplus_lite.jobs.drafting import DraftResult as DraftResult
    from evalplus_lite.jobs.evaluation import EvaluationResult as EvaluationResult
    from evalplus_lite.jobs.generation import GenerationResult as GenerationResult
    from evalplus_lite.jobs.linting import LintResult as LintResult
    from evalplus_lite.jobs.outputs import RESULT_COLUMNS as RESULT_COLUMNS
    from evalplus_lite.jobs.outputs import read_results as read_results
    from evalplus_lite.jobs.quality import MutantsResult as MutantsResult
    from evalplus_lite.jobs.quality import QualityResult as QualityResult
    from evalplus_lite.jobs.reduction import CrossValidationResult as CrossValidationResult
    from evalplus_lite.jobs.reduction import ReductionResult as ReductionResult
    from evalplus_lite.jobs.samples import Samples as Samples
    from evalplus_lite.jobs.session import ProgressEvent as ProgressEvent
    from evalplus_lite.jobs.session import Result as Result
    from evalplus_lite.jobs.shards import Shard as Shard
    from evalplus_lite.jobs.tables import Table as Table
    from evalplus_lite.models import ModelSource as ModelSource
    from evalplus_lite.models.completions import SamplingResult as SamplingResult
    from evalplus_lite.statistics.pass_at_k import pass_at_k as pass_at_k
    from evalplus_lite.types import Suite as Suite
    from evalplus_lite.types import Tolerance as Tolerance
    from evalplus_lite.types import Unusable as Unusable

__all__, __getattr__, __dir__ = lazily(__name__)
