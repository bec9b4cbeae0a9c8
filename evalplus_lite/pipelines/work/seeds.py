"""What has to be run while a model is asked for seeds: contracts on its inputs, its generators."""

from __future__ import annotations

from evalplus_lite.execution.base import Place, Row, Work
from evalplus_lite.pipelines.seed_generators import measured
from evalplus_lite.pipelines.work.staging import case_rows, staged
from evalplus_lite.prompting.generators import GeneratorProgram
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Case


def refusing(place: Place, _: Row) -> Work:
    """Of (contract, inputs), why the contract refuses each input; None where it does not."""

    def refuse(item: Row) -> Row:
        contract, inputs = item
        found = violations(place.sandbox, contract, [Case(arguments) for arguments in inputs])
        return [None if violation is None else violation.reason for violation in found]

    return refuse


def drawing(place: Place, _: Row) -> Work:
    """Of (staged task, generator's source, entry point, name), its inputs and what they reject."""

    def draw(item: Row) -> Row:
        ref, source, entry_point, name = item
        task, _ = staged(place, ref)
        found = measured(place.sandbox, task, GeneratorProgram(source, entry_point), name=name)
        return case_rows(found.cases), found.draws, found.killed

    return draw
