"""The client, against a real HTTP server that speaks the protocol."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.models import Cache, Client, CutOffError, Message, Prices, RefusalError, Request

SCHEMA = '{"type":"object","properties":{},"required":[],"additionalProperties":false}'


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)


def client(server: Any, **options: Any) -> Client:
    return Client("tiny", base_url=server.url, **{"api_key": "k", "retries": 2, **options})


def ask(text: str = "hello", **options: Any) -> Request:
    return Request(model="tiny", messages=(Message("user", text),), **options)


def test_chat(model_server: Any) -> None:
    """A chat request carries all its parameters, and the reply all that the server counted."""
    model_server.says("hi")
    source = client(model_server)
    reply = source.ask(ask(temperature=0.5, max_tokens=9, stop=("\n\n",), index=3))
    assert (reply.text, reply.finish, reply.model) == ("hi", "stop", "tiny-1")
    assert (reply.prompt_tokens, reply.completion_tokens) == (7, 5)
    assert model_server.paths == ["/v1/chat/completions"]
    assert model_server.asked == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "hello"}],
            "temperature": 0.5,
            "max_tokens": 9,
            "stop": ["\n\n"],
            "seed": 3,
        }
    ]
    assert model_server.headers[0]["authorization"] == "Bearer k"


def test_completion(model_server: Any) -> None:
    """A prompt goes to the completion endpoint and its text comes back."""
    model_server.says(" a + b")
    reply = client(model_server).ask(Request(model="tiny", prompt="return", max_tokens=4))
    assert reply.text == " a + b"
    assert model_server.paths == ["/v1/completions"]
    assert model_server.asked[0]["prompt"] == "return"


def test_address_and_key_from_the_environment(
    model_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Address and key are read from the environment where none is given."""
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "from-env")
    model_server.says("hi")
    assert Client("tiny").ask(ask()).text == "hi"
    assert model_server.headers[0]["authorization"] == "Bearer from-env"


def test_no_key_for_a_server_here(model_server: Any) -> None:
    """A server on this machine is asked without a key."""
    model_server.says("hi")
    assert client(model_server, api_key=None).ask(ask()).text == "hi"


@pytest.mark.parametrize("url", [None, "https://models.example/v1"])
def test_missing_key(url: str | None) -> None:
    """Elsewhere a missing key is told at once, with the variable to set."""
    with pytest.raises(LLMError, match="OPENAI_API_KEY"):
        Client("tiny", base_url=url)


@pytest.mark.parametrize("url", ["127.0.0.1:8000/v1", "ftp://host/v1", "https://"])
def test_no_address(url: str) -> None:
    """What is no http address is told before anything is sent."""
    with pytest.raises(LLMError, match="not an http"):
        Client("tiny", base_url=url, api_key="k")


def test_schema_is_sent(model_server: Any) -> None:
    """A schema travels in the protocol's own form, to be enforced."""
    model_server.says("{}")
    reply = client(model_server).ask(ask(schema=SCHEMA))
    assert reply.structured
    assert model_server.asked[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": json.loads(SCHEMA)},
    }


@pytest.mark.parametrize("status", [400, 422, 500])
def test_schema_refused(model_server: Any, status: int) -> None:
    """A server without schemas is asked in ever plainer forms, then always in the plain one."""
    for _ in range(2):
        model_server.fails(status, "response_format: unknown type")
    model_server.says("{}")
    source = client(model_server)
    assert not source.ask(ask("one", schema=SCHEMA)).structured
    assert not source.ask(ask("two", schema=SCHEMA)).structured
    forms = [asked.get("response_format", {}).get("type") for asked in model_server.asked]
    assert forms == ["json_schema", "json_object", None, None]


def test_one_bad_schema(model_server: Any) -> None:
    """A schema that the server cannot compile is dropped for its own request only."""
    for _ in range(2):
        model_server.fails(400, "Invalid schema for response_format 'answer'")
    model_server.says("{}")
    source = client(model_server)
    assert not source.ask(ask("one", schema=SCHEMA)).structured
    assert source.ask(ask("two", schema=SCHEMA)).structured


