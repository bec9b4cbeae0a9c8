"""Adapters within the real libraries, where these are installed."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.commands import captured, environment, write_tasks

from evalplus_lite.serving.adapters import lm_eval
from evalplus_lite.serving.adapters.judge import JudgeSettings, configure, settings

TESTS = ["assert f(1) == 2", "assert f(2) == 4"]
RIGHT, WRONG = "def f(x):\n    return x + x", "def f(x):\n    return 2"


GUIDE = Path(__file__).parents[2] / "docs/guide/training.md"


def shown(heading: str) -> str:
    """Return the example that the guide has under a heading."""
    section = GUIDE.read_text(encoding="utf-8").split(f"### {heading}\n")[1].split("\n### ")[0]
    found = re.search(r"^```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return found[1]


def needs(module: str, name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(module) is None, reason=f"needs {name}")


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    configure(JudgeSettings(workers=1))
    yield
    configure(None)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    write_tasks(tmp_path)
    return tmp_path / "tasks.jsonl"


@needs("inspect_ai", "inspect-ai")
@pytest.mark.filterwarnings("ignore")
def test_inspect_scores(tasks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A right, a wrong and an empty answer are scored; trouble of the machine is an error."""
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, get_model

    from evalplus_lite.serving.adapters import inspect_tasks

    # Its mock model counts tokens with a file that is downloaded.
    monkeypatch.setattr("inspect_ai.model._model.count_text_tokens", len)
    texts = [f"```python\n{RIGHT}\n```", WRONG, "I cannot."]

    def asked() -> Any:
        outputs = [ModelOutput.from_content("mockllm/model", text) for text in texts]
        model = get_model("mockllm/model", custom_outputs=outputs)
        evaluation = inspect_tasks.evaluation(str(tasks))
        folder = str(tasks.parent / "logs")
        (log,) = run(
            evaluation, model=model, log_dir=folder, display="none", max_samples=1,
            fail_on_error=False,
        )  # fmt: skip
        return log

    log = asked()
    assert log.status == "success", log.error
    scores = {sample.id: next(iter(sample.scores.values())) for sample in log.samples}
    values = {task: score.value for task, score in scores.items()}
    assert values == {"Own/0": 1.0, "Own/1": 0.0, "Own/2": 0.0}
    assert scores["Own/0"].answer.strip() == RIGHT
    monkeypatch.setattr("evalplus_lite.serving.adapters.judge.TRIES", 1)
    configure(JudgeSettings(url="http://127.0.0.1:9"))
    assert all(sample.error and not sample.scores for sample in asked().samples)
    gc.collect()  # streams that the library leaves open complain now, not in another test


