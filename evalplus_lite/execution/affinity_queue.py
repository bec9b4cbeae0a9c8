"""An affinity queue: items with the same key go to the same worker, unless another is idle.

Preparing a key (such as a task's suite) costs a worker much more than processing an item. So a
worker first takes items of its own keys, then the oldest key without a worker, and if there is
neither, the newest items of another worker.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")
Queues = OrderedDict[Hashable, deque[Item]]
MOST_KEYS = 4096
"""Maximum number of keys, the most recently used ones, whose worker is remembered."""


@dataclass
class AffinityQueue(Generic[Item]):
    """Holds waiting items by key, and the owner of each key. Not thread-safe."""

    count: int = 0
    _free: Queues[Item] = field(default_factory=OrderedDict)
    _own: dict[Hashable, Queues[Item]] = field(default_factory=dict)
    _owner: OrderedDict[Hashable, Hashable] = field(default_factory=OrderedDict)

    def add(self, item: Item, key: Hashable) -> None:
        """Add an item."""
        self._queue(key).append(item)
        self.count += 1

    def put_back(self, item: Item, key: Hashable) -> None:
        """Return a taken item to the front of its key."""
        queue = self._queue(key)
        # A taken item is older than all waiting ones with its key.
        queue.appendleft(item)
        self.count += 1

    def take(self, place: Hashable) -> Item | None:
        """Return the next item for a worker, which then owns its key; None if none is waiting."""
        if not self.count:
            return None
        own = self._own.setdefault(place, OrderedDict())
        if not own:
            # A key that no worker has prepared comes before helping another worker, whose key would
            # be prepared twice.
            if self._free:
                key, queue = self._free.popitem(last=False)
                own[key] = queue
                self._owner[key] = place
            else:
                return self._help()
        # A worker finishes one key before the next, so it has to keep little prepared.
        key = next(iter(own))
        return self._popped(own, key, newest=False)

    def forget(self, place: Hashable) -> None:
        """Release the keys of a lost worker, with everything that it had prepared."""
        for key, queue in self._own.pop(place, {}).items():
            self._free[key] = queue
        for key in [key for key, owner in self._owner.items() if owner == place]:
            del self._owner[key]

    def clear(self) -> list[Item]:
        """Remove and return all items."""
        queues = [self._free, *self._own.values()]
        remaining = [item for each in queues for queue in each.values() for item in queue]
        self._free.clear()
        self._own.clear()
        self.count = 0
        return remaining

    def _queue(self, key: Hashable) -> deque[Item]:
        owner = self._owner.get(key)
        if owner is None:
            return self._free.setdefault(key, deque())
        # Only keys without waiting items may be dropped, least recently used first.
        self._owner.move_to_end(key)
        while len(self._owner) > MOST_KEYS:
            old, place = next(iter(self._owner.items()))
            if old in self._own.get(place, ()):
                break  # it still has waiting items
            del self._owner[old]
        return self._own.setdefault(owner, OrderedDict()).setdefault(key, deque())

    def _help(self) -> Item | None:
        """Return the newest item of the worker with the longest queue, which keeps the key."""
        # The owner would process the newest items of its queue last.
        own = max(self._own.values(), key=lambda own: sum(map(len, own.values())))
        return self._popped(own, next(reversed(own)), newest=True)

    def _popped(self, own: Queues[Item], key: Hashable, *, newest: bool) -> Item:
        queue = own[key]
        item = queue.pop() if newest else queue.popleft()
        if not queue:
            del own[key]
        self.count -= 1
        return item
