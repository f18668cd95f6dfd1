"""An append-only list whose earlier and later versions share one storage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

__all__ = ["SharedList"]

T = TypeVar("T")


class SharedList(Sequence[T]):
    """A view of an append-only list. A longer view shares the storage, and appending to it does not change this one.

    >>> one = SharedList("ab")
    >>> two = one.view()
    >>> two.append("c")
    >>> len(one), len(two), two[-2:]
    (2, 3, ['b', 'c'])
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def view(self, length: int | None = None) -> SharedList[T]:
        """Another view of the list, or of its beginning, that can be extended."""
        found: SharedList[T] = SharedList.__new__(SharedList)
        found._items = self._items
        found._length = self._length if length is None else min(length, self._length)
        return found

    def append(self, item: T) -> None:
        """Add an item to this view; copies the list only if another view has already appended something else."""
        if len(self._items) != self._length:
            self._items = self._items[: self._length]
        self._items.append(item)
        self._length += 1

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            return self._items[start:stop:step] if step > 0 else list(self)[index]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._items[index if index >= 0 else index + self._length]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedList | list) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
