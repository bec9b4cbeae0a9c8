"""Seed inputs from a model, over a real server and from recorded replies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.models import Client, Replay, write_exchanges
from evalplus_lite.models.completions import Sampling, draws
from evalplus_lite.models.json_form import InputForm
from evalplus_lite.models.seeds import AIMS, SeedPlan, SeedResult, llm_seeds, seed_prompt
from evalplus_lite.types import Case, Harness, Task
from scripts.record import RecordingSource

TASK = Task(
    id="t/0",
    prompt='def scale(numbers, factor):\n    """Multiply each number by a positive factor."""\n',
    entry_point="scale",
    reference="def scale(numbers, factor):\n    return [n * factor for n in numbers]\n",
    base=(Case(([1, 2], 2.5)), Case(([], 1.0)), Case(([7], 0.5))),
)
ONE_AIM = SeedPlan(per_aim=2, aims=("corner",))


def client(server: Any) -> Client:
    return Client("tiny", base_url=server.url, concurrency=1, retries=1)


def inputs(*rows: tuple[list[int], float]) -> str:
    return json.dumps({"inputs": [{"numbers": a, "factor": b} for a, b in rows]})


def arguments(harvest: SeedResult) -> list[tuple[Any, ...]]:
    return [case.arguments for case in harvest.cases]


def test_three_aims(model_server: Any) -> None:
    """Each aim is asked for once, and its inputs come back typed and marked with it."""
    model_server.says(*(inputs(([n], 1), ([n, n], 2)) for n in range(3)))
    harvest = llm_seeds(TASK, client(model_server), plan=SeedPlan(per_aim=2))
    assert arguments(harvest)[:2] == [([0], 1.0), ([0, 0], 2.0)]
    assert all(type(case.arguments[1]) is float for case in harvest.cases)
    assert [case.operators for case in harvest.cases] == [(aim,) for aim in AIMS for _ in "12"]
    assert {case.source for case in harvest.cases} == {"llm"}
    assert harvest.turns == len(model_server.asked) == 3


def test_prompt(model_server: Any) -> None:
    """A prompt holds description, reference, base inputs, instruction and schema."""
    model_server.says("")
    llm_seeds(TASK, client(model_server), plan=SeedPlan(aims=("deceptive",), feedback=0))
    asked = model_server.asked[0]
    text = asked["messages"][0]["content"]
    for part in (TASK.prompt.strip(), TASK.reference.strip(), AIMS["deceptive"]):
        assert part in text
    assert '{"numbers": [1, 2], "factor": 2.5}' in text
    schema = asked["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["inputs"]["maxItems"] == 10


def test_prompts_depend_on_task_and_seed_alone() -> None:
    """The same task and seed ask the same; another seed shows other base inputs."""
    many = Task(
        id=TASK.id,
        prompt=TASK.prompt,
        entry_point=TASK.entry_point,
        reference=TASK.reference,
        base=tuple(Case(([n], float(n))) for n in range(50)),
    )

    def prompts(seed: int) -> list[str]:
        form, plan = InputForm.of(many), SeedPlan()
        return [seed_prompt(many, form, plan, aim=aim, seed=seed) for aim in AIMS]

    assert prompts(0) == prompts(0)
    assert len({*prompts(0), *prompts(1)}) == 6


def test_feedback(model_server: Any) -> None:
    """Doubles, wrong types and broken preconditions are quoted back, each with its reason."""
    model_server.says(
        json.dumps(
            {
                "inputs": [
                    {"numbers": [1, 2], "factor": 2.5},
                    {"numbers": "many", "factor": 1},
                    {"numbers": [3], "factor": -1},
                ]
            }
        ),
        inputs(([3], 4), ([5], 6)),
    )

    def valid(given: Sequence[tuple[Any, ...]]) -> list[str | None]:
        return ["factor must be positive" if values[1] <= 0 else None for values in given]

    harvest = llm_seeds(TASK, client(model_server), plan=ONE_AIM, valid=valid)
    assert arguments(harvest) == [([3], 4.0), ([5], 6.0)]
    assert harvest.dropped == {"double": 1, "form": 1, "invalid": 1}
    first, answer, feedback = model_server.asked[1]["messages"]
    assert (first["role"], answer["role"], feedback["role"]) == ("user", "assistant", "user")
    for words in ("was there before", "numbers is str", "factor must be positive", "Write 2 more"):
        assert words in feedback["content"]


def test_feedback_ends(model_server: Any) -> None:
    """A model that never learns is asked once and corrected three times, not for ever."""
    model_server.says("no idea")
    harvest = llm_seeds(TASK, client(model_server), plan=ONE_AIM)
    assert (arguments(harvest), harvest.turns, harvest.dropped) == ([], 4, {"form": 4})


def test_surplus(model_server: Any) -> None:
    """More inputs than asked for are counted, and need no correction."""
    model_server.says(inputs(*(([n], 1) for n in range(5))))
    harvest = llm_seeds(TASK, client(model_server), plan=ONE_AIM)
    assert (len(harvest.cases), harvest.turns, harvest.dropped["surplus"]) == (2, 1, 3)


def test_plain_text(model_server: Any) -> None:
    """A server without schemas may answer in lines of literals; calls in them are never run."""
    model_server.fails(500, "response_format is not known")
    model_server.fails(500, "response_format is not known")
    model_server.says("1. [[3], 4.0]\n2. [[__import__('os').getpid()], 1.0]\n3. scale([5], 6)")
    harvest = llm_seeds(TASK, client(model_server), plan=ONE_AIM)
    assert arguments(harvest) == [([3], 4.0), ([5], 6.0)]


def test_cut_off_answer(model_server: Any) -> None:
    """An answer that reached its limit keeps its whole inputs."""
    text = inputs(([3], 4), ([5], 6))[:-12]
    model_server.answers.append(model_server.chat(text, finish="length"))
    plan = SeedPlan(per_aim=1, aims=("corner",))
    assert arguments(llm_seeds(TASK, client(model_server), plan=plan)) == [([3], 4.0)]


def test_refusal(model_server: Any) -> None:
    """A refused aim is told in one line, and the others go on."""
    model_server.answers.append(model_server.chat("", refusal="I must not."))
    model_server.says(inputs(([3], 4)))
    plan = SeedPlan(per_aim=1, aims=("corner", "deceptive"))
    harvest = llm_seeds(TASK, client(model_server), plan=plan)
    assert arguments(harvest) == [([3], 4.0)]
    assert len(harvest.failures) == 1
    assert "I must not." in harvest.failures[0]


def test_failed_requests(model_server: Any) -> None:
    """One that is too long, or on which the server fails, ends its aim alone."""

    def said(asked: dict[str, Any]) -> Any:
        if AIMS["corner"] in asked["messages"][0]["content"]:
            return model_server.error(400, "too large", "exceed_context_size_error")
        if AIMS["intricate"] in asked["messages"][0]["content"]:
            return model_server.error(500, "out of memory")
        return model_server.chat(inputs(([3], 4)))

    model_server.answers.append(said)
    harvest = llm_seeds(TASK, client(model_server), plan=SeedPlan(per_aim=1))
    assert arguments(harvest) == [([3], 4.0)]
    assert (len(harvest.failures), harvest.broken) == (2, 1)


def test_unusable_server(model_server: Any) -> None:
    """A server that cannot be used at all ends the work."""
    model_server.fails(401, "bad key")
    with pytest.raises(LLMError, match="bad key"):
        llm_seeds(TASK, client(model_server))


def test_replay(model_server: Any, tmp_path: Path) -> None:
    """What was recorded gives the same seeds again, without the server."""
    model_server.says("nothing", *(inputs(([n], 1), ([n, n], 2)) for n in range(3)))
    noted = RecordingSource(client(model_server))
    harvest = llm_seeds(TASK, noted, plan=SeedPlan(per_aim=2))
    write_exchanges(tmp_path / "seeds.jsonl.gz", noted.exchanges)
    asked = len(model_server.asked)
    replay = Replay(tmp_path / "seeds.jsonl.gz")
    assert llm_seeds(TASK, replay, plan=SeedPlan(per_aim=2)) == harvest
    assert len(model_server.asked) == asked == 4


def test_replay_of_another_dialogue(model_server: Any, tmp_path: Path) -> None:
    """Where a stricter precondition leads past the record, what came before it stands."""
    model_server.says(inputs(([3], 4), ([5], 6)))
    noted = RecordingSource(client(model_server))
    llm_seeds(TASK, noted, plan=ONE_AIM)
    write_exchanges(tmp_path / "seeds.jsonl", noted.exchanges)
    replay = Replay(tmp_path / "seeds.jsonl")

    def valid(given: Sequence[tuple[Any, ...]]) -> list[str | None]:
        return ["too large" if values[1] > 5 else None for values in given]

    harvest = llm_seeds(TASK, replay, plan=ONE_AIM, valid=valid)
    assert (arguments(harvest), harvest.failures) == ([([3], 4.0)], ())
    other = llm_seeds(TASK, replay, plan=ONE_AIM, seed=0)
    assert len(other.cases) == 2
    unknown = llm_seeds(TASK, replay, plan=SeedPlan(per_aim=3, aims=("corner",)))
    assert unknown.cases == ()
    assert "no reply recorded" in unknown.failures[0]


def test_no_base_inputs(model_server: Any) -> None:
    """A task without inputs is the user's to mend."""
    bare = Task(id="t/1", prompt="", entry_point="f", reference="def f(): pass")
    with pytest.raises(InputError, match="t/1"):
        llm_seeds(bare, client(model_server))


def test_no_function_is_named_of_a_whole_program() -> None:
    """There is none: programs read standard input."""
    reference = "print(sum(map(int, input().split())))"
    task = Task("sum", "Print the sum of a line's numbers.", "", reference, (Case(("1 2\n",)),),
                style="solution", harness=Harness("script"))  # fmt: skip
    (draw,) = draws([task], Sampling(), model="m")
    seeds = seed_prompt(task, InputForm.of(task), SeedPlan(), aim="corner", seed=0)
    for text in (draw.request.messages[0].content, seeds):
        assert "``" not in text.replace("```", "")
        assert "stdin" in text or "standard input" in text
