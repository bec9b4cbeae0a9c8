"""Pieces of an answer that may be code: in fences, or between sentences."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence

from evalplus_lite.programs import definitions

_FENCE = re.compile(r"^(?P<indent>[ \t>]*)(?P<mark>`{3,}|~{3,})(?P<tag>[^`\n]*)$")
_STARTS_CODE = re.compile(
    r"[ \t]*(?:@\w|(?:async[ \t]+)?def[ \t]+\w|class[ \t]+\w|import[ \t]+\w"
    r"|from[ \t]+[.\w]+[ \t]+import\b)"
    r"|[A-Za-z_]\w{0,80}(?:[ \t]{0,8}:[^=\n]{1,80}|[ \t]{0,8})=(?!=)"
)
_STATEMENT = re.compile(r"(?!(?:else|elif|except|finally)\b)[^\s#)\]}]")
MAX_FENCES = 40
MOST_STATEMENTS = 2_000  # top-level statements of a program that is analyzed


class ParseBudget:
    """The number of characters that may still be compiled for one answer, to limit the work on
    hostile ones.
    """

    def __init__(self, characters: int) -> None:
        """Allow this many characters."""
        self.left = characters

    def fault(self, source: str) -> int | None:
        """Return the line at which compilation fails, or None if the text is a program.

        With a spent budget, every text fails at its first line.
        """
        if self.left <= 0:
            return 1
        line = definitions.fault(source)
        # The compiler reads little or nothing beyond the fault.
        lines = source.split("\n", line)[:line] if line is not None else [source]
        self.left -= sum(map(len, lines)) + len(source) // 20 + 100
        return line

    def tree(self, source: str) -> ast.Module | None:
        """Return a program's tree, or None if the text is not a program."""
        if self.fault(source) is not None:
            return None
        self.left -= 2 * len(source)  # the estimated cost of building and walking the tree
        tree = definitions.tree_of(source)
        return tree if tree is not None and len(tree.body) <= MOST_STATEMENTS else None


def fenced(text: str) -> list[str]:
    """Return the content of fences of backticks or tildes, with any tag.

    An opening fence pairs with the next closing one, or with the end of the text.
    """
    lines, marks = _marks(text)
    blocks = []
    opening: int | None = None
    for number in marks:
        if opening is None:
            opening = number
        elif _closes(lines[opening], lines[number]):
            blocks.append(_inside(lines, opening, number))
            opening = None
    if opening is not None:
        blocks.append(_inside(lines, opening, len(lines)))
    return blocks


def stretches(text: str) -> Iterator[str]:
    """Yield the text before the first fence, and all stretches from a fence, longest first.

    For texts whose fences do not pair up, such as one with fences in a docstring.
    """
    lines, marks = _marks(text)
    if marks:
        yield "\n".join(lines[: marks[0]])
    for first in marks:
        for last in (len(lines), *reversed(marks)):
            if last > first:
                yield _inside(lines, first, last)


def spans(text: str, budget: ParseBudget) -> Iterator[str]:
    """Yield the longest runs of lines that compile, each starting at a line that looks like code.

    A run consists of whole statements: one that is cut off or broken is dropped entirely.
    """
    lines = text.split("\n")
    at = 0
    while at < len(lines) and budget.left > 0:
        if not _STARTS_CODE.match(lines[at]):
            at += 1
            continue
        indent = len(lines[at]) - len(lines[at].lstrip())
        run = _dedented(lines[at:], indent)
        kept = whole_statements(run, budget)
        if kept:
            yield "\n".join(run[:kept]) + "\n"
        at += kept or 1


def whole_statements(lines: Sequence[str], budget: ParseBudget, *, fixed: int = 0) -> int:
    """Return the length of a long prefix of the lines that is a program; 0 if there is none.

    Only whole top-level statements are cut off, and none of the first ``fixed`` lines.
    """
    end = len(lines)
    while end > fixed:
        broken = budget.fault("\n".join(lines[:end]) + "\n")
        if broken is None:
            return end
        start = _start_of_statement(lines, min(broken, end))
        last = min(broken, end) - 1
        # Drop a stray bracket after a whole statement; if it closes one, the rest fails again.
        stray = last > start and lines[last][:1] in tuple(")]}")
        end = last if stray else start
        while end > fixed and not lines[end - 1].strip():
            end -= 1
    return 0


def _start_of_statement(lines: Sequence[str], line: int) -> int:
    """Return how many lines precede the top-level statement that contains ``line`` (from 1)."""
    for number in range(line - 1, -1, -1):
        if _STATEMENT.match(lines[number]):
            return number
    return 0


def _marks(text: str) -> tuple[list[str], list[int]]:
    """Return the text's lines, and the numbers of those that are a fence or end in one."""
    lines = text.split("\n")
    fences = (n for n, line in enumerate(lines) if _FENCE.match(line) or _before_fence(line))
    return lines, list(itertools.islice(fences, MAX_FENCES))


def _before_fence(line: str) -> str:
    """Return the code before a fence at the end of a line, or ""."""
    stripped = line.rstrip()
    code = stripped.rstrip("`")
    return code if code.strip() and len(stripped) - len(code) >= 3 else ""


def _closes(opening: str, line: str) -> bool:
    """Return whether a fence line ends the block that another one opened."""
    first, second = _FENCE.match(opening), _FENCE.match(line)
    if second is None:
        return True  # a fence at the end of a line of code
    if first is None:
        return False
    same = first["mark"][0] == second["mark"][0] and len(second["mark"]) >= len(first["mark"])
    return same and not second["tag"].strip()


def _inside(lines: list[str], opening: int, closing: int) -> str:
    first = _FENCE.match(lines[opening])
    inner = lines[opening + 1 : closing]
    if closing < len(lines):
        inner += filter(None, [_before_fence(lines[closing])])
    indent = len(first["indent"]) if first else 0
    if first and ">" in first["indent"]:  # a quotation
        inner = [line[indent:] if line.lstrip().startswith(">") else line for line in inner]
    elif indent:
        inner = [line[min(indent, len(line) - len(line.lstrip())) :] for line in inner]
    return "\n".join(inner) + "\n"


def _dedented(lines: list[str], indent: int) -> list[str]:
    """Return the lines up to a less indented one, without the first line's indentation."""
    if not indent:
        return lines
    inner = []
    for line in lines:
        if line.strip() and not line[:indent].isspace():
            break
        inner.append(line[indent:])
    return inner
