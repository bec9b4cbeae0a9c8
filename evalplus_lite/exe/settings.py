"""How to mine."""

from __future__ import annotations

from dataclasses import dataclass

from evalplus_lite.exe.inputs.dialogue import MAX_TOKENS, TEMPERATURE
from evalplus_lite.exe.inputs.search import ROUNDS
from evalplus_lite.exe.inputs.validators import MAX_CASES
from evalplus_lite.exe.selecting.annotations import TypeSet
from evalplus_lite.exe.selecting.static import MAX_CODE


@dataclass(frozen=True, slots=True)
class MiningSettings:
    """How to mine; all of it decides the result, so it is the identity of a resumable run.

    ``any_licence``: packages under other than permissive licences too. ``rounds`` of input growth,
    ``cases`` a function at most. ``static_only``: nothing is run. ``model``: name of the language
    model that is asked for inputs, at ``temperature``, in answers of ``max_tokens`` at most, as
    calls of a tool (``tools``) or as JSON that a schema describes. ``functions`` are run of a
    package at most, chosen by their names' hashes. ``refreshed`` names the content of the tasks
    whose functions get new inputs, if that is what is wanted. ``with_deps``: what a package
    requires is downloaded, as far as it is not at hand and is pure wheels; by default of packages
    given by their names on the index. ``observe``: its tests are run, for the types that they give
    to parameters without an annotation. ``stubs``: what declares the types of a package that does
    not say them itself, typeshed's or another, is downloaded. Programs have ``max_code``
    characters at most. ``keep_all``: trivial tasks too, and more than three of a class.
    """

    seed: int = 0
    types: TypeSet = "paper"
    any_licence: bool = False
    cases: int = MAX_CASES
    rounds: int = ROUNDS
    comments: bool = True
    static_only: bool = False
    model: str | None = None
    max_tokens: int = MAX_TOKENS
    temperature: float = TEMPERATURE
    tools: bool = False
    functions: int | None = None
    refreshed: str = ""
    with_deps: bool | None = None
    observe: bool = False
    stubs: bool = False
    max_code: int = MAX_CODE
    keep_all: bool = False
