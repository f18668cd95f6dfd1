"""Plain Monte-Carlo tree search in Python, for games without a kernel; `Uct` is the same for games with a kernel."""

from __future__ import annotations

from math import log, sqrt
from random import Random
from time import monotonic

from terrarium.core.chance import random_action
from terrarium.core.position import Position

__all__ = ["PlainUct"]


class _Leaf:
    """A node of the tree: a position, its visits and the wins of each seat."""

    __slots__ = ("children", "position", "visits", "won")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.children: dict[int, _Leaf | None] = dict.fromkeys(position.legal_ids())
        self.visits = 0
        self.won = [0.0] * position.players


class PlainUct:
    """A growing tree of single actions: UCB1 selection, one new node per play-out."""

    def __init__(self, position: Position, *, seed: int = 1, exploration: float = 1.0) -> None:
        self.nodes = 0
        """The number of play-outs so far."""
        self._root = _Leaf(position)
        self._random = Random(seed)
        self._exploration = exploration
        self._is_stopped = False

    def run(self, seconds: float = 1e9, nodes: int = 1 << 60) -> None:
        """Make play-outs for this many more seconds or play-outs, or until `stop` is called."""
        deadline, most = monotonic() + seconds, self.nodes + nodes
        while self.nodes < most and not self._is_stopped and monotonic() < deadline:
            self._play_out()

    def stop(self) -> None:
        """End a running `run` from any thread."""
        self._is_stopped = True

    def best_action(self) -> int | None:
        """The id of the action tried most often; None before the first play-out."""
        tried = {id: leaf.visits for id, leaf in self._root.children.items() if leaf is not None}
        return max(tried, key=tried.__getitem__) if tried else None

    def _play_out(self) -> None:
        leaf, path = self._root, [self._root]
        while leaf.children:
            id, child = self._chosen(leaf)
            is_new = child is None
            if child is None:
                child = leaf.children[id] = _Leaf(leaf.position.play(id))
            leaf = child
            path.append(leaf)
            if is_new:
                break
        position = leaf.position
        while position.outcome is None:
            position = position.play(random_action(position, self._random))
        for leaf in path:
            leaf.visits += 1
            for seat, share in enumerate(position.outcome.shares(position.players)):
                leaf.won[seat] += share
        self.nodes += 1

    def _chosen(self, leaf: _Leaf) -> tuple[int, _Leaf | None]:
        untried = [id for id, child in leaf.children.items() if child is None]
        if untried:
            return self._random.choice(untried), None
        seat, reach = leaf.position.to_move, log(leaf.visits + 1)
        assert seat is not None

        def score(child: _Leaf) -> float:
            return child.won[seat] / child.visits + self._exploration * sqrt(reach / child.visits)

        tried = [(id, child) for id, child in leaf.children.items() if child is not None]
        return max(tried, key=lambda item: score(item[1]))