def test_parameters_a_server_does_not_know(model_server: Any) -> None:
    """The newer name of the token limit is used where asked for, and the seed left out."""
    model_server.fails(400, "Use 'max_completion_tokens' instead of 'max_tokens'.")
    model_server.fails(422, "seed: extra inputs are not permitted")
    model_server.says("hi")
    client(model_server).ask(ask(max_tokens=9))
    last = model_server.asked[-1]
    assert last["max_completion_tokens"] == 9
    assert "max_tokens" not in last
    assert "seed" not in last


@pytest.mark.parametrize("status", [429, 500, 503])
def test_retry(model_server: Any, status: int) -> None:
    """A busy or failing server is asked again until it answers."""
    model_server.fails(status, "busy")
    model_server.fails(status, "busy")
    model_server.says("hi")
    assert client(model_server).ask(ask()).text == "hi"
    assert len(model_server.asked) == 3


def test_retry_with_a_schema(model_server: Any) -> None:
    """A busy server is not taken for one without schemas."""
    for _ in range(3):
        model_server.fails(429, "busy")
    model_server.says("{}")
    assert client(model_server, retries=3).ask(ask(schema=SCHEMA)).structured


@pytest.mark.parametrize(
    ("status", "message", "code", "words"),
    [
        (401, "Incorrect API key", "invalid_api_key", "OPENAI_API_KEY"),
        (403, "Not for you", None, "may use 'tiny'"),
        (404, "The model `tiny` does not exist", "model_not_found", "it offers tiny"),
        (404, "Not Found", None, "ends in /v1"),
        (429, "You exceeded your current quota", "insufficient_quota", "quota"),
        (500, "out of order", None, "server's log"),
        (400, "maximum context length is 4096 tokens", "context_length_exceeded", "longer context"),
        (400, "request exceeds the available context size, increase it", None, "too long"),
        (400, "Invalid model name passed in model=tiny", None, "it offers tiny"),
        (400, "'temperature' does not support 0 with this model.", "unsupported_value",
         "--temperature"),
        (400, "logprobs is not supported with this model", None, "HTTP 400"),
        (418, "a teapot", None, "HTTP 418"),
    ],
)  # fmt: skip
def test_errors(model_server: Any, status: int, message: str, code: str | None, words: str) -> None:
    """Every refusal by status becomes one line with the server's words and a remedy."""
    model_server.fails(status, message, code)
    with pytest.raises(LLMError) as caught:
        client(model_server).ask(ask())
    told = str(caught.value)
    assert words in told
    assert message in told
    assert "\n" not in told


def test_content_filter(model_server: Any) -> None:
    """A filter before the model refuses this request only."""
    model_server.fails(400, "The response was filtered", "content_filter")
    with pytest.raises(RefusalError, match="content filter"):
        client(model_server).ask(ask())


@pytest.mark.parametrize(
    ("finish", "refusal"), [("stop", "I cannot help with that."), ("content_filter", None)]
)
def test_refusal(model_server: Any, finish: str, refusal: str | None) -> None:
    """A model that declines raises RefusalError with its words."""
    model_server.answers.append(model_server.chat("", finish=finish, refusal=refusal))
    with pytest.raises(RefusalError, match=refusal or "content filter"):
        client(model_server).ask(ask())


def test_empty_refusal(model_server: Any) -> None:
    """A server that fills in an empty refusal has not refused."""
    model_server.answers.append(model_server.chat("hi", refusal=""))
    assert client(model_server).ask(ask()).refusal is None


def test_cut_off(model_server: Any, tmp_path: Path) -> None:
    """A cut-off answer is an error that names the limit, or kept where asked for; so from cache."""
    model_server.answers.append(model_server.chat("half an", finish="length"))
    source = client(model_server, cache=Cache(tmp_path))
    for _ in range(2):
        with pytest.raises(CutOffError, match="max_tokens=5"):
            source.ask(ask(max_tokens=5))
    assert source.ask(ask(max_tokens=5), cut_off="keep").text == "half an"
    assert len(model_server.asked) == 1


@pytest.mark.parametrize(
    "body",
    [b"{ not json", b"", b"[]", b"{}", b'{"choices": []}', b'"hello"', b'{"choices": 3}'],
)
def test_malformed_answer(model_server: Any, body: bytes) -> None:
    """An answer that is not of the protocol is told as such."""
    model_server.says("")
    model_server.answers[0].body = body
    with pytest.raises(LLMError, match="not as an OpenAI-compatible"):
        client(model_server).ask(ask())


