"""Show which libraries of its users this package can be installed beside.

    pip install uv
    python -m scripts.resolution

resolves each library alone and together with this checkout, for each Python, and prints a Markdown
table. Nothing is installed: uv reads what the packages require.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = (
    *("verl", "trl", "verifiers", "sglang", "vllm", "litellm", "inspect-ai", "lm-eval"),
    *("openrlhf", "ms-swift", "skyrl-gym", "lighteval", "evalscope", "deepeval", "openai"),
)
PYTHONS = ("3.11", "3.12", "3.13")


def resolved(python: str, *requirements: str) -> dict[str, str] | str:
    """Return the versions by name that uv chooses, or the last line of why there are none."""
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-config"]
    done = subprocess.run(
        [*command, "--python-version", python, "-"],
        input="\n".join(requirements),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return " ".join(done.stderr.split())[-300:]
    pins = (line.partition(";")[0].strip().partition("==") for line in done.stdout.splitlines())
    return {name: version for name, equals, version in pins if equals}


def cell(library: str, python: str) -> str:
    """Return what the table says of a library on a Python."""
    alone = resolved(python, library)
    if isinstance(alone, str):
        return "cannot be installed alone"
    together = resolved(python, library, f"evalplus-lite @ {ROOT.as_uri()}")
    if isinstance(together, str):
        print(f"{library} on {python}: {together}", file=sys.stderr)
        return f"**no** ({alone[library]})"
    changed = [
        f"{name} {together[name]}, alone {version}"
        for name, version in sorted(alone.items())
        if together.get(name, version) != version
    ]
    return together[library] + (f" ({'; '.join(changed)})" if changed else "")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("libraries", nargs="*", default=LIBRARIES, help="names on the index")
    parser.add_argument("--python", nargs="+", default=PYTHONS)
    options = parser.parse_args()
    if not shutil.which("uv"):
        sys.exit("uv is not installed: pip install uv")
    print("| library |", *(f"Python {python} |" for python in options.python))
    print("|---|" + "---|" * len(options.python))
    for library in options.libraries:
        print(
            f"| {library} |", *(f"{cell(library, each)} |" for each in options.python), flush=True
        )


if __name__ == "__main__":
    main()
