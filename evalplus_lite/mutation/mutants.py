"""Mutants of a reference: small faults that a good suite notices. The only user of mutmut.

mutmut's mutation is no public interface: its shape changed in five of its releases (see
``create_mutations``' history). What is used of it is pinned in pyproject.toml, met in one function
here, ``_by_mutmut``, and watched by ``tests/requirements/test_mutants.py``.
"""

from __future__ import annotations

import difflib
import hashlib
import threading
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evalplus_lite import programs
from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.mutation.generation import own_mutations
from evalplus_lite.programs import TooLarge

_CONFIGURATION = threading.Lock()
"""mutmut keeps its configuration in a global, and tasks are worked on in several threads."""


MOST_LINES = 300
"""Lines of a program that a diff shows."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program that differs from the reference in one place.

    ``source`` is the whole program as ``normal_form`` writes it, ``operator`` says who made it
    and how, ``line`` is the first line (from 1) that differs from the reference's normal form.
    """

    source: str
    operator: str
    line: int

    @property
    def key(self) -> str:
        """A short name that depends on the program's text alone."""
        return hashlib.sha256(self.source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def normal_form(source: str) -> str:
    """Return the program as ``ast`` writes it, without docstrings: the form mutants are made from.

    Equal programs have equal normal forms. Docstrings stay where the program reads ``__doc__``.
    Raises ReferenceSolutionError where the source is no Python.
    """
    try:
        return programs.normal_form(source)
    except (SyntaxError, TooLarge) as error:
        raise ReferenceSolutionError(f"the reference does not parse: {error}") from None


def mutants(reference: str, *, mutmut: bool = True, own: bool = True) -> tuple[Mutant, ...]:
    """Return the mutants of a program, without those that are the same program.

    ``mutmut`` and ``own`` choose whose operators are used; mutmut's come first, each in the order
    of the text. A mutant that equals the reference or an earlier mutant is left out.
    """
    original = normal_form(reference)
    seen = {original}
    found: list[Mutant] = []
    for operator, text in _all(original, mutmut=mutmut, own=own):
        try:
            mutated = normal_form(text)
            compile(mutated, "<mutant>", "exec", dont_inherit=True)
        except (ReferenceSolutionError, SyntaxError, ValueError):
            continue  # an operator may write what Python does not accept
        if mutated not in seen:
            seen.add(mutated)
            found.append(Mutant(mutated, operator, _first_difference(original, mutated)))
    return tuple(found)


def difference(reference: str, mutant: Mutant) -> str:
    """Return the unified diff from reference to mutant, with one line of context."""
    return unified(reference, mutant.source, "mutant")


def unified(reference: str, source: str, name: str) -> str:
    """Return the unified diff from a reference to another program, called ``name`` there.

    Only the first ``MOST_LINES`` lines of the program are looked at: finding what two texts share
    takes the square of their lines and more, and a sample may have as many as it likes.
    """
    ours, theirs = normal_form(reference).splitlines(), source.splitlines()
    if len(theirs) > MOST_LINES:
        theirs = [*theirs[:MOST_LINES], f"... and {len(theirs) - MOST_LINES} more lines"]
    return "\n".join(
        difflib.unified_diff(ours[:MOST_LINES], theirs, "reference", name, n=1, lineterm="")
    )


def _all(original: str, *, mutmut: bool, own: bool) -> Iterator[tuple[str, str]]:
    if mutmut:
        for text in _by_mutmut(original):
            yield "mutmut", text
    if own:
        yield from own_mutations(original)


def _by_mutmut(source: str) -> Iterator[str]:
    """Yield the programs that mutmut's operators make, one change each."""
    # The import takes half a second and is needed by those who make mutants only.
    import mutmut.configuration
    from mutmut.mutation.file_mutation import create_mutations, deep_replace

    # Without a configuration mutmut looks for src/ in the current folder, and fails without one.
    with _CONFIGURATION:
        before = mutmut.configuration._config
        none: Any = types.SimpleNamespace(do_not_mutate_patterns=[])
        mutmut.configuration._config = none
        try:
            module, mutations, _, _ = create_mutations("reference.py", source)
        finally:
            mutmut.configuration._config = before
    for mutation in mutations:
        if mutation.contained_by_top_level_function is not None:
            changed: Any = deep_replace(module, mutation.original_node, mutation.mutated_node)
            yield changed.code


def _first_difference(original: str, mutated: str) -> int:
    pairs = zip(original.splitlines(), mutated.splitlines(), strict=False)
    same = 0
    for before, after in pairs:
        if before != after:
            break
        same += 1
    return same + 1