@needs("inspect_ai", "inspect-ai")
@pytest.mark.parametrize(
    ("name", "options"), [("humaneval", []), ("humaneval_plus", ["-T", "dataset=tasks.jsonl"])]
)
def test_inspect_finds_the_task_by_its_name(
    name: str, options: list[str], tasks: Path, tmp_path: Path
) -> None:
    """The entry point makes a published set a task of ``inspect eval``, from a file as well."""
    code = (
        "import inspect_ai.model._model as m; m.count_text_tokens = len\n"
        "from inspect_ai._cli.main import main; main()"
    )
    words = ["eval", f"evalplus_lite/{name}", "--model", "mockllm/model", "--limit", "1", *options]
    command = [sys.executable, "-c", code, *words, "--display", "plain"]
    done = captured(command, cwd=tmp_path, env=environment(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accuracy" in done.stdout


def test_lm_eval_s_task_files_name_functions_that_are_there() -> None:
    """Its own test below needs the library, which is seldom installed."""
    texts = [path.read_text() for path in Path(lm_eval.task_files()).glob("*.yaml")]
    named = {name for text in texts for name in re.findall(r"!function (\S+)", text)}
    assert len(named) == 4
    for name in named:
        module, _, function = name.rpartition(".")
        assert callable(getattr(import_module(module), function))


@needs("lm_eval", "lm-eval")
@pytest.mark.filterwarnings("ignore")
def test_lm_eval(monkeypatch: pytest.MonkeyPatch) -> None:
    """The task files are found; right continuations pass, and others do not."""
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    bodies = ["    return any(abs(a - b) < threshold for i, a in enumerate(numbers)"]
    bodies[0] += " for b in numbers[:i])\n"

    class Answers(LM):
        def generate_until(self, requests: Any, **_: Any) -> list[str]:
            is_chat = [each.args[0].startswith("Complete") for each in requests]
            fenced = "```python\n{}{}```"
            return [
                fenced.format(each.doc["prompt"], bodies[0]) if chat else bodies[0]
                for each, chat in zip(requests, is_chat, strict=True)
            ]

        def loglikelihood(self, requests: Any, **_: Any) -> Any: ...
        def loglikelihood_rolling(self, requests: Any, **_: Any) -> Any: ...

    names = ["evalplus_lite_humaneval", "evalplus_lite_humaneval_instruct"]
    manager = TaskManager(include_path=lm_eval.task_files(), include_defaults=False)
    found = simple_evaluate(
        Answers(), tasks=names, task_manager=manager, limit=2, bootstrap_iters=0
    )
    scores = [found["results"][name]["pass@1,judged"] for name in names]
    assert scores == [0.5, 0.5]


@needs("verifiers", "verifiers")
def test_verifiers() -> None:
    """A task's data and a trace's last reply earn a reward, by ``@vf.reward`` and by name."""
    import verifiers.v1 as vf

    guide: dict[str, Any] = {"__name__": "guide"}
    exec(shown("verifiers"), guide)
    Data, CodeTask = guide["Data"], guide["CodeTask"]

    class Trace:
        def __init__(self, last_reply: str) -> None:
            self.last_reply, self.rewards, self.metrics = last_reply, dict[str, Any](), {}

        def record_reward(self, name: str, value: float, weight: float = 1.0) -> None:
            self.rewards[name] = value * weight

    data = Data(prompt="Double x.", tests=TESTS)
    plugged = {"earned": {"fn": "evalplus_lite.serving.adapters.trainers:passed"}}
    named = vf.Task[Data](data, vf.TaskConfig(rewards=plugged))
    for task, name in ((CodeTask(data, vf.TaskConfig()), "passed"), (named, "earned")):
        for answer, reward in ((RIGHT, 1.0), (WRONG, 0.0)):
            trace = Trace(answer)
            asyncio.run(task.score(trace))  # type: ignore[arg-type]
            assert trace.rewards == {name: reward}


@needs("trl", "trl")
@pytest.mark.filterwarnings("ignore")
def test_trl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GRPOTrainer's one step on a tiny model asks for rewards, sync and async, and logs them."""
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    from evalplus_lite.serving.adapters.trainers import async_trl_reward, trl_reward

    letters = {chr(code): code - 30 for code in range(32, 127)}
    inner = Tokenizer(models.WordLevel({"<pad>": 0, "<eos>": 1, **letters}, unk_token="<pad>"))
    inner.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    words = PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="<eos>", unk_token="<pad>"
    )
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=128, **sizes, **heads))

    def half_right(completions: Any, **columns: Any) -> list[float | None]:
        assert len(trl_reward(completions=completions, **columns)) == 2
        return trl_reward(completions=[RIGHT, WRONG], **columns)

    async def none(completions: Any, **columns: Any) -> list[float | None]:
        assert await async_trl_reward(completions=[RIGHT] * 2, **columns) == [1.0, 1.0]
        return [None, 0.5]

    dataset = Dataset.from_list([{"prompt": "def f", "tests": TESTS}] * 2)
    model.save_pretrained(tmp_path / "model")
    words.save_pretrained(tmp_path / "model")
    guide = {"model": str(tmp_path / "model"), "dataset": dataset}
    monkeypatch.chdir(tmp_path)
    example = shown("TRL, and open-r1")
    assert "GRPOConfig()" in example
    exec(example.replace("GRPOConfig()", "GRPOConfig(use_cpu=True, report_to=[])"), guide)
    assert guide["trainer"].reward_funcs == [trl_reward]  # type: ignore[attr-defined]
    trainer = GRPOTrainer(
        model,
        reward_funcs=[half_right, none],
        processing_class=words,
        train_dataset=dataset,
        args=GRPOConfig(
            output_dir=str(tmp_path), per_device_train_batch_size=2, num_generations=2,
            max_completion_length=4, max_steps=1, report_to=[], use_cpu=True, logging_steps=1,
        ),
    )  # fmt: skip
    trainer.train()
    logged = trainer.state.log_history[0]
    assert logged["rewards/half_right/mean"] == 0.5


@needs("areal", "areal")
def test_areal() -> None:
    """AReaL's wrapper calls the reward in its pool of processes."""
    from areal.api.reward_api import AsyncRewardWrapper

    from evalplus_lite.serving.adapters.trainers import areal_reward

    wrapped = AsyncRewardWrapper(areal_reward, timeout_seconds=60, max_workers=1)
    cell = json.dumps(TESTS)

    async def both() -> list[float]:
        asked = [wrapped("p", answer, [0], [0], tests=cell) for answer in (RIGHT, WRONG)]
        return list(await asyncio.gather(*asked))

    assert asyncio.run(both()) == [1.0, 0.0]


@needs("torch", "torch")
def test_openrlhf() -> None:
    """Replies with the marks of a template are judged by labels; scores are tensors."""
    from evalplus_lite.serving.adapters.trainers import reward_func

    queries = [f"Double x.{text}<|im_end|>\n</s>" for text in (RIGHT, WRONG)]
    found = reward_func(queries, ["Double x."] * 2, [json.dumps(TESTS)] * 2)
    assert found["rewards"].tolist() == found["extra_logs"]["passed"].tolist() == [1.0, 0.0]


