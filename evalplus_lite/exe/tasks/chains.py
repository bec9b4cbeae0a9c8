"""Longer tasks from proved ones: chains by type (the paper's section 2.2).

A chain feeds one function's result to another whose sole required parameter has that type.
"""

from __future__ import annotations

import ast
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evalplus_lite.exe.inputs.validators import CORE, Executed, judge, select
from evalplus_lite.exe.reading.names import bound_names
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import (
    CPU_SECONDS,
    CallableProgram,
    CallResult,
    Invocation,
    is_answer,
    measure,
    normal,
    run,
    text,
)
from evalplus_lite.exe.selecting.signatures import Signature
from evalplus_lite.exe.selecting.static import MAX_CODE
from evalplus_lite.exe.statistics.counting import COUNTERS, instrument
from evalplus_lite.exe.statistics.measures import static_statistics
from evalplus_lite.exe.tasks.mined import MinedTask
from evalplus_lite.exe.tasks.worth import FEW_ANSWERS, counted_cases, shows
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.generate.engine.pool import in_turn
from evalplus_lite.programs.definitions import first_line
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Value


def merge(programs: Sequence[str], last: str) -> str | None:
    """Return programs as one, equal statements once; None where a name has two meanings."""
    imports: dict[str, None] = {}
    meaning: dict[str, str] = {}
    parts: list[str] = []
    kept: set[str] = set()
    for program in [*programs, last]:
        earlier = frozenset(kept)  # a program's own statements may be there twice, and run twice
        tree = ast.parse(program)
        lines = program.split("\n")
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                continue
            source = "\n".join(lines[first_line(node) - 1 : node.end_lineno])
            singles = [*_imported(node)]
            names = [(name, what) for _, name, what in singles]
            for name, what in names or [(name, source) for name in sorted(bound_names([node]))]:
                if meaning.setdefault(name, what) != what:
                    return None
            if singles:
                imports.update(dict.fromkeys(single for single, _, _ in singles))
            elif source not in earlier:
                kept.add(source)
                parts.append(source)
    head = "from __future__ import annotations\n\n" + "\n".join(sorted(imports))
    return head.rstrip() + "\n\n\n" + "\n\n\n".join(parts) + "\n"


def _imported(node: ast.stmt) -> Iterator[tuple[str, str, str]]:
    """Yield each name that an import binds: as an import of its own, the name, and its meaning."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            meaning = f"import {alias.name if alias.asname else root}"
            yield ast.unparse(ast.Import([alias])), alias.asname or root, meaning
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            single = ast.unparse(ast.ImportFrom(node.module, [alias], node.level))
            yield single, alias.asname or alias.name, f"from {node.module} import {alias.name}"


TRIED = 10
"""Chains of a length that end in one function that are put together at most."""
TRIES = 2
"""Chains that are run at most, for each one that is wanted."""
MOST_STEPS = 20_000
"""Steps of a call, as of one function's."""
MOST_SLOW = 2
"""Chains that end in one function and take too long, before no more of these are tried."""


def feeds(result: Type, signature: Signature) -> bool:
    """Return whether a result of this type can be a function's only required argument."""
    parameters = signature.parameters
    if not parameters or parameters[0].kind != "positional":
        return False
    if any(p.is_required for p in parameters[1:]):
        return False
    wanted = parameters[0].type
    return result == wanted or (wanted.kind == "union" and result in wanted.arguments)


def chain(*links: MinedTask) -> MinedTask | None:
    """Return ``last(...(second(first(...))))`` with the first one's calls, which are still to run.

    None where types do not fit or names clash.
    """
    inner = links[0].signature
    if any(p.kind != "positional" for p in inner.parameters):
        return None
    if not all(feeds(a.signature.result, b.signature) for a, b in itertools.pairwise(links)):
        return None
    nested = ", ".join(p.name for p in inner.parameters)
    for link in links:
        nested = f"{link.entry_point}({nested})"
    parameters = ", ".join(
        p.name if p.default is None else f"{p.name}={p.default}" for p in inner.parameters
    )
    body = f"def chained({parameters}):\n    return {nested}\n"
    code = merge([link.code for link in links], body)
    if code is None:
        return None
    every = [link.facts for link in links]
    sources = itertools.chain(every[0].get("sources", ()), itertools.repeat(""))
    pairs = zip(links[0].cases, sources, strict=False)
    known = [pair for pair in pairs if pair[0].answer.kind == "value"]
    ids = [link.id for link in links]
    facts = {
        "package": "+".join(sorted({str(each.get("package", "")) for each in every})),
        "licence": " AND ".join(sorted({str(each.get("licence", "")) for each in every})),
        "origins": list({str(o): o for each in every for o in each.get("origins", ())}.values()),
        "tags": sorted({tag for each in every for tag in each.get("tags", ())}),
        "python": every[0].get("python", ""),
        "signature": Signature(inner.parameters, links[-1].signature.result).to_json(),
        "parts": ids,
        "sources": [source for _, source in known],
    }
    cases = tuple(case for case, _ in known)
    return MinedTask(f"chain/{'>'.join(ids)}", code, "chained", cases, facts)


