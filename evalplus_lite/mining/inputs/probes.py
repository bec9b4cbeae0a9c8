"""What a function does to inputs that depend on its types alone: the same for copies of it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace

from evalplus_lite.mining.inputs.call_space import generator_of
from evalplus_lite.mining.inputs.validators import Executed
from evalplus_lite.mining.running.runs import Invocation
from evalplus_lite.mining.selecting.static import MinedFunction

PROBES = 40
TELLING = 12
"""Different answers, none of them an input, without which behaviour says nothing."""


def probes_of(function: MinedFunction) -> list[Invocation]:
    """Return calls that are the same for all functions of the same types."""
    parameters = tuple(
        parameter if parameter.kind == "keyword" else replace(parameter, name=f"p{number}")
        for number, parameter in enumerate(function.signature.parameters)
    )
    signature = replace(function.signature, parameters=parameters)
    unknown = replace(
        function, package="", module="", name="", signature=signature, code="", implementation=""
    )
    space, generator = generator_of(unknown, seed="probes")
    draw = random.Random("probes").random
    calls = [space.call(space.draw(generator.slots, draw).arguments) for _ in range(PROBES)]
    return list({call.key: call for call in calls}.values())


def behaviour_of(executed: Sequence[Executed]) -> str:
    """Return a digest of the answers to probes, equal for equal ones; empty if they say little."""
    told = {c.answer.key for c in executed if c.answer.kind == "value" and not c.is_trivial}
    if len(told) < TELLING:
        return ""
    answers = sorted(
        f"{c.call.key} {c.answer.type or c.answer.key if c.answer.kind != 'slow' else ''}"
        for c in executed
    )
    return hashlib.sha256("\n".join(answers).encode()).hexdigest()[:16]
