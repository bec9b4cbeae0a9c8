"""Figures and tables of results, in one folder, with a page that shows them all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.jobs.datasets import SUITE, content_hash, load_dataset
from evalplus_lite.jobs.outputs import Output, entrants, evaluation_of, found_outputs
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.jobs.tables import Table, markdown
from evalplus_lite.reports.plots.canvas import (
    Material,
    Missing,
    Picture,
    Product,
    SuiteSize,
    boards,
    write_picture,
)
from evalplus_lite.reports.plots.execution import execution
from evalplus_lite.reports.plots.pass_at_k import (
    models,
    pass_rates,
    reduction,
    scores,
    test_counts,
)
from evalplus_lite.store import write_text
from evalplus_lite.store.labels import labels
from evalplus_lite.tasks import Dataset

RESULTS = "needs results of evaluate"
MAKERS: Mapping[str, tuple[Callable[[Material], Iterator[Product]], str]] = {
    "scores": (lambda material: map(scores, material.boards), RESULTS),
    "models": (lambda material: map(models, material.boards), RESULTS),
    "pass-rates": (lambda material: map(pass_rates, material.boards), RESULTS),
    "test-counts": (
        test_counts,
        "needs a folder of augment or reduce, or a data set: --dataset NAME|PATH",
    ),
    "reduction": (reduction, "needs a folder of reduce --cross-validate"),
    "execution": (execution, "needs a folder of exe-report"),
}
"""For each name, the function that makes it, and what it needs if it makes nothing."""


@dataclass(frozen=True, slots=True)
class FiguresResult(Result):
    """The figures and tables in ``folder``, which ``figures.md`` there shows."""

    folder: Path
    by_name: Mapping[str, Table]
    """Each table, and the numbers behind each picture."""

    def tables(self) -> list[Table]:
        """Return its tables, including those behind pictures."""
        return list(self.by_name.values())

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row per figure or table: ``name``, ``title``, ``caption``, its ``files``."""
        return list(self.summary["made"])

    @property
    def unusable(self) -> list[dict[str, str]]:
        """Empty: figures that could not be made are listed under ``missing`` with the reason."""
        return []


def figures(
    paths: Sequence[str | os.PathLike[str]] = (),
    *,
    out: str | os.PathLike[str],
    datasets: Sequence[Dataset | str | os.PathLike[str]] = (),
    only: Iterable[str] = (),
    pictures: bool = True,
    session: Session | None = None,
) -> FiguresResult:
    """Draw figures and make tables from results.

        result = figures(["out/one-model", "out/another"], out="out/figures")
        [row["name"] for row in result.to_rows()]

    ``paths`` are folders of evaluate, augment, reduce and exe report, or folders that contain them;
    ``datasets`` are suites, by name or path, whose tests are counted as well. A picture is written
    as SVG, PNG and CSV, a table as Markdown, LaTeX and CSV, and ``figures.md`` shows all. The same
    results give the same bytes (with the same version of matplotlib). ``only`` selects figures by
    name (``MAKERS``); without ``pictures`` only the numbers behind them are written.

    Figures without data are in the summary under ``missing`` with the reason. Raises InputError for
    a path without results, an unknown name, or if matplotlib is not installed.
    """
    wanted = list(dict.fromkeys(only)) or list(MAKERS)
    for name in wanted:
        if name not in MAKERS:
            raise InputError(f"no figure named {name!r}", remedy=one_of(name, tuple(MAKERS)))
    if not paths and not datasets:
        raise InputError("nothing was given to draw", remedy="name a folder of results")
    outputs = tuple(found_outputs(paths))
    judged = entrants([evaluation_of(each) for each in outputs if each.kind == "evaluation"])
    with within(session) as opened:
        suites = tuple(_sizes(outputs, datasets, opened))
    material = Material(outputs, boards(judged), suites)
    folder = made_folder(out)
    products: list[dict[str, Any]] = []
    tables: dict[str, Table] = {}
    missing: list[dict[str, str]] = []
    page = ["# Figures\n"]
    for name in wanted:
        make, need = MAKERS[name]
        for each in list(make(material)) or [Missing(name, need)]:
            if isinstance(each, Missing):
                missing.append({"name": each.name, "reason": each.reason})
                continue
            table = each.table if isinstance(each, Picture) else each
            tables[table.name] = table
            files = write_picture(each, folder) if isinstance(each, Picture) and pictures else []
            texts = {"csv": table.to_csv()}
            if not isinstance(each, Picture):
                texts = {"md": table.to_markdown(), "tex": table.to_latex(), **texts}
            for ending, text in texts.items():
                files.append(f"{table.name}.{ending}")
                write_text(folder / files[-1], text)
            facts = {"name": table.name, "title": table.title, "caption": table.caption}
            products.append({**facts, "files": files})
            title = markdown(table.title)
            page += [
                f"## {title}\n",
                *(f"![{title}]({file})\n" for file in files if file.endswith(".svg")),
                *([texts["md"]] if "md" in texts else []),
                f"{markdown(table.caption)}\n",
                f"Files: {', '.join(f'[{file}]({file})' for file in files)}\n",
            ]
    if missing:
        page.append("## Not made\n")
        page += [f"- {markdown(each['name'])}: {markdown(each['reason'])}" for each in missing]
    write_text(folder / "figures.md", "\n".join(page).rstrip() + "\n")
    return FiguresResult({"made": products, "missing": missing}, folder, tables)


def _sizes(
    outputs: Sequence[Output],
    datasets: Sequence[Dataset | str | os.PathLike[str]],
    session: Session,
) -> Iterator[SuiteSize]:
    """Yield the sizes of the given suites and of those in folders, each content once."""
    files = [each.folder / SUITE for each in outputs if each.kind in ("suite", "reduction")]
    files = [path for path in files if path.is_file()]
    named = dict(zip(files, labels(files), strict=True))
    seen: set[str] = set()
    for each in (*datasets, *files):
        data = each if isinstance(each, Dataset) else load_dataset(each, session=session)
        content = content_hash(data)
        if content not in seen and data.tasks:
            seen.add(content)
            name = named[each] if isinstance(each, Path) and each in named else data.name
            base = tuple(len(task.base) for task in data.tasks)
            yield SuiteSize(name, content, base, tuple(len(task.cases) for task in data.tasks))
