"""Forms that programs are shown in: sessions, diffs, numbered lines, JSON, HTML.

Each function yields the texts that a wrapped one may mean, none if it is not wrapped so.
"""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable, Iterator

from evalplus_lite.programs.extraction.steps import Step

MOST_TEXTS = 20  # how many texts of one JSON document are looked into

_PROMPT = re.compile(r"[ \t]*(?:>>>|\.{3,8}:|\.\.\.|In \[\d{0,6}\]:)(?: (.*)|(.*))$")
_FIRST_PROMPT = re.compile(r"^[ \t]*(?:>>>|In \[\d{0,6}\]:)", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+)", re.MULTILINE)
_DIFF_HEAD = re.compile(r"@@|diff |index |\+\+\+ |--- |new file mode|\\ No newline")
_NUMBERED = re.compile(r"([ \t]*(\d{1,5})[ \t]{0,4}[|:.)\]\u2502]?)(.*)$")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
_TAG = re.compile(r"</?(pre|code|p|br|div|span)\b[^<>\n]{0,200}>", re.IGNORECASE)
_ESCAPED_LINE = re.compile(r"\\n[ \t]")
_ESCAPE = re.compile(r"""\\(["'\\/nrt])""")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def session(text: str) -> Iterator[str]:
    """Take what was typed in an interactive session, without prompts and answers."""
    if not _FIRST_PROMPT.search(text):
        return
    typed = []
    for line in text.split("\n"):
        found = _PROMPT.match(line)
        if found:
            typed.append(found[1] if found[1] is not None else found[2] or "")
    yield "\n".join(typed) + "\n"


def diff(text: str) -> Iterator[str]:
    """Take what a diff leads to: its added lines and those that stay."""
    if not _ADDED.search(text):
        return
    lines = [line for line in text.split("\n") if not _DIFF_HEAD.match(line)]
    if all(line[:1] in "+- " for line in lines):
        yield "\n".join(line[1:] for line in lines if not line.startswith("-")) + "\n"
    yield "\n".join(line[1:] for line in lines if line.startswith("+")) + "\n"


def numbered(text: str) -> Iterator[str]:
    """Take the lines behind running numbers; those without one are not part of it."""
    rows: list[tuple[str, str]] = []
    best: list[tuple[str, str]] = []
    following = 0
    for line in text.split("\n"):
        found = _NUMBERED.match(line)
        if not found:
            continue
        if int(found[2]) != following:
            best, rows = max(best, rows, key=len), []
        following = int(found[2]) + 1
        rows.append((found[1], found[3]))
    rows = max(best, rows, key=len)
    if len(rows) < 2:
        return
    yield textwrap.dedent("\n".join(rest for _, rest in rows) + "\n")
    yield textwrap.dedent("\n".join(" " * len(mark) + rest for mark, rest in rows) + "\n")


def json_texts(text: str) -> Iterator[str]:
    """Take the texts that a JSON document holds, the longest first, or one that lost its quotes."""
    begin = min((at for mark in '{["' if (at := text.find(mark)) >= 0), default=-1)
    if begin >= 0:
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(text, begin)
        except (ValueError, RecursionError):
            value = None
        found = sorted(_texts(value), key=len, reverse=True)
        yield from found[:MOST_TEXTS]
    if _ESCAPED_LINE.search(text):
        yield _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


def _texts(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            pending += one
            if one and all(isinstance(each, str) for each in one):
                yield "\n".join(each.removesuffix("\n") for each in one)
        elif isinstance(one, dict):
            pending += one.values()


def hypertext(text: str) -> Iterator[str]:
    """Take a text without the tags and entities of HTML."""
    plain = _TAG.sub(lambda tag: "" if tag[1].lower() in ("span", "code") else "\n", text)
    if plain != text or _ENTITY.search(text):
        yield html.unescape(plain).replace("\xa0", " ")


WRAPPINGS: tuple[tuple[Step, Callable[[str], Iterator[str]]], ...] = (
    ("unescaped HTML", hypertext),
    ("took the text out of JSON", json_texts),
    ("took what was typed in a session", session),
    ("applied a diff", diff),
    ("removed line numbers", numbered),
)
