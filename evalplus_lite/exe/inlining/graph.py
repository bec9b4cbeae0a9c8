"""Blocks of a program, their needs, and an order in which they load."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """One block of the inlined program.

    ``statement``: ``where`` is its module, ``position`` its place there. ``import``: ``where`` is
    the module and ``member`` the name taken from it, bound to ``name``. ``alias``: ``name =
    member``. ``namespace``: ``name`` stands for the module ``where``.
    """

    kind: Literal["alias", "import", "namespace", "statement"]
    where: str
    position: int = 0
    name: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Obstacle:
    """One reason why a function cannot be inlined."""

    reason: str
    detail: str

    def __str__(self) -> str:
        """Say it in a line, with the detail where the reason does not end in it."""
        parts = [self.reason] if self.reason else []
        if self.detail and not self.reason.endswith(self.detail):
            parts.append(self.detail)
        return ": ".join(parts)


Edges: TypeAlias = Mapping[Node, Mapping[Node, bool]]
"""Node -> what it needs -> whether while loading."""


def ordered(edges: Edges) -> list[Node] | Obstacle:
    """Return every node after what it needs; an Obstacle if loading goes in a circle.

    Circles of calls are fine: within one, only the needs of loading count.
    """
    component = _components(edges)
    groups: dict[int, list[Node]] = {}
    for node, number in component.items():
        groups.setdefault(number, []).append(node)
    waiting: dict[int, set[int]] = {number: set() for number in groups}
    users: dict[int, set[int]] = {number: set() for number in groups}
    for node, needs in edges.items():
        for needed in needs:
            a, b = component[node], component[needed]
            if a != b:
                waiting[a].add(b)
                users[b].add(a)
    keys = {number: min(_rank(n) for n in nodes) for number, nodes in groups.items()}
    ready = [(keys[number], number) for number, needed in waiting.items() if not needed]
    heapq.heapify(ready)
    order: list[Node] = []
    while ready:
        _, number = heapq.heappop(ready)
        circle = _circle(groups[number], edges)
        if isinstance(circle, Obstacle):
            return circle
        order += circle
        for user in sorted(users[number]):
            waiting[user].discard(number)
            if not waiting[user]:
                heapq.heappush(ready, (keys[user], user))
    return order


def _circle(nodes: list[Node], edges: Edges) -> list[Node] | Obstacle:
    if len(nodes) == 1:
        return nodes
    inside = set(nodes)
    waiting = {
        node: {n for n, loading in edges[node].items() if loading and n in inside} for node in nodes
    }
    order: list[Node] = []
    while waiting:
        ready = sorted((n for n, needs in waiting.items() if not needs), key=_rank)
        if not ready:
            return Obstacle("circle while loading", ", ".join(sorted(n.where for n in waiting)))
        order.append(ready[0])
        del waiting[ready[0]]
        for needs in waiting.values():
            needs.discard(ready[0])
    return order


def _rank(node: Node) -> tuple[int, str, int, str]:
    return (0 if node.kind == "import" else 1, node.where, node.position, node.name)


def _components(edges: Edges) -> dict[Node, int]:
    """Return each node's strongly connected component (Tarjan's algorithm, without recursion)."""
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    component: dict[Node, int] = {}
    stack: list[Node] = []
    for start in sorted(edges, key=_rank):
        if start in number:
            continue
        work = [(start, iter(sorted(edges[start], key=_rank)))]
        number[start] = low[start] = len(number)
        stack.append(start)
        while work:
            node, needs = work[-1]
            for needed in needs:
                if needed not in number:
                    number[needed] = low[needed] = len(number)
                    stack.append(needed)
                    work.append((needed, iter(sorted(edges[needed], key=_rank))))
                    break
                if needed not in component:
                    low[node] = min(low[node], number[needed])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    count = len(set(component.values()))
                    while True:
                        member = stack.pop()
                        component[member] = count
                        if member == node:
                            break
    return component
