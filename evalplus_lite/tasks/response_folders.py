"""Responses from a folder of programs, and from bigcode-evaluation-harness' ``generations.json``.

A folder holds ``<task id, / as _>/<n>.py``; the other is one list of lists in the tasks' order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.store import parse_json, read_beginning, read_raw, read_text
from evalplus_lite.store.locations import Place
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.responses import MAX_SOURCE, Faults, Response, family, nearest


def read_folder(root: Path, dataset: Dataset, faults: Faults | None) -> Iterator[Response]:
    """Yield the responses of a folder, in the tasks' order; raises InputError as documented."""
    ids = {id.replace("/", "_"): id for id in dataset.all_ids}
    if len(ids) < len(dataset.all_ids):
        raise InputError(
            "two task ids differ only in / and _: a folder cannot tell them apart",
            path=root,
            remedy="give the samples as JSONL",
        )
    folders = {folder.name: folder for folder in root.iterdir() if not _is_hidden(folder)}
    families = {family(name) for name in ids} if dataset.suites else set()
    if any(name in ids for name in folders):
        aside = [name for name in folders if name not in ids and family(name) in families]
        for name in aside:
            files = _numbered(folders.pop(name))
            if faults is not None:
                faults.aside[name] += len(files)
    for name, folder in sorted(folders.items()):
        if folder.is_dir() and name not in ids:
            raise InputError(
                "is the folder of no task", path=folder, remedy=nearest(name, ids, dataset)
            )
    found = False
    for name, id in ids.items():
        for index, file in sorted(_numbered(folders[name]).items() if name in folders else ()):
            found = True
            yield _of_file(file, task_id=id, index=index)
    if not found:
        raise InputError("holds no samples", path=root, remedy="<task id with / as _>/<n>.py")


def _of_file(file: Path, *, task_id: str, index: int) -> Response:
    if not file.is_file():  # a pipe, say, which may never end
        return Response(task_id, "", index=index, fault="is not a file")
    try:
        text = read_raw(file, max_bytes=MAX_SOURCE + 1).decode("utf-8-sig")
    except UnicodeDecodeError:
        return Response(task_id, "", index=index, fault="is not UTF-8 text")
    return Response.of(text, task_id=task_id, index=index)


def _numbered(folder: Path) -> dict[int, Path]:
    files: dict[int, Path] = {}
    for file in folder.iterdir() if folder.is_dir() else ():
        if _is_hidden(file) or file.suffix != ".py":
            continue
        if not re.fullmatch(r"[0-9]{1,6}", file.stem) or int(file.stem) in files:
            raise InputError(
                "is not named by a number of its own", path=file, remedy="such as 0.py, 1.py"
            )
        files[int(file.stem)] = file
    return files


def _is_hidden(path: Path) -> bool:
    return path.name.startswith((".", "__"))


def is_generations(path: Place) -> bool:
    """Return whether a file is one JSON list, as no JSONL file of samples is."""
    return read_beginning(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def read_generations(path: Place, dataset: Dataset) -> Iterator[Response]:
    """Yield the responses of a ``generations.json``; InputError if it is not one."""
    lists = parse_json(read_text(path), path=path)
    if len(lists) > len(dataset.all_ids):
        raise InputError(
            f"holds samples for {len(lists)} tasks, {dataset.name} has {len(dataset.all_ids)}",
            path=path,
        )
    for id, texts in zip(dataset.all_ids, lists, strict=False):
        if type(texts) is not list:
            raise InputError(f"task {id}: a list of strings was expected", path=path)
        for index, text in enumerate(texts):
            yield Response.of(text, task_id=id, index=index)
