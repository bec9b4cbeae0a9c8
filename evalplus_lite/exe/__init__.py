"""Execution tasks from real packages: mine them, ask a model about them, score its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalplus_lite.lazy import lazily

if TYPE_CHECKING:
    from evalplus_lite.exe.mining import MiningResult as MiningResult
    from evalplus_lite.exe.mining import MiningSettings as MiningSettings
    from evalplus_lite.exe.mining import mine as mine
    from evalplus_lite.exe.prediction import Prediction as Prediction
    from evalplus_lite.exe.prediction import PredictionResult as PredictionResult
    from evalplus_lite.exe.prediction import PredictionSettings as PredictionSettings
    from evalplus_lite.exe.prediction import predict as predict
    from evalplus_lite.exe.report import ExecutionReportResult as ExecutionReportResult
    from evalplus_lite.exe.report import exe_report as exe_report
    from evalplus_lite.exe.report import export_mined as export_mined
    from evalplus_lite.exe.scoring import ScoreResult as ScoreResult
    from evalplus_lite.exe.scoring import score as score
    from evalplus_lite.exe.tasks.mined import MinedTask as MinedTask
    from evalplus_lite.models import Prices as Prices

__all__, __getattr__, __dir__ = lazily(__name__)
