"""Datasets: published sets, your own task files, and suites. Only this package knows set names."""

from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.loading import load_dataset, names
from evalplus_lite.tasks.suite_file import read_suites, write_suites

__all__ = ["Dataset", "load_dataset", "names", "read_suites", "write_suites"]
