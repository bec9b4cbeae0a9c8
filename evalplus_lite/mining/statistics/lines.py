"""A program's lines by what they hold: code, documentation, comments; logical lines.

``code_lines`` is the paper's count ("lines with executable syntax tokens"). ``RawLines`` are the
figures that radon takes its maintainability index from, by radon's rules, each logical line read
once: radon itself reads a table of n lines n times.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

_LAYOUT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)
_FILLING = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE})
_NO_TEXT = frozenset({tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
Token = tokenize.TokenInfo


def code_lines(code: str, tree: ast.Module) -> int:
    """Return how many lines hold code: no blank ones, comments, or strings that nothing takes."""
    idle: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                idle.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.STRING:
            held.update(line for line in lines if line not in idle)
        elif token.type not in _LAYOUT:  # on a docstring's line, too
            held.update(lines)
    return len(held)


@dataclass(frozen=True, slots=True)
class RawLines:
    """``logical`` lines, ``source`` lines, ``comments``, and lines of strings standing alone."""

    logical: int
    source: int
    comments: int
    multi: int

    @property
    def commented(self) -> float:
        """Comments and strings standing alone, in per cent of the source lines."""
        return (self.comments + self.multi) / self.source * 100 if self.source else 0.0


def raw_lines(code: str) -> RawLines:
    """Return what radon's ``raw.analyze`` counts of a program that parses."""
    texts = [line.strip() for line in code.splitlines()]
    logical = source = comments = multi = 0
    for tokens in _chunks(code):
        first, last = tokens[0].start[0], tokens[-1].end[0]
        filled = sum(1 for text in texts[first - 1 : last] if text)
        comments += sum(token.type == tokenize.COMMENT for token in tokens)
        rest = [token for token in tokens[1:] if token.type not in (tokenize.NL, tokenize.NEWLINE)]
        if tokens[0].type == tokenize.COMMENT and not rest:
            continue
        if tokens[0].type == tokenize.STRING and not rest:
            multi += filled if tokens[0].end[0] > tokens[0].start[0] else 0
        else:
            source += filled
        logical += _logical(tokens)
    return RawLines(logical, source, comments, multi)


def _chunks(code: str) -> Iterator[list[Token]]:
    """Yield the tokens of each logical line, or comment, that is not empty."""
    chunk: list[Token] = []
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in _NO_TEXT:
            continue
        chunk.append(token)
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if token.type == tokenize.NEWLINE or (token.type == tokenize.NL and not depth):
            if any(each.type not in (tokenize.NL, tokenize.NEWLINE) for each in chunk):
                yield chunk
            chunk = []
    if chunk:
        yield chunk


def _logical(tokens: list[Token]) -> int:
    """Return how many lines it would be with a statement a line, as radon guesses by the colons."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == tokenize.OP and token.string == ";":
            parts.append([])
        elif token.type not in _FILLING:
            parts[-1].append(token)
    count = 0
    for number, part in enumerate(parts):
        colons = [at for at, token in enumerate(part) if token[:2] == (tokenize.OP, ":")]
        # radon holds the colon against the end marker, which only the last part has.
        end = len(part) - (1 if number == len(parts) - 1 else 2)
        count += (2 - (colons[-1] == end)) if colons else bool(part)
    return count
