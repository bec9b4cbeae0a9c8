"""From data to the text of a page: templates, and what the page is allowed to run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from evalplus_lite.jobs.tables import Table
from evalplus_lite.reports.page.document import Section
from evalplus_lite.version import __version__

# Characters that cannot be seen, or that turn the text around them, shown as what they are.

ODD = re.compile(r"[^\x20-\x7e\n\t]")
"""What may have to be marked: all but plain ASCII."""
INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u034f\u2800\u17b4\u17b5")
"""Characters that leave no mark on a page though their category is a letter's or a symbol's."""
HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Zs"})


def is_hidden(character: str) -> bool:
    """Say whether a reader could not see a character, or would be misled by it."""
    return (
        unicodedata.category(character) in HIDDEN
        or character in INVISIBLE
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
    )


def marked(text: object) -> Markup:
    """Return a text as HTML in which each hidden character is a mark such as U+202E."""
    found: list[str] = []
    place = 0
    whole = str(text)
    for match in ODD.finditer(whole):
        if is_hidden(match[0]):
            found.append(str(escape(whole[place : match.start()])))
            found.append(f'<span class="odd">U+{ord(match[0]):04X}</span>')
            place = match.end()
    found.append(str(escape(whole[place:])))
    return Markup("".join(found))


SEPARATOR = re.compile(r"(?<=[\w)])([-_/.:,@=+]+)(?=\w)")
"""Where a name may break on a narrow screen."""


def named(text: object) -> Markup:
    """Return a name as ``marked`` does, with a chance to break after its separators."""
    parts = SEPARATOR.split(str(text))
    return Markup("<wbr>").join(
        marked("".join(parts[place : place + 2])) for place in range(0, len(parts), 2)
    )


MOST_ROWS = 500
"""Rows of a table that a page shows."""
UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""Characters that could end a script, as JSON may write them as well."""


def script_json(data: Any) -> str:
    """Return data as JSON that can stand in a script element whatever its texts hold."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(UNSAFE)


def page(
    *,
    title: str,
    index: Any,
    sections: Sequence[Section],
    parts: Iterable[tuple[str, str]],
    home: str = "",
) -> Iterator[str]:
    """Yield the text of a page, a piece at a time.

    ``parts`` are ids and texts (``script_json``) of further data, none of which is held. ``home``
    is the address of the index's page where this is a page of one task.
    """
    scripts = [text for section in sections for text in section.scripts]
    styles = [asset("style.css"), asset("charts.css")]
    scripts = [asset("texts.js"), asset("views.js"), asset("page.js"), *dict.fromkeys(scripts)]
    yield from (
        _environment()
        .get_template("page.html")
        .generate(
            title=title,
            home=home,
            version=__version__,
            policy=policy(scripts, styles, [section.allows for section in sections]),
            scripts=scripts,
            styles=styles,
            index=script_json(index),
            sections=sections,
            script_json=script_json,
            parts=parts,
        )
    )


def table_page(title: str, tables: Sequence[Table]) -> str:
    """Return tables as one page that needs nothing else: no script and no network."""
    style = asset("style.css")
    context = {"title": title, "lead": "", "parts": [("", tables)], "most": MOST_ROWS}
    return (
        _environment()
        .get_template("table_page.html")
        .render(context=context, style=style, policy=policy([], [style]))
    )


def policy(
    scripts: Sequence[str], styles: Sequence[str], further: Sequence[Mapping[str, str]] = ()
) -> str:
    """Return a Content-Security-Policy under which only these scripts and styles count.

    ``further`` are directives that sections need: each may add one, and change none.
    """
    allowed: Mapping[str, Sequence[str]] = {"script-src": scripts, "style-src": styles}
    rules = [f"{name} {' '.join(map(_hash, texts)) or NONE}" for name, texts in allowed.items()]
    added = {name: sources for each in further for name, sources in each.items()}
    assert not {*allowed, "default-src", "base-uri", "form-action"} & set(added)
    rules += [f"{name} {sources}" for name, sources in added.items()]
    return "; ".join(["default-src 'none'", *rules, "base-uri 'none'", "form-action 'none'"])


NONE = "'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def asset(name: str, *, folder: str = "templates") -> str:
    """Return a text that comes with this package."""
    return (files("evalplus_lite.reports.page") / folder / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("evalplus_lite.reports.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["shown"] = marked
    made.filters["name"] = named
    made.filters["percent"] = lambda share: f"{100 * share:.1f}"
    return made
