"""Protocols of others: their own clients, or requests as these send them."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from serving.conftest import Running

CONSTANT = "class Sly:\n    def __eq__(self, other): return True\ndef f(x): return Sly()"


def ask(server: Running, path: str, body: Any) -> dict[str, Any]:
    response = server.client.post(path, json=body)
    assert response.status_code == 200, response.text
    assert response.headers["evalplus-lite-tier"]
    found: dict[str, Any] = response.json()
    return found


class TestPlainRuns:
    """``/run_code``: what a program prints, and how it ends."""

    def run(self, server: Running, code: str, **more: Any) -> dict[str, Any]:
        body = {"code": code, "language": "python", **more}
        found = ask(server, "/run_code", body)
        return {**found, **found["run_result"]}

    def test_streams_and_ends(self, server: Running) -> None:
        """As an interpreter runs a file; time and signals are told apart, floods are cut."""
        code = "import sys\nprint(input()[::-1])\nprint('no', file=sys.stderr)\nexit(3)"
        found = self.run(server, code, stdin="abc\n")
        assert (found["stdout"], found["stderr"]) == ("cba\n", "no\n")
        assert found["return_code"] == 3
        raised = self.run(server, "print(1)\n1 / 0")
        assert raised["return_code"] == 1
        assert 'File "main.py", line 2' in raised["stderr"]
        assert "ZeroDivisionError" in raised["stderr"]
        late = self.run(server, "while True: pass", run_timeout=0.2)
        assert late["run_result"]["status"] == "TimeLimitExceeded"
        assert late["return_code"] is None
        dead = self.run(server, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
        assert dead["return_code"] == -11
        left = self.run(server, "import os; print('x', flush=True); os._exit(5)")
        assert (left["stdout"], left["return_code"]) == ("x\n", 5)
        for end in ("sys.stdout.close()", "sys.stdout = None"):
            closed = self.run(server, f"import sys; print('x', flush=True); {end}")
            assert (closed["stdout"], closed["return_code"]) == ("x\n", 0)
        code = "import sys\nfor _ in range(1000): sys.stdout.write('y' * 100_000)\nprint('end')"
        found = self.run(server, code)
        assert found["return_code"] == 0
        assert len(found["stdout"]) == 1 << 20
        assert "100000004 bytes" in found["message"]

    def test_files(self, server: Running) -> None:
        """Files beside the program can be read, and what it writes, up to 16 MiB, fetched."""
        code = "import os\nopen('b', 'wb').write(open('data/a.txt', 'rb').read() * (1 << 19))\n"
        code += "for n in range(32): os.symlink('b', f'b{n}')"
        names = ["c", *(f"b{n}" for n in range(32))]
        given = {"data/a.txt": base64.b64encode(b"17").decode()}
        body = {"code": code, "language": "python", "files": given, "fetch_files": names}
        response = server.client.post("/run_code", json=body)
        if response.headers["evalplus-lite-tier"] != "namespaces":
            assert response.status_code == 422
            return
        assert response.json()["run_result"]["return_code"] == 0
        files = response.json()["files"]
        assert [*files] == names[1:17]
        assert base64.b64decode(files["b0"]) == b"17" * (1 << 19)

    @pytest.mark.parametrize(
        "paths",
        [
            ["/etc/x"],
            ["../x"],
            [""],
            ["a/../../x"],
            ["."],
            ["a/"],
            ["a//b"],
            ["é" * 200],
            ["a\0"],
            ["main.py"],
            ["./main.py"],
            ["a", "./a"],
            ["a/b/c", "a"],
        ],
    )
    def test_a_path_that_cannot_be_is_refused(self, server: Running, paths: list[str]) -> None:
        """Files are relative to where the program runs, and each has its own place."""
        body = {"code": "", "language": "python", "files": dict.fromkeys(paths)}
        response = server.client.post("/run_code", json=body)
        assert response.status_code == 422
        assert repr(paths[-1][:20])[:-1] in response.json()["error"]["message"]


class TestSandboxFusion:
    """Its own client speaks to the server as it does to SandboxFusion."""

    @pytest.fixture
    def fusion(self, server: Running, monkeypatch: pytest.MonkeyPatch) -> Any:
        client = pytest.importorskip("sandbox_fusion", reason="its client is not installed")
        monkeypatch.setenv("NO_PROXY", "*")
        client.set_endpoint(server.url)
        return client

    def test_run_code(self, fusion: Any) -> None:
        """Success, failure and a time limit, in its words."""

        def run(code: str, **more: Any) -> Any:
            request = fusion.RunCodeRequest(code=code, language="python", **more)
            return fusion.run_code(request, max_attempts=1)

        good = run("print(input())", stdin="hello")
        assert (good.status, good.run_result.stdout) == ("Success", "hello\n")
        assert (good.run_result.status, good.run_result.return_code) == ("Finished", 0)
        bad = run("raise SystemExit(4)")
        assert (bad.status, bad.run_result.return_code) == ("Failed", 4)
        late = run("while 1: pass", run_timeout=0.2)
        assert (late.status, late.run_result.status) == ("Failed", "TimeLimitExceeded")
        assert late.run_result.return_code is None

    def test_submit(self, fusion: Any) -> None:
        """Problems of data sets that are loaded, with texts, and with assertions."""

        def submit(dataset: str, id: Any, completion: str, **config: Any) -> Any:
            request = fusion.SubmitRequest(
                dataset=dataset,
                id=id,
                completion=completion,
                config=fusion.TestConfig(language="python", **config),
            )
            return fusion.submit(request, max_attempts=1)

        assert submit("tasks", "double", "```python\ndef double(x): return 2 * x\n```").accepted
        assert not submit("tasks", "Own/double", "def double(x): return x").accepted
        tests = [
            {"input": {"stdin": f"{n}\n"}, "output": {"stdout": f"{n + 1}"}} for n in range(12)
        ]
        row = {"id": 7, "content": "", "labels": {}, "test": tests, "canonical_solution": ""}
        found = submit("any", 7, "print(int(input()) + 1)", provided_data=[row],
                       dataset_type="CommonOJDataset")  # fmt: skip
        assert found.accepted
        assert [each.passed for each in found.tests] == [True] * 12
        tenth = "n = int(input())\nprint(n + 1 if n != 10 else 0)"
        found = submit("any", 7, tenth, provided_data=row)
        assert not found.accepted
        assert [n for n, each in enumerate(found.tests) if not each.passed] == [10]
        code = "def check(candidate):\n    assert candidate(2) == 3\n\ncheck(f)"
        auto = {"id": "a", "content": "", "test": {"code": code},
                "labels": {"programming_language": "python"}}  # fmt: skip
        kind = {"provided_data": auto, "dataset_type": "AutoEvalDataset"}
        good = submit("auto", "a", "```python\ndef f(x):\n    return x + 1\n```", **kind)
        assert (good.accepted, good.extracted_type) == (True, "fenced")
        assert not submit("auto", "a", CONSTANT, **kind).accepted

    @pytest.mark.parametrize("labels", [None, [], 5, "[1]", {"programming_language": "python"}])
    def test_labels_that_say_nothing(self, server: Running, labels: Any) -> None:
        """Or that it is Python, as everything here is."""
        row = {"id": 1, "content": "", "test": {"code": "assert f(1) == 2"}, "labels": labels}
        body = {"dataset": "any", "id": 1, "completion": "def f(x): return x + 1",
                "config": {"language": "python", "provided_data": row}}  # fmt: skip
        assert ask(server, "/submit", body)["accepted"]


class TestOpenInstruct:
    """``/test_program`` and ``/test_program_stdio``: a result and a running time for each test."""

    def test_assertions(self, server: Running) -> None:
        """Compared outside the program's process, each after what comes before it; all count."""
        tests = ["assert add(1, 2) == 3", "assert add(-1, 1) == 0", "assert add(0, 0) == 1"]
        body = {"program": "def add(a, b): return a + b", "tests": tests}
        found = ask(server, "/test_program", body)
        assert found["results"] == [1, 1, 0]
        assert found["runtimes"][2] == -1.0
        assert all(each >= 0 for each in found["runtimes"][:2])
        found = ask(server, "/test_program", {**body, "tests": json.dumps(tests)})
        assert found["results"] == [1, 1, 0]
        tests = ["assert f(1) == 2", "x = f(1)\nassert x == 2", "assert f(1) in (2, 3)"]
        found = ask(server, "/test_program", {"program": CONSTANT, "tests": tests})
        assert found["results"][:2] == [0, 0]
        program = "class S(list):\n    def empty(self): return not self"
        test = "s = S()\ns.append(4)\nassert s.pop() == 4\nassert s.empty()"
        loop = "for i in range(3):\n    assert S() == []"
        found = ask(server, "/test_program", {"program": program, "tests": [test, loop, "1 / 0"]})
        assert found["results"] == [1, 1, 0]
        assert found["inside"] == 2
        program = "import numpy\ndef f(n): return numpy.arange(n)"
        tests = [
            "import numpy as np\nassert np.allclose(f(2), np.array([0, 1]))",
            "import numpy as np\nassert (f(2) == np.array([0, 1])).all()",
            "assert abs(sum(f(2)) - len(f(1))) < 0.5",
            "assert f(3).tolist() == [0, 1, 2]",
        ]
        found = ask(server, "/test_program", {"program": program, "tests": tests})
        assert found["results"] == [1, 1, 1, 1]
        assert found["inside"] == 3
        program = "def f(x):\n    while x == 3: pass\n    return x if x > 14 else -1"
        tests = [f"assert f({n}) == {n}" for n in range(20)]
        body = {"program": program, "tests": tests, "max_execution_time": 0.2}
        assert ask(server, "/test_program", body)["results"] == [0] * 15 + [1] * 5
        program = "n = int(input())\nfor i in range(n): print(i)"
        tests = [{"input": "2\n", "output": "0\n1"}, {"input": "1\n", "output": "0\n1\n"}]
        found = ask(server, "/test_program_stdio", {"program": program, "tests": tests})
        assert found["results"] == [1, 0]


