"""An affinity queue: items with the same key go to the same worker, unless another is idle.

Preparing a key (a task's suite, say) costs a worker much more than an item does. So a worker first
takes items of its own keys, then the oldest key without a worker. If there is neither, it takes the
newest items of another worker.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")
Queues = OrderedDict[Hashable, deque[Item]]
MOST_KEYS = 4096
"""Keys whose place is remembered, the most recently used ones."""


@dataclass
class AffinityQueue(Generic[Item]):
    """Holds the items that wait, by key, and knows whose each key is. Not safe for threads."""

    count: int = 0
    _free: Queues[Item] = field(default_factory=OrderedDict)
    _own: dict[Hashable, Queues[Item]] = field(default_factory=dict)
    _owner: OrderedDict[Hashable, Hashable] = field(default_factory=OrderedDict)

    def add(self, item: Item, key: Hashable) -> None:
        """Have an item wait."""
        self._queue(key).append(item)
        self.count += 1

    def put_back(self, item: Item, key: Hashable) -> None:
        """Have an item wait that was taken before: first of its key."""
        queue = self._queue(key)
        # An item that was taken before is older than all that wait with its key.
        queue.appendleft(item)
        self.count += 1

    def take(self, place: Hashable) -> Item | None:
        """Return the next item for a place, which is the key's from now on; None if none waits."""
        if not self.count:
            return None
        own = self._own.setdefault(place, OrderedDict())
        if not own:
            # A key that no worker has prepared comes before helping another worker, whose key would
            # have to be prepared twice.
            if self._free:
                key, queue = self._free.popitem(last=False)
                own[key] = queue
                self._owner[key] = place
            else:
                return self._help()
        # A place finishes one key before it takes the next: it need keep little prepared.
        key = next(iter(own))
        return self._popped(own, key, newest=False)

    def forget(self, place: Hashable) -> None:
        """Take a place's keys from it: it is gone, with all that it had prepared."""
        for key, queue in self._own.pop(place, {}).items():
            self._free[key] = queue
        for key in [key for key, owner in self._owner.items() if owner == place]:
            del self._owner[key]

    def clear(self) -> list[Item]:
        """Let all items go, and return them."""
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
        # Only keys without waiting items may be forgotten, the least recently used first.
        self._owner.move_to_end(key)
        while len(self._owner) > MOST_KEYS:
            old, place = next(iter(self._owner.items()))
            if old in self._own.get(place, ()):
                break  # its items still wait there
            del self._owner[old]
        return self._own.setdefault(owner, OrderedDict()).setdefault(key, deque())

    def _help(self) -> Item | None:
        """Return the newest item of the place that has most keys; its owner stays the owner."""
        # The newest items of the longest queue: its owner would come to them last.
        own = max(self._own.values(), key=lambda own: sum(map(len, own.values())))
        return self._popped(own, next(reversed(own)), newest=True)

    def _popped(self, own: Queues[Item], key: Hashable, *, newest: bool) -> Item:
        queue = own[key]
        item = queue.pop() if newest else queue.popleft()
        if not queue:
            del own[key]
        self.count -= 1
        return item