def test_odd_characters(model_server: Any, tmp_path: Path) -> None:
    """Any characters survive the cache; half a surrogate pair becomes a question mark."""
    model_server.says("naïve \u2028\x00 \U0001f600 \ud800")
    source = client(model_server, cache=Cache(tmp_path))
    for _ in range(2):
        assert source.ask(ask("\u2028 \U0001f600")).text == "naïve \u2028\x00 \U0001f600 ?"


def test_web_page(model_server: Any) -> None:
    """A web page instead of an answer points at the base URL."""
    model_server.says("")
    model_server.answers[0].body = b"<html>Welcome</html>"
    model_server.answers[0].headers = {"Content-Type": "text/html"}
    with pytest.raises(LLMError, match="ends in /v1"):
        client(model_server).ask(ask())


def test_nothing_listens() -> None:
    """An address where nothing listens is told as such."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(LLMError, match="cannot reach"):
            Client("tiny", base_url=url, retries=0).ask(ask())


def test_too_slow(model_server: Any) -> None:
    """A server that does not answer in time is given up, with the time it had."""
    model_server.says("late")
    model_server.answers[0].is_held = True
    with pytest.raises(LLMError, match=r"within 0\.1 seconds"):
        client(model_server, timeout=0.1, retries=0).ask(ask())


def test_cache(model_server: Any, tmp_path: Path) -> None:
    """A request answered before is not sent again, by this client or a later one."""
    model_server.says("first", "second")
    source = client(model_server, cache=Cache(tmp_path))
    first = source.ask(ask(index=0))
    assert source.ask(ask(index=1)).text == "second"
    later = client(model_server, cache=Cache(tmp_path))
    assert later.ask(ask(index=0)) == first
    assert len(model_server.asked) == 2
    assert (later.usage.requests, later.usage.recorded, later.usage.recorded_tokens) == (0, 1, 12)


def test_damaged_cache(model_server: Any, tmp_path: Path) -> None:
    """A damaged file in the cache is named, not used."""
    model_server.says("hi")
    cache = Cache(tmp_path)
    client(model_server, cache=cache).ask(ask())
    path = cache.path(ask())
    path.write_text(path.read_text().replace("hello", "hullo"))
    with pytest.raises(InputError, match=str(path)):
        client(model_server, cache=cache).ask(ask())


def test_usage_and_cost(model_server: Any) -> None:
    """Tokens add up, and cost what their prices say."""
    model_server.says("hi")
    source = client(model_server)
    for index in range(3):
        source.ask(ask(index=index))
    usage = source.usage
    assert (usage.requests, usage.prompt_tokens, usage.completion_tokens) == (3, 21, 15)
    assert usage.cost(Prices(prompt=1.0, completion=2.0)) == pytest.approx(51e-6)


def test_each_keeps_order(model_server: Any) -> None:
    """Many requests at once come back in the order asked, each with its own answer."""
    model_server.answers.append(lambda asked: model_server.chat(asked["messages"][0]["content"]))
    source = client(model_server, concurrency=4)
    words = [f"word {number}" for number in range(30)]
    assert list(source.each(lambda word: source.ask(ask(word)).text, words)) == words


def test_each_stops_at_an_error(model_server: Any) -> None:
    """After an error the rest of a long list is not asked for."""
    model_server.fails(401, "no")
    source = client(model_server, concurrency=2)
    with pytest.raises(LLMError):
        list(source.each(lambda word: source.ask(ask(str(word))), range(1000)))
    assert len(model_server.asked) < 20


def test_each_may_end_in_its_own_thread(model_server: Any) -> None:
    """A generator left early may be closed in one of its own threads, as the collector may."""
    is_left, is_closed = threading.Event(), threading.Event()

    def work(item: int) -> None:
        if item == 1:
            is_left.wait(60)
            answers.close()
            is_closed.set()

    answers: Any = client(model_server, concurrency=1).each(work, range(100))
    next(answers)
    is_left.set()
    assert is_closed.wait(60)
