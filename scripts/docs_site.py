"""A hook of mkdocs for what ``mkdocs.yml`` cannot say: extra pages, their order, a last check.

README, CONTRIBUTING and CHANGELOG join the site with their links rewritten, and the Python API is
generated from docstrings. Pages are ordered as in the tables of docs/README.md. A page that loads
anything from another host is an error, because the site has to work without a network.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # mkdocs loads this file by its path

from scripts.api_reference import reference  # noqa: E402

API = "reference/api.md"
INDEX = "docs/README.md"
JOINING = {
    "README.md": "index.md",
    INDEX: "documents.md",
    "CONTRIBUTING.md": "contributing.md",
    "tests/README.md": "tests.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages from outside ``docs``, and the index, with their paths in the site."""
MORE = {"tests": "tests/README.md", "changes": "CHANGELOG.md", "all documents": INDEX}
"""Pages at the end of the navigation, which no table of docs/README.md lists."""
SHIM = "https://unpkg.com/iframe-worker/shim"

TARGET = re.compile(
    r"""(?<=\]\()[^)\s]+|(?<=\bhref=")[^"]+|(?<=\bsrc=")[^"]+|(?<=\bsrcset=")[^"]+"""
)
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*?\bsrc(?:set)?=["']?(?P<source>[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon))[^>]*?\bhref=["']?"""
    r"""(?P<link>[^"'\s>]+)"""
)
SECTION = re.compile(r"^## ([^:\n]*)(?::.*)?$|^\| \[([^\]]*)\]\(([^)\s]+)\)", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Order the navigation as docs/README.md does."""
    config.nav = [{"evalplus_lite": "index.md"}, *sections()]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside ``docs`` and the generated one."""
    for path, place in JOINING.items():
        if (own := files.get_file_from_path(posixpath.relpath(path, "docs"))) is not None:
            files.remove(own)
        files.append(File.generated(config, place, content=moved(path)))
    files.append(File.generated(config, API, content=reference()))
    return files


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Load the script that makes search work from a disk from the site itself."""
    return output.replace(SHIM, get_relative_url("site/iframe-worker.js", page.url))


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """Do the same in templates, such as the 404 page."""
    return output_content.replace(SHIM, "/site/iframe-worker.js")


def on_post_build(config: MkDocsConfig) -> None:
    """Raise an error if a page loads anything from another host."""
    folder = Path(config.site_dir)
    found = [
        f"{path.relative_to(folder)}: {source}"
        for path in sorted(folder.rglob("*.html"))
        for source in loaded(path.read_text(encoding="utf-8"))
        if urlsplit(source).netloc
    ]
    if found:
        raise PluginError("pages load from other hosts:\n" + "\n".join(found))


def sections() -> list[dict[str, list[dict[str, str]]]]:
    """Return the sections of the navigation with their pages, from the tables of docs/README.md."""
    found: list[dict[str, list[dict[str, str]]]] = []
    for match in SECTION.finditer((ROOT / INDEX).read_text(encoding="utf-8")):
        title, name, target = match.groups()
        if title is not None:
            found.append({title: [{"Python API": API}] if title == "Reference" else []})
        else:
            for pages in found[-1].values():
                pages.append({name: place_of(target, "docs")})
    (last,) = found[-1].values()
    last += [{name: JOINING[path]} for name, path in MORE.items()]
    return found


def moved(path: str) -> str:
    """Return the text of a page with its links rewritten for its place in the site."""

    def led(match: re.Match[str]) -> str:
        target = match[0]
        is_elsewhere = bool(urlsplit(target).scheme) or target.startswith("#")
        return target if is_elsewhere else place_of(target, posixpath.dirname(path))

    return TARGET.sub(led, (ROOT / path).read_text(encoding="utf-8"))


def place_of(target: str, folder: str) -> str:
    """Return the path in the site of a file that a page in ``folder`` links to."""
    path, mark, anchor = target.partition("#")
    full = posixpath.normpath(posixpath.join(folder, path))
    return JOINING.get(full, posixpath.relpath(full, "docs")) + mark + anchor


def loaded(page: str) -> Iterator[str]:
    """Yield the URLs that a browser fetches for a page."""
    for match in LOADED.finditer(page):
        yield match["source"] or match["link"]
