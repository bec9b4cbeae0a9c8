"""A package's types that a model proposes: who is asked, and what is said of it afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evalplus_lite.llm import ModelSource
from evalplus_lite.mining.inlining.graph import Obstacle
from evalplus_lite.mining.inputs.proposing import TypeWriter, is_proposed
from evalplus_lite.mining.selecting.funnel import Funnel
from evalplus_lite.mining.selecting.proposed import Ask, Proposal, Proposals
from evalplus_lite.mining.selecting.static import MinedFunction, Reject, StaticMine
from evalplus_lite.mining.settings import MiningSettings

MISTYPED = "proposed types do not run"
"""Why functions are left out of which only a model told the types, and inputs of these fail."""
UNANSWERED = "no answer about types"
"""Why a function's types are not known that a model was asked for."""


@dataclass(frozen=True, slots=True)
class Typing:
    """Who is asked for types, if that is wanted of a model that is there."""

    settings: MiningSettings
    source: ModelSource | None

    @property
    def ask(self) -> Ask | None:
        """What answers a question about types; None if nobody is asked."""
        asked = self.settings
        if self.source is None or asked.asked_for == "inputs" or asked.types != "known":
            return None
        return TypeWriter(
            source=self.source,
            temperature=asked.temperature,
            max_tokens=asked.max_tokens,
            tools=asked.tools,
        ).ask

    def facts(self, function: MinedFunction, static: StaticMine) -> dict[str, Any]:
        """Return what a task row says of the model that told types of its parameters, if any."""
        if static.proposals is None or self.source is None or not is_proposed(function):
            return {}
        said = static.proposals.found.get((function.module, function.line), Proposal())
        asked = {"model": self.source.model, "temperature": self.settings.temperature}
        return {"typing": asked | said.cost}

    def told(self, proposals: Proposals, package: str, funnel: Funnel) -> Iterator[Reject]:
        """Count what was asked about types; yield the questions that nobody answered.

        They are counted by themselves: a function may be mined by what else tells of it.
        """
        asked = [each for each in proposals.found.values() if each.requests or each.problem]
        funnel.add("asked for types", len(asked))
        funnel.add(
            "types proposed", sum(any(told.type for told in each.types.values()) for each in asked)
        )
        tokens = sum(each.prompt_tokens + each.completion_tokens for each in asked)
        funnel.add("tokens for types", tokens)
        funnel.add(UNANSWERED, sum(bool(each.problem) for each in asked))
        for (module, line), each in proposals.found.items():
            if each.problem:
                problem = Obstacle(UNANSWERED, each.problem)
                yield Reject(package, f"{module}:{line}", "asked", UNANSWERED, (problem,))