def _is_dated(found: Type) -> bool:
    """Return whether a result holds dates: what they would feed takes them as text."""
    return found.kind in ("date", "datetime") or any(map(_is_dated, found.arguments))


def chained_tasks(
    tasks: Sequence[MinedTask],
    sandboxes: Sandboxes,
    *,
    count: int,
    seed: int,
    links: int = 2,
    least: int = 0,
) -> Iterator[MinedTask]:
    """Yield up to ``count`` tasks that are chains, each validated on its own runs.

    Chains have two to ``links`` functions of one package, no function twice, whose median runs
    together execute ``least`` lines. Every link changes the value, and gives more than two
    different ones. Each function is the last of one before any is of two, and for each at most
    ``TRIED`` of a length are put together: the work grows with ``count``, not with the pairs that
    there are.
    """
    usable = [task for task in tasks if "signature" in task.facts and _is_link(task)]
    by_result: dict[Type, list[MinedTask]] = defaultdict(list)
    for task in usable:
        if not _is_dated(task.signature.result):
            by_result[task.signature.result].append(task)
    random.Random(f"{seed}:chain").shuffle(usable)

    def is_long(walk: Sequence[MinedTask]) -> bool:
        lines = (each.facts.get("difficulty", {}).get("lines", 0) for each in walk)
        return bool(sum(lines) >= least)

    def ending_in(last: MinedTask) -> Iterator[MinedTask]:
        # In an order of the function's own, short and long ones in turn.
        rng = random.Random(f"{seed}:chain:{last.id}")
        every = (_walks((last,), by_result, rng, length) for length in range(2, links + 1))
        walks = in_turn([itertools.islice(filter(is_long, each), TRIED) for each in every])
        for found in itertools.starmap(chain, walks):
            if found is not None and len(found.code) <= MAX_CODE:
                yield found

    made: set[str] = set()
    slow: Counter[str] = Counter()
    for found in itertools.islice(in_turn([*map(ending_in, usable)]), TRIES * count):
        ends = found.facts["parts"][-1]
        if found.id in made or slow[ends] >= MOST_SLOW:
            continue
        try:
            built = _executed(found, sandboxes)
        except TimeoutError:
            slow[ends] += 1
            continue
        if built is not None:
            made.add(found.id)
            yield built
        if len(made) >= count:
            return


def _changing(
    chained: MinedTask, calls: Sequence[Invocation], answers: Sequence[CallResult], box: Sandbox
) -> set[str]:
    """Return the keys of calls in which every link changes the value; none if some give only two.

    A value that is wrapped, spelled in another case or punctuated otherwise is not changed, nor is
    one that can be seen in a later one.
    """
    # The same program, whose last line returns the values of all links but the last.
    head, line, nested = chained.code.rpartition("    return ")
    whole = ast.parse(nested, mode="eval").body
    links: list[str] = []
    for _ in chained.facts["parts"][1:]:
        assert isinstance(whole, ast.Call)
        whole = whole.args[0]
        links.insert(0, ast.unparse(whole))
    program = CallableProgram(chained.entry_point, code=f"{head}{line}[{', '.join(links)}]\n")
    found = run(box, program, calls, max_slow=1)
    if found.failure:
        return set()
    changing: set[str] = set()
    given: list[set[str]] = [set() for _ in chained.facts["parts"]]
    for call, before, answer in zip(calls, found.answers, answers, strict=True):
        if not (isinstance(before.value, list) and is_answer(answer)):
            continue  # a link before the last raised
        values = before.value + [answer.value] * (answer.kind == "value")
        words = [_letters(value) for value in values]
        if (
            len({*words}) == len(words)
            and _is_changed(call, values[0])
            and not any(shows([a], b) for a, b in itertools.combinations(values, 2))
        ):
            changing.add(call.key)
            for seen, word in zip(given, words, strict=False):
                seen.add(word)
    return changing if all(len(seen) > FEW_ANSWERS for seen in given) else set()


