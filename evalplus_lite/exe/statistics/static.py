"""What can be said of a program without running it (the paper's appendix A.6)."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from radon.metrics import h_visit_ast, mi_compute
from radon.visitors import ComplexityVisitor

from evalplus_lite.exe.reading.names import uses_of

# A program's lines by what they hold: code, documentation, comments; logical lines.

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


# Cyclomatic complexity and maintainability, by radon: the only module that imports it.


@dataclass(frozen=True, slots=True)
class Complexity:
    """``cyclomatic``: of a whole program; ``maintainability``: 0 to 100, to two decimals."""

    cyclomatic: int
    maintainability: float


def complexity_of(code: str, tree: ast.Module) -> Complexity | None:
    """Return a program's complexity; None where radon cannot read it, which it then cannot either.

    Cyclomatic complexity after McCabe; the maintainability index is ``radon.metrics.mi_visit`` with
    documentation counted as comments, but for the time that it takes on long tables.
    """
    try:
        cyclomatic = int(ComplexityVisitor.from_ast(tree).total_complexity)
        volume = h_visit_ast(tree).total.volume
        lines = raw_lines(code)
        index = float(mi_compute(volume, cyclomatic, lines.logical, lines.commented))
    except Exception:
        # Whatever radon stumbles over is a missing figure, not a failure to mine.
        return None
    return Complexity(cyclomatic, round(index, 2))


@dataclass(frozen=True, slots=True)
class StaticStatistics:
    """Counts over a task's whole program."""

    lines: int
    """Lines that hold code: no blank ones, comments or docstrings."""
    nodes: dict[str, int]
    """AST node type -> count."""
    cyclomatic: int | None
    maintainability: float | None
    call_depth: int
    """Longest chain of the program's own functions from the entry point, recursion left out."""
    identifiers: int
    """Distinct names of variables, functions, classes, parameters and attributes."""
    ifs: int
    returns: int
    functions: int
    classes: int

    def to_json(self) -> dict[str, Any]:
        """Return it as the ``static`` entry of a task row."""
        return asdict(self)


def static_statistics(code: str, entry_point: str) -> StaticStatistics:
    """Return the static statistics of a program that parses."""
    tree = ast.parse(code)
    nodes = Counter(type(node).__name__ for node in ast.walk(tree))
    complexity = complexity_of(code, tree)
    return StaticStatistics(
        lines=code_lines(code, tree),
        nodes=dict(sorted(nodes.items())),
        cyclomatic=None if complexity is None else complexity.cyclomatic,
        maintainability=None if complexity is None else complexity.maintainability,
        call_depth=_call_depth(tree, entry_point),
        identifiers=len(_identifiers(tree)),
        ifs=nodes["If"] + nodes["IfExp"],
        returns=nodes["Return"],
        functions=nodes["FunctionDef"] + nodes["AsyncFunctionDef"],
        classes=nodes["ClassDef"],
    )


def _identifiers(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


def _call_depth(tree: ast.Module, entry_point: str) -> int:
    needs: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            late = {use.name for use in uses_of(node).uses if use.when == "late"}
            needs[node.name] = sorted(late)
    depths: dict[str, int] = {}
    open_: set[str] = set()

    def depth(name: str) -> int:
        if name in depths:
            return depths[name]
        if name not in needs or name in open_:
            return 0
        open_.add(name)
        found = 1 + max((depth(n) for n in needs[name]), default=0)
        open_.discard(name)
        depths[name] = found
        return found

    return depth(entry_point)
