"""Items of one key meet one place, and no place is idle while items wait."""

from __future__ import annotations

from evalplus_lite.execution.affinity_queue import AffinityQueue


def filled(*items: str) -> AffinityQueue[str]:
    """Return a dealer of items whose first letter is their key."""
    dealer: AffinityQueue[str] = AffinityQueue()
    for item in items:
        dealer.add(item, item[0])
    return dealer


def test_a_place_keeps_its_keys() -> None:
    """Each place goes on with the key that it has begun, then takes the oldest free one."""
    dealer = filled("a1", "a2", "b1", "b2", "c1")
    assert [dealer.take(1), dealer.take(2)] == ["a1", "b1"]
    assert [dealer.take(1), dealer.take(1)] == ["a2", "c1"]
    dealer.add("c2", "c")
    dealer.add("b3", "b")
    assert [dealer.take(1), dealer.take(2), dealer.take(2)] == ["c2", "b2", "b3"]


def test_an_idle_place_helps() -> None:
    """Where only another's items wait, the newest of them is taken; its owner stays the owner."""
    dealer = filled("a1", "a2", "a3", "a4")
    assert dealer.take(1) == "a1"
    assert dealer.take(2) == "a4"
    assert dealer.take(1) == "a2"
    dealer.add("a5", "a")
    assert [dealer.take(1), dealer.take(1), dealer.take(1)] == ["a3", "a5", None]
    assert dealer.count == 0


def test_what_a_lost_place_had_goes_to_others() -> None:
    """Items that were taken come back first, and belong to nobody."""
    dealer = filled("a1", "a2", "b1")
    taken = [dealer.take(1), dealer.take(1)]
    dealer.forget(1)
    for item in reversed(taken):
        assert item is not None
        dealer.put_back(item, item[0])
    assert [dealer.take(2) for _ in range(4)] == ["b1", "a1", "a2", None]


def test_all_can_be_let_go() -> None:
    """What waits, owned or not, is returned when the dealer is cleared."""
    dealer = filled("a1", "a2", "b1")
    dealer.take(1)
    assert sorted(dealer.clear()) == ["a2", "b1"]
    assert dealer.take(1) is None