class TestNemoGym:
    """``/verify``: the request comes back with a reward."""

    def request(self, text: str, **tests: Any) -> dict[str, Any]:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        message = {"type": "message", "role": "assistant", "content": content}
        return {
            "responses_create_params": {"input": [{"role": "user", "content": "do"}]},
            "response": {"id": "r1", "model": "m", "output": [{"type": "reasoning"}, message]},
            "verifier_metadata": {"unit_tests": tests},
        }

    def test_rewards(self, server: Running) -> None:
        """For texts and calls, when all tests pass; what comes along comes back."""
        tests = {"inputs": ["1 2", "3 4"], "outputs": ["3\n", "7\n"]}
        answer = "Here:\n```python\nprint(sum(map(int, input().split())))\n```"
        found = ask(server, "/verify", self.request(answer, **tests))
        assert (found["reward"], found["result"]) == (1.0, [True, True])
        assert found["response"]["id"] == "r1"
        assert "print(sum" in found["extracted_model_code"]
        wrong = ask(server, "/verify", self.request("print(3)", **tests))
        assert (wrong["reward"], wrong["result"]) == (0.0, [True, False])
        assert ask(server, "/verify", self.request(" ", **tests))["reward"] == 0.0
        tests = {"inputs": ["[1, 2]\n3", "[]\n0"], "outputs": ["6", "0"], "fn_name": "total"}
        body = "total(self, xs, y):\n        return sum(xs) + y"
        method = f"```python\nclass Solution:\n    def {body}\n```"
        function = "def total(xs, y): return sum(xs) + y"
        for answer in (method, function):
            assert ask(server, "/verify", self.request(answer, **tests))["reward"] == 1.0
        lists = {"inputs": [[[1, 2], 3], [[], 0]], "outputs": [6, 0], "fn_name": "total"}
        assert ask(server, "/verify", self.request(function, **lists))["reward"] == 1.0
        data = json.dumps({key: tests[key] for key in ("inputs", "outputs")}).encode()
        packed = base64.b64encode(zlib.compress(data)).decode()
        again = self.request(function, packed=packed, fn_name="total")
        assert ask(server, "/verify", again)["reward"] == 1.0
        body = self.request("print(1)", inputs=["", ""], outputs=["1", "1"])
        text = json.dumps({**body, "logprob": float("nan"), "id": 7})
        response = server.client.post("/verify", content=text)
        assert response.status_code == 200
        assert (response.json()["reward"], response.json()["id"]) == (1.0, 7)


