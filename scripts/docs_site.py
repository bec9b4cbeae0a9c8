"""What ``mkdocs.yml`` beside this leaves to a program: outside pages, the order, a last look.

README, CONTRIBUTING and CHANGELOG join the site, their links led to where the pages are there. The
order of the pages is that of the tables in docs/README.md. And a page of the site that loads
anything from another host is an error: it is read without a network, and by nobody else's leave.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parents[1]
INDEX = "docs/README.md"
JOINING = {
    "README.md": "index.md",
    INDEX: "documents.md",
    "CONTRIBUTING.md": "contributing.md",
    "tests/README.md": "tests.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages from outside ``docs``, or that would be the site's front page, and their places in it."""
MORE = {"tests": "tests/README.md", "changes": "CHANGELOG.md", "all documents": INDEX}
"""Pages that come last: no table of docs/README.md has them."""
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
    """Give the site the order of docs/README.md."""
    config.nav = [{"evalplus_lite": "index.md"}, *sections()]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Let the pages from outside join."""
    for path, place in JOINING.items():
        if (own := files.get_file_from_path(posixpath.relpath(path, "docs"))) is not None:
            files.remove(own)
        files.append(File.generated(config, place, content=moved(path)))
    return files


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take the script that lets a page search from a disk from beside the page."""
    return output.replace(SHIM, get_relative_url("site/iframe-worker.js", page.url))


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """Take it likewise in pages that are no documents, such as the one for what is not there."""
    return output_content.replace(SHIM, "/site/iframe-worker.js")


def on_post_build(config: MkDocsConfig) -> None:
    """Look through the site for what a page would load from elsewhere."""
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
    """Return the sections of the site with their pages: the tables of docs/README.md."""
    found: list[dict[str, list[dict[str, str]]]] = []
    for match in SECTION.finditer((ROOT / INDEX).read_text(encoding="utf-8")):
        title, name, target = match.groups()
        if title is not None:
            found.append({title: []})
        else:
            for pages in found[-1].values():
                pages.append({name: place_of(target, "docs")})
    (last,) = found[-1].values()
    last += [{name: JOINING[path]} for name, path in MORE.items()]
    return found


def moved(path: str) -> str:
    """Return a page that joins, its links as they are where it then is."""

    def led(match: re.Match[str]) -> str:
        target = match[0]
        is_elsewhere = bool(urlsplit(target).scheme) or target.startswith("#")
        return target if is_elsewhere else place_of(target, posixpath.dirname(path))

    return TARGET.sub(led, (ROOT / path).read_text(encoding="utf-8"))


def place_of(target: str, folder: str) -> str:
    """Return where in the site a file is that a page in a folder of the checkout links to."""
    path, mark, anchor = target.partition("#")
    full = posixpath.normpath(posixpath.join(folder, path))
    return JOINING.get(full, posixpath.relpath(full, "docs")) + mark + anchor


def loaded(page: str) -> Iterator[str]:
    """Yield the addresses that a browser fetches for a page."""
    for match in LOADED.finditer(page):
        yield match["source"] or match["link"]
