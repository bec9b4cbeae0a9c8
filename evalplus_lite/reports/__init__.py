"""Comparisons, reports, figures and exports of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalplus_lite.lazy import lazily

if TYPE_CHECKING:
    from evalplus_lite.reports.comparison import ComparisonResult as ComparisonResult
    from evalplus_lite.reports.comparison import LeaderboardResult as LeaderboardResult
    from evalplus_lite.reports.comparison import compare as compare
    from evalplus_lite.reports.comparison import leaderboard as leaderboard
    from evalplus_lite.reports.exporters.conversion import export_results as export_results
    from evalplus_lite.reports.exporting import ExportResult as ExportResult
    from evalplus_lite.reports.exporting import export as export
    from evalplus_lite.reports.figure_files import FiguresResult as FiguresResult
    from evalplus_lite.reports.figure_files import figures as figures
    from evalplus_lite.reports.gaps import GapResult as GapResult
    from evalplus_lite.reports.gaps import why as why
    from evalplus_lite.reports.reporting import ReportResult as ReportResult
    from evalplus_lite.reports.reporting import report as report

__all__, __getattr__, __dir__ = lazily(__name__)