def _is_link(task: MinedTask) -> bool:
    """Return whether half of a task's cases change their arguments, to more than two values."""
    values = [case for case in task.cases if case.answer.kind == "value"]
    changed = {c.answer.key: c for c in values if _is_changed(c.call, c.answer.value)}
    same = sum(not _is_changed(case.call, case.answer.value) for case in values)
    return 2 * same <= len(values) and len(changed) > FEW_ANSWERS


def _is_changed(call: Invocation, value: Value) -> bool:
    """Return whether a value is none of the arguments, and does not show them."""
    return _letters(value) not in map(_letters, call.values) and not shows(call.values, value)


def _letters(value: Value) -> str:
    """Return the letters and digits of a value, in lower case."""
    return "".join(filter(str.isalnum, text(normal(value)))).casefold()


def _walks(
    end: tuple[MinedTask, ...],
    by_result: Mapping[Type, Sequence[MinedTask]],
    rng: random.Random,
    links: int,
) -> Iterator[tuple[MinedTask, ...]]:
    """Yield sequences of so many functions with this end, each feeding the next."""
    if len(end) == links:
        yield end
        return
    given = end[0].signature.parameters
    if not given:
        return
    wanted = given[0].type
    types = (wanted, *(wanted.arguments if wanted.kind == "union" else ()))
    pool = [task for each in types for task in by_result.get(each, ())]
    for feeder in rng.sample(pool, min(TRIED, len(pool))):
        # Functions of one package, so that what one gives means something to the next.
        is_new = all(feeder is not each for each in end)
        is_new = is_new and feeder.facts.get("package") == end[0].facts.get("package")
        if is_new and feeds(feeder.signature.result, end[0].signature):
            yield from _walks((feeder, *end), by_result, rng, links)


def _executed(chained: MinedTask, sandboxes: Sandboxes) -> MinedTask | None:
    """Return a chain with the answers of its own runs; None if too few are worth asking.

    Raises TimeoutError if a call takes too long.
    """
    subject = CallableProgram(chained.entry_point, code=chained.code)
    sources = {
        case.call.key: source
        for case, source in zip(chained.cases, chained.facts["sources"], strict=True)
    }
    written = instrument(chained.code, chained.entry_point)
    if written is None:
        return None
    every = {case.call.key: case.call for case in chained.cases}
    # Counted first, and cut short by steps: what one function gives may be too much for another.
    counting = CallableProgram(chained.entry_point, code=written.code)
    counted = measure(
        sandboxes.plain,
        counting,
        every.values(),
        COUNTERS,
        budget=MOST_STEPS,
        cpu=CPU_SECONDS,
        max_slow=1,
    )
    if counted.late:  # few steps of it take long, with numbers of a million digits, say
        raise TimeoutError
    pairs = zip(every, counted.calls, strict=True)
    runs = {key: each for key, each in pairs if each and each.is_whole}
    calls = [every[key] for key in runs]
    answers = run(sandboxes.plain, subject, calls, max_slow=1)
    again = run(sandboxes.others[0], subject, calls, variant=1, max_slow=1)
    if answers.failure or [a.key for a in answers.answers] != [a.key for a in again.answers]:
        return None
    changing = _changing(chained, calls, answers.answers, sandboxes.plain)
    cases = select(
        [
            Executed(call, answer, is_accident=f"raise {answer.type}" not in chained.code)
            for call, answer in zip(calls, answers.answers, strict=True)
            if call.key in changing
        ]
    )
    if CORE & {*judge(cases)} or len(cases) < 3:
        return None
    answered = [(case.call, case.answer) for case in cases]
    rows, measured = counted_cases(answered, [runs[c.call.key] for c in cases], is_driven=True)
    facts = {
        **chained.facts,
        "sources": [sources[case.call.key] for case in cases],
        "static": static_statistics(chained.code, chained.entry_point),
        **measured,
    }
    return replace(chained, cases=rows, facts=facts)