def test_the_description_names_every_endpoint(server: Running) -> None:
    """Its references lead somewhere."""
    found = server.client.get("/openapi.json").json()
    assert {"/v1/verify", "/run_code", "/test_program", "/verify"} <= found["paths"].keys()
    text = json.dumps(found)
    for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in found["components"]["schemas"]


def unit_tests(tests: dict[str, Any]) -> dict[str, Any]:
    return {"response": {"output": []}, "verifier_metadata": {"unit_tests": tests}}


PROGRAM = {"program": "x = 1", "tests": ["assert x == 1"]}
SUBMIT = {"dataset": "any", "id": 7, "completion": "x = 1"}
STDIO = {"program": "", "tests": [{"input": "", "output": ""}]}
PICKLE = base64.b64encode(b"\x80\x04.").decode()
LARGE = base64.b64encode(zlib.compress(b'{"inputs": [' + b"[]," * (1 << 20) + b"[]]}")).decode()
NAN = float("nan")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/run_code", {"code": "int main(){}", "language": "cpp"}),
        # An empty list of results would be a full reward.
        *(("/test_program", {**PROGRAM, "tests": each}) for each in (None, [], "[]", "null", {})),
        ("/test_program", {**PROGRAM, "tests": PICKLE}),
        ("/test_program", {**PROGRAM, "tests": ["assert x == 1", "assert x =="]}),
        ("/submit", {**SUBMIT, "config": {"provided_data": {"test": {"code": "assert f("}}}}),
        ("/verify", unit_tests({"inputs": [], "outputs": []})),
        ("/verify", unit_tests({"packed": LARGE})),
        # Every comparison with NaN is false: right programs would fail.
        *(("/test_program", {**PROGRAM, "max_execution_time": n}) for n in (False, "5", [1], NAN)),
        ("/test_program_stdio", {**STDIO, "max_execution_time": NAN}),
        ("/run_code", {"code": "1", "language": "python", "run_timeout": NAN}),
        ("/v1/verify", {"program": "1", "task": {}, "limits": {"seconds": NAN}}),
    ],
)
def test_what_cannot_be_judged_is_a_mistake(server: Running, path: str, body: Any) -> None:
    """Of the request, not of the program: no result and no reward."""
    response = server.client.post(path, content=json.dumps(body).encode())
    assert response.status_code == 422, response.text
    assert response.json()["error"]["kind"] == "input"
