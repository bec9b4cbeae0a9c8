"""Entry points made here: functions of plain values that make others of them, and call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from evalplus_lite.mining.selecting.built import Need, made, mentioned, needs_of, plain
from evalplus_lite.mining.selecting.signatures import Parameter, Signature

MADE_WITH = frozenset({"set", "frozenset", "tuple"})
"""Builtins that an entry point may call."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A function that calls another with what it makes of plain values."""

    name: str
    text: str
    signature: Signature
    needs: tuple[Need, ...] = ()
    """What it mentions, besides what it calls."""


def names_of(needs: Iterable[Need]) -> frozenset[str]:
    """Return the names by which an entry point mentions things."""
    return frozenset(map(mentioned, needs))


def built_needs(parameters: Iterable[Parameter]) -> tuple[Need, ...]:
    """Return what making the arguments mentions, each once."""
    return tuple(dict.fromkeys(need for p in parameters for need in needs_of(p.type)))


def given(parameter: Parameter, renamed: Mapping[str, str]) -> str:
    """Return the expression that makes an argument of the entry point's parameter."""
    return made(parameter.type, renamed.get(parameter.name, parameter.name))


def entry(name: str, parameters: Iterable[Parameter], call: str, signature: Signature) -> Entry:
    """Return the entry point of given parameters, required ones first."""
    ordered = sorted(parameters, key=lambda each: not each.is_required)
    listed = ", ".join(p.name + (f"={p.default}" if p.default else "") for p in ordered)
    text = f"def {name}({listed}):\n    return {call}\n"
    shown = tuple(replace(p, type=plain(p.type), kind="positional") for p in ordered)
    return Entry(name, text, Signature(shown, signature.result), built_needs(ordered))


def is_literal(default: str | None) -> bool:
    """Return whether a default can be written where the function's module is not."""
    try:
        ast.literal_eval(default or "")
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def entry_of_function(module: str, node: ast.FunctionDef, signature: Signature) -> Entry | None:
    """Return the entry point of a function that wants other than plain values; None of others."""
    if not built_needs(signature.parameters):
        return None
    by_place = {each.arg for each in node.args.posonlyargs}
    kept = [
        p
        for p in signature.parameters
        if p.kind in ("positional", "keyword") and (p.is_required or is_literal(p.default))
    ]
    taken = names_of(built_needs(kept)) | MADE_WITH | {node.name}
    renamed = {p.name: f"{p.name}_given" for p in kept if p.name in taken}
    call = ", ".join(
        given(p, renamed) if p.name in by_place else f"{p.name}={given(p, renamed)}" for p in kept
    )
    parameters = [replace(p, name=renamed.get(p.name, p.name)) for p in kept]
    return entry(f"call_{node.name}", parameters, f"{node.name}({call})", signature)
