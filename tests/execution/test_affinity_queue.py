"""Items of one key meet one place, and no place is idle while items wait."""

from __future__ import annotations

from evalplus_lite.execution.affinity_queue import AffinityQueue


def filled(*items: str) -> AffinityQueue[str]:
    """Return a queue of items whose first letter is their key."""
    queue: AffinityQueue[str] = AffinityQueue()
    for item in items:
        queue.add(item, item[0])
    return queue


def test_a_place_keeps_its_keys() -> None:
    """Each place goes on with the key that it has begun, then takes the oldest free one."""
    queue = filled("a1", "a2", "b1", "b2", "c1")
    assert [queue.take(1), queue.take(2)] == ["a1", "b1"]
    assert [queue.take(1), queue.take(1)] == ["a2", "c1"]
    queue.add("c2", "c")
    queue.add("b3", "b")
    assert [queue.take(1), queue.take(2), queue.take(2)] == ["c2", "b2", "b3"]


def test_an_idle_place_helps() -> None:
    """Where only another's items wait, the newest of them is taken; its owner stays the owner."""
    queue = filled("a1", "a2", "a3", "a4")
    assert queue.take(1) == "a1"
    assert queue.take(2) == "a4"
    assert queue.take(1) == "a2"
    queue.add("a5", "a")
    assert [queue.take(1), queue.take(1), queue.take(1)] == ["a3", "a5", None]
    assert queue.count == 0


def test_what_a_lost_place_had_goes_to_others() -> None:
    """Items that were taken come back first, and belong to nobody."""
    queue = filled("a1", "a2", "b1")
    taken = [queue.take(1), queue.take(1)]
    queue.forget(1)
    for item in reversed(taken):
        assert item is not None
        queue.put_back(item, item[0])
    assert [queue.take(2) for _ in range(4)] == ["b1", "a1", "a2", None]


def test_all_can_be_let_go() -> None:
    """What waits, owned or not, is returned when the queue is cleared."""
    queue = filled("a1", "a2", "b1")
    queue.take(1)
    assert sorted(queue.clear()) == ["a2", "b1"]
    assert queue.take(1) is None
