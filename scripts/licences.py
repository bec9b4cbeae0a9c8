"""Write the licenses of the packages that execution tasks come from, each text once.

    python -m scripts.licences data/exe-v1/exe-v1.jsonl.gz data/exe-v1/LICENSES.txt --cache FOLDER

Every package is downloaded in the version that its tasks name, and only read. A package without
license files is listed with the license of its metadata. A killed run resumes from the cache.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path

from evalplus_lite.exe.sources import download, download_source, open_package
from evalplus_lite.exe.tasks.mined import read_tasks
from evalplus_lite.store import write_text

LICENCE = re.compile(r"(^|/)(licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
MOST = 100_000
"""Bytes of a file that are kept."""


def texts_of(name: str, version: str) -> list[str]:
    """Return the license files of a package: of its wheel, else of its source archive."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = download(f"{name}=={version}", Path(folder, "wheel"))
        for path in (wheel, None):
            held = path or download_source(name, version, Path(folder, "source"))
            if held is None:
                continue
            with open_package(held) as package:
                names = [each for each in package.members if LICENCE.search(each)]
                names = [each for each in names if not each.endswith((".py", ".pyc", ".sh"))]
                least = min((each.count("/") for each in names), default=0)
                files = [
                    package.read(each)[:MOST].decode("utf-8", "replace").strip()
                    for each in names
                    # Of a source archive its own, not those of what its folders hold.
                    if ".dist-info/" in each or each.count("/") <= least
                ]
            if any(files):
                return list(dict.fromkeys(filter(None, files)))
    return []


def main() -> None:
    """Read the tasks, fetch what is not in the cache, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tasks", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    origins = {
        (each["package"], each["version"]): each["licence"]
        for task in read_tasks(options.tasks)
        for each in task.facts.get("origins", ())
    }
    options.cache.mkdir(parents=True, exist_ok=True)
    packages: dict[str, list[str]] = defaultdict(list)
    for (name, version), licence in sorted(origins.items()):
        held = options.cache / f"{name}-{version}.json"
        if not held.exists():
            write_text(held, json.dumps(texts_of(name, version)))
        for text in json.loads(held.read_text(encoding="utf-8")) or [f"Licence: {licence}"]:
            packages[text].append(f"{name} {version} ({licence})")
    line = "=" * 100
    parts = [
        "Execution tasks contain code of these packages, under their licences:\n",
        *(f"{line}\n{chr(10).join(names)}\n\n{text}\n" for text, names in packages.items()),
    ]
    write_text(options.out, "\n".join(parts))


if __name__ == "__main__":
    main()
