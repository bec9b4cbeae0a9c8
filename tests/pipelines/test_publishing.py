"""Whose files are whose at a URL: what evaluate writes is known by its names."""

from __future__ import annotations

import pytest

from evalplus_lite.jobs.evaluation import is_ours

WRITTEN = """results.jsonl results.settings.json results.parts.jsonl results.parts.settings.json
    results-00001.jsonl results-00012.jsonl.gz costs.jsonl costs.parts.jsonl costs-00001.jsonl.gz
    eval_results.json eval_results-a_model.json programs.jsonl.gz summary.json""".split()
OTHERS = """samples.jsonl results.csv results/summary.json inner/results.jsonl README.md
    suite.jsonl.gz results-of-mine.jsonl costs.parquet""".split()


@pytest.mark.parametrize("name", WRITTEN)
def test_what_evaluate_writes_is_taken_up(name: str) -> None:
    """In one file or in parts, whole or not."""
    assert is_ours(name)


@pytest.mark.parametrize("name", OTHERS)
def test_what_it_does_not_write_is_let_be(name: str) -> None:
    """Whatever --force drops."""
    assert not is_ours(name)
