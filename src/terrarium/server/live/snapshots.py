"""Snapshots for many watchers: the common parts are computed and encoded once per table."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import structs

from terrarium.play.messages import SnapshotMessage
from terrarium.play.shapes import Snapshot
from terrarium.play.table import Table
from terrarium.play.views import clock_view, seat_views, snapshot

__all__ = ["Snapshots"]

_MAX_KEPT = 500
_LARGE = ("turns", "legal", "board", "view", "resignations")
_encode = msgspec.json.Encoder().encode


class Snapshots:
    """A cache of the last snapshots, without the parts that differ between watchers."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Table, Snapshot]] = OrderedDict()

    def snapshot(
        self, table: Table, you: Collection[int], connected: Collection[int], now: int
    ) -> Snapshot:
        """A game as the holder of these seats sees it; its large parts are already encoded as JSON."""
        kept = self._kept.get(table.id)
        if kept is None or kept[0] is not table:
            whole = snapshot(table, (), (), now)
            parts: dict[str, Any] = {
                name: msgspec.Raw(_encode(getattr(whole, name))) for name in _LARGE
            }
            kept = self._kept[table.id] = (table, structs.replace(whole, **parts))
        self._kept.move_to_end(table.id)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return structs.replace(
            kept[1],
            you=sorted(you),
            seats=seat_views(table, connected),
            clock=clock_view(table.clock, now),
        )

    def message(
        self, table: Table, you: Collection[int], connected: Collection[int], now: int
    ) -> SnapshotMessage:
        """The snapshot as a message of a live connection."""
        found = self.snapshot(table, you, connected, now)
        return SnapshotMessage(**{name: getattr(found, name) for name in found.__struct_fields__})