@needs("swift", "ms-swift")
def test_ms_swift() -> None:
    """The reward is registered by its name, and judges by a column."""
    from swift.rewards import orms

    from evalplus_lite.serving.adapters import swift_orm

    function = orms["evalplus_lite"]()
    assert isinstance(function, swift_orm.CodeORM)
    assert function([RIGHT, WRONG], solution=["", ""], tests=[TESTS] * 2) == [1.0, 0.0]


@needs("skyrl_gym", "skyrl-gym")
def test_skyrl() -> None:
    """The registered environment ends after one answer, with its reward."""
    import skyrl_gym
    from skyrl_gym.envs import register

    from evalplus_lite.serving.adapters import skyrl_env

    register(id="ours", entry_point=f"{skyrl_env.__name__}:CodeEnv")
    extras = {"reward_spec": {"method": "rule", "ground_truth": json.dumps(TESTS)}}
    for answer, earned in ((RIGHT, 1.0), (WRONG, 0.0)):
        step = skyrl_gym.make("ours", env_config={}, extras=extras).step(answer)
        assert (step["reward"], step["done"]) == (earned, True)


@needs("lighteval", "lighteval")
@pytest.mark.filterwarnings("ignore")
def test_lighteval() -> None:
    """The metric judges a document's answers, as the library asks it."""
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    from evalplus_lite.serving.adapters.lighteval import PASS_RATE

    document = Doc(query="Double x.", choices=[json.dumps(TESTS)], gold_index=0)
    response = ModelResponse(text=[f"```python\n{RIGHT}\n```", WRONG])
    assert PASS_RATE.compute_sample(doc=document, model_response=response) == {"pass@1": 0.5}


@needs("evalscope", "evalscope")
@pytest.mark.filterwarnings("ignore")
def test_evalscope(tasks: Path) -> None:
    """A run with a model that says nothing of use scores every task 0, and a right answer is 1."""
    from evalscope import TaskConfig, run_task

    from evalplus_lite.serving.adapters import evalscope

    name = "evalplus_lite_humaneval_plus"
    config = TaskConfig(
        model="mock", eval_type="mock_llm", datasets=[name], work_dir=str(tasks.parent / "out"),
        dataset_args={name: {"dataset_id": str(tasks)}},
    )  # fmt: skip
    report = run_task(config)[name]
    assert (report.score, report.metrics[0].num) == (0.0, 3)
    adapter = object.__new__(evalscope.CodeAdapter)
    assert adapter.match_score(RIGHT, RIGHT, json.dumps(TESTS), None).value == {"acc": 1.0}


@needs("opencompass", "opencompass")
@pytest.mark.filterwarnings("ignore")
def test_opencompass(tasks: Path) -> None:
    """The dataset is read by its library, and the evaluator scores answers in percent."""
    from evalplus_lite.serving.adapters import opencompass

    columns = {"input_columns": ["request"], "output_column": "tests"}
    data = opencompass.CodeDataset(path=str(tasks), reader_cfg=columns)
    assert data.test["task_id"] == ["Own/0", "Own/1", "Own/2"]
    found = opencompass.CodeEvaluator(str(tasks)).score([RIGHT, WRONG], data.test["tests"][:1] * 2)
    assert found["accuracy"] == 50.0


@needs("nbclient", "nbclient")
@pytest.mark.filterwarnings("ignore")
def test_a_notebook(tmp_path: Path) -> None:
    """Within a notebook's event loop a Verifier is awaited, waited for, and made again."""
    import nbclient
    import nbformat

    cell = """
from evalplus_lite import Verifier
verifier = Verifier([{"id": "a", "prompt": "", "entry_point": "f", "reference": SOURCE,
                      "inputs": [[1]]}], workers=1)
right = [("a", SOURCE)] * 3
print(verifier.verify(*right[0]).passed, (await verifier.averify(*right[0])).passed)
many = await verifier.averify_many(right)
print([each.passed for each in verifier.verify_many(right)], len(many))
"""
    cells = [
        nbformat.v4.new_code_cell(f"SOURCE = {RIGHT!r}"),
        *[nbformat.v4.new_code_cell(cell)] * 2,
    ]
    book = nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=300).execute()
    for each in book.cells[1:]:
        printed = "".join(out["text"] for out in each.outputs if out.get("name") == "stdout")
        assert printed == "True True\n[True, True, True] 3\n"


@needs("verl", "verl")
@pytest.mark.parametrize("name", ["verl_score", "async_verl_score"])
def test_verl_loads_it(name: str) -> None:
    """verl's own loader finds the function by its module, as the guide has it."""
    from omegaconf import OmegaConf
    from verl.trainer.ppo.reward import get_custom_reward_fn

    config = OmegaConf.create(shown("verl"))
    config.reward.custom_reward_function.name = name
    function = get_custom_reward_fn(config)
    found = function("own", RIGHT, json.dumps({"assert_case": TESTS}), extra_info={})
    found = asyncio.run(found) if asyncio.iscoroutine(found) else found
    assert found["score"] == 1.0
    assert settings().workers == 1
