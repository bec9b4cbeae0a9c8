"""What happens while a program runs, counted by code written into it (appendix A.6).

Tracing costs 2 to 23 times the run; counters cost less and count the same on every machine and
version. CPU time is taken from a separate, untouched run. Only calls and returns
are traced, and ``library_lines`` in frames of other files.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from evalplus_lite.exe.statistics.counting import Arms, FunctionCounter

COUNTERS = (
    "loop_iterations",
    "additions",
    "subtractions",
    "multiplications",
    "divisions",
    "powers",
    "bit_operations",
    "container_operations",
    "lines",
    "library_lines",
    "conditionals",
    "builtin_calls",
    "user_calls",
    "calls",
    "call_depth",
    "variables_declared",
)
"""``lines``: statements begun, loop heads each time, ``except`` and ``case`` lines that are tried;
what begins on the line where the one before ended, as in ``if a: b``, is not counted again.
``conditionals``: tests of if, while, conditional expressions and comprehensions, ``match``
statements and their guards. Arithmetic and bit work count numbers; an operator that gives text or
a collection (``"%s" % x``, ``a | b`` of sets) is a ``container_operation``; ``a.b += x`` and
``a[b] += x`` are judged by ``x``, since reading the target once more might show. ``user_calls``: of
functions, methods and classes of the program, cached and partial ones included; a call counts once
its arguments are worked out. ``call_depth``: how many functions of the program were open at once.
``variables_declared``:
parameters and local names of the program's functions that hold a value when a function returns,
raises or yields; those of comprehensions are not counted."""


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A program with counters, and its arms: marks of what a run reaches.

    Twice a statement's number is its arm; of a test that, where it is false, and the next one,
    where it is true; of a loop the same two, where it runs not at all, and where it runs again.
    """

    code: str
    own: range
    """Arms of the subject; of all functions where it is none written with ``def``."""
    wanted: frozenset[int]
    """Those of them that inputs should reach: its statements, and both sides of its tests."""


def instrument(code: str, subject: str = "") -> Instrumented | None:
    """Return the program with counters in its functions; None where it cannot be rewritten.

    Only function bodies count: loading is not part of a case. ``_count`` must be free. ``subject``
    is the function that inputs are sought for, of a method with its class (``Class.method``).
    """
    try:
        tree = ast.parse(code)
        if any("_count" in map(str, vars(node).values()) for node in ast.walk(tree)):
            return None
        arms = Arms()
        wanted = _function(tree, subject)
        FunctionCounter(arms).visit(tree)
        own = arms.spans.get(wanted, range(2 * arms.count))
        written = ast.unparse(ast.fix_missing_locations(tree))
        return Instrumented(written, own, frozenset(arm for arm in arms.wanted if arm in own))
    except (SyntaxError, RecursionError, ValueError):
        return None


def _function(tree: ast.Module, name: str) -> ast.AST:
    """Return the last function of a name, or method of a dotted one; the program if there is none.

    What sets or deletes a property is none.
    """
    found: ast.AST = tree
    for part in name.split("."):
        same = [
            node
            for node in getattr(found, "body", ())
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and node.name == part
            and not any(getattr(each, "attr", "") in _OTHERS for each in node.decorator_list)
        ]
        if not same:
            return tree
        found = same[-1]
    return found


_OTHERS = frozenset({"setter", "deleter"})
