"""Generated boards: `generate(seed)` makes the same fair island on every machine.

It uses only `random()`, integers, and the four basic operations and the square root of IEEE floats, which give the
same bits everywhere. It avoids sine, exponential, `sum` of floats and the order of sets.
"""

from __future__ import annotations

from math import sqrt
from random import Random

from terrarium.errors import InvalidBoard
from terrarium.nova.board import DIRECTIONS, MAX_ROWS, Board
from terrarium.nova.fairness import Fairness, Place, fairness, steps_between

__all__ = ["KEYS", "Fairness", "fairness", "generate"]

KEYS: dict[str, str] = {
    "M": "meadow",
    "F": "forest",
    "L": "lake",
    "R": "mountain",
    "D": "desert",
    "W": "field",
    "S": "swamp",
    "H": "heath",
    "T": "tundra",
    "V": "vineyard",
    "B": "beach",
    "G": "glacier",
}
"""The landscapes of built-in and generated boards: letter and key, in the order in which they are used."""

_MIN_CELLS, _MAX_CELLS = 24, 512
_MIN_CELLS_EACH = 6
_ATTEMPTS = 4
_MAX_STEPS = 12_000


def generate(seed: int, cells: int = 168, landscapes: int = 8) -> Board:
    """A fair island with landscapes of about the same size; the same arguments give the same board on every machine.

    >>> fairness(generate(7, cells=48)).sizes
    (6, 6, 6, 6, 6, 6, 6, 6)
    """
    _check_parameters(seed, cells, landscapes)
    rng = Random(seed)
    best: tuple[tuple[int, float], Board] | None = None
    attempts = 0
    wanted = _ATTEMPTS if cells <= 200 else _ATTEMPTS // 2
    while best is None or attempts < wanted:
        attempts += 1
        shape = _island(rng, cells)
        owner = _divide(rng, shape, landscapes)
        if owner is None:
            continue
        board = _board(shape, owner, seed, landscapes)
        judged = fairness(board)
        lonely = sum(max(0, 3 - borders) for borders in judged.borders)
        rank = (lonely, judged.unfairness)
        if best is None or rank < best[0]:
            best = (rank, board)
    return best[1]


def _check_parameters(seed: int, cells: int, landscapes: int) -> None:
    for name, value, low, high in (
        ("seed", seed, 0, 2**64 - 1),
        ("cells", cells, _MIN_CELLS, _MAX_CELLS),
        ("landscapes", landscapes, 4, len(KEYS)),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            message = f"{name} {value!r}: must be a whole number from {low} to {high}"
            raise InvalidBoard("board-generator", message)
    if cells < _MIN_CELLS_EACH * landscapes:
        message = (
            f"{cells} cells in {landscapes} landscapes: each landscape needs at least"
            f" {_MIN_CELLS_EACH} cells, so {_MIN_CELLS_EACH * landscapes} or more"
        )
        raise InvalidBoard("board-generator", message)


def _around(place: Place) -> list[Place]:
    return [(place[0] + dl, place[1] + dn) for dl, dn in DIRECTIONS]


def _island(rng: Random, cells: int) -> list[Place]:
    """The cells of a roundish island with bays and headlands: those deepest inside a wavy coastline."""
    radius = sqrt(cells * sqrt(3) / 2 / 3.14159)
    tall = min(1.0, (MAX_ROWS - 3) * sqrt(3) / 4 / radius)
    reach = int(radius / tall * 1.6) + 4
    waves = [(k, _direction(rng), (0.035 + 0.045 * rng.random()) * w) for k, w in _WAVES]
    depth: dict[Place, float] = {}
    for letter in range(-(MAX_ROWS // 2), MAX_ROWS // 2):
        for number in range(-2 * reach, 2 * reach + 1):
            x, y = (number - letter / 2) * tall, letter * sqrt(3) / 2 / tall
            distance = sqrt(x * x + y * y)
            if distance > 1.8 * radius:
                continue
            coast = 1.0
            # not sum(): newer versions of Python round sums of floats differently
            for k, unit, height in waves:
                coast += height * _wave(x, y, distance, k, unit)
            depth[letter, number] = coast * radius - distance + 0.8 * rng.random()
    by_depth = sorted(depth, key=lambda place: (-depth[place], place))
    land = set(by_depth[:cells])
    # Fill dents and remove spits until the coast has neither; the number of cells stays the same.
    for _ in range(4 * cells):
        inland = {place: sum(near in land for near in _around(place)) for place in by_depth}
        spit = min((p for p in by_depth if p in land), key=lambda p: (inland[p], depth[p], p))
        dent = max((p for p in by_depth if p not in land), key=lambda p: (inland[p], depth[p], p))
        if (inland[spit] >= 2 and inland[dent] <= 4) or inland[spit] > inland[dent]:
            break
        land.remove(spit)
        land.add(dent)
    return sorted(_connected(land, depth, cells))


_WAVES = ((2, 0.5), (3, 1.0), (5, 1.0), (7, 0.8))


def _direction(rng: Random) -> tuple[float, float]:
    while True:
        x, y = 2 * rng.random() - 1, 2 * rng.random() - 1
        size = sqrt(x * x + y * y)
        if 0.1 < size <= 1:
            return x / size, y / size


def _wave(x: float, y: float, distance: float, times: int, unit: tuple[float, float]) -> float:
    """cos(times * angle + phase), computed by complex multiplication because cosine differs between machines."""
    if distance == 0:
        return 0.0
    c, s = x / distance, y / distance
    re, im = unit
    for _ in range(times):
        re, im = re * c - im * s, re * s + im * c
    return re


def _connected(land: set[Place], depth: dict[Place, float], cells: int) -> set[Place]:
    """The largest piece around the deepest cell, grown again to `cells` cells if an islet was cut off."""
    start = max(land, key=lambda place: (depth[place], place))
    mainland, open_ = {start}, [start]
    while open_:
        for near in _around(open_.pop()):
            if near in land and near not in mainland:
                mainland.add(near)
                open_.append(near)
    while len(mainland) < cells:
        shore = {near for place in mainland for near in _around(place)} - mainland
        in_reach = [place for place in shore if place in depth]
        mainland.add(max(in_reach, key=lambda place: (depth[place], place)))
    return mainland


class _Division:
    """A shape divided into landscapes; the values that the search needs are updated at every change."""

    def __init__(self, rng: Random, shape: list[Place], owner: list[int], landscapes: int) -> None:
        at = {place: i for i, place in enumerate(shape)}
        self.near = [[at.get(place, -1) for place in _around(cell)] for cell in shape]
        self.land = [[n for n in near if n >= 0] for near in self.near]
        self.steps = steps_between(shape)
        self.far = [sum(row) for row in self.steps]
        self.owner = owner
        self.members: list[set[int]] = [set() for _ in range(landscapes)]
        self.stretch = [0] * landscapes
        self.count = landscapes
        # A random cost for each cell makes the borders irregular.
        self.grain = [int(rng.random() * 5) for _ in shape]
        self.size = [0] * landscapes
        self.remote = [0] * landscapes
        self.fence = [0] * landscapes
        self.edges = [[0] * landscapes for _ in range(landscapes)]
        self.touch = [[0] * landscapes for _ in shape]
        self.rough = 0
        for cell, own in enumerate(owner):
            self.size[own] += 1
            self.remote[own] += self.far[cell]
            self.stretch[own] += sum(self.steps[cell][other] for other in self.members[own])
            self.members[own].add(cell)
            for near in self.land[cell]:
                self.touch[cell][owner[near]] += 1
                if owner[near] != own:
                    self.edges[own][owner[near]] += 1
                    self.rough += self.grain[cell] + self.grain[near]
            for other in range(landscapes):
                self.fence[other] += other != own and self.touch[cell][other] > 0

    def flip(self, cell: int, new: int) -> None:
        """Give a cell to another landscape."""
        old = self.owner[cell]
        owner, touch, fence, edges = self.owner, self.touch, self.fence, self.edges
        self.size[old] -= 1
        self.size[new] += 1
        self.remote[old] -= self.far[cell]
        self.remote[new] += self.far[cell]
        steps = self.steps[cell]
        self.members[old].remove(cell)
        self.stretch[old] -= sum(steps[other] for other in self.members[old])
        self.stretch[new] += sum(steps[other] for other in self.members[new])
        self.members[new].add(cell)
        fence[new] -= touch[cell][new] > 0
        fence[old] += touch[cell][old] > 0
        owner[cell] = new
        for near in self.land[cell]:
            own, touched = owner[near], touch[near]
            weight = 2 * (self.grain[cell] + self.grain[near])
            if own != old:
                edges[own][old] -= 1
                edges[old][own] -= 1
                self.rough -= weight
            if own != new:
                edges[own][new] += 1
                edges[new][own] += 1
                self.rough += weight
            touched[old] -= 1
            touched[new] += 1
            fence[old] -= own != old and touched[old] == 0
            fence[new] += own != new and touched[new] == 1

    def can_leave(self, cell: int) -> bool:
        """Whether the cell's landscape certainly stays in one piece without it: its neighbours in the landscape form one arc."""
        own, near = self.owner[cell], self.near[cell]
        inside = [n >= 0 and self.owner[n] == own for n in near]
        return sum(inside[i] and not inside[i - 1] for i in range(6)) == 1

    def cost(self) -> int:
        """The cost that the search minimises: uneven fences, uneven remoteness, ragged landscapes, and landscapes with few neighbours."""
        count, fence = self.count, self.fence
        total = sum(fence)
        uneven = sum((count * f - total) ** 2 for f in fence) * 9 // (count * count)
        mean = sum(self.remote) // count or 1
        apart = sum((400 * (r - mean) // mean) ** 2 for r in self.remote) // 60
        lonely = 0
        for row in self.edges:
            borders = sum(edges > 1 for edges in row)
            if borders < 3:
                lonely += 400 * (3 - borders)
        cells = len(self.owner) // count
        return (
            uneven + apart + lonely + self.rough // 2 + 110 * sum(self.stretch) // (cells * cells)
        )


def _divide(rng: Random, shape: list[Place], landscapes: int) -> list[int] | None:
    """The landscape of each cell, in connected landscapes of equal size; None if the first division can't be balanced."""
    division = _Division(rng, shape, _seeded(rng, shape, landscapes), landscapes)
    if not _balance(rng, division):
        return None
    cells = len(shape)
    steps = min(60 * cells, _MAX_STEPS)
    cost = division.cost()
    best_cost, best = cost, list(division.owner)
    for step in range(steps):
        slack = 220 * (steps - step) ** 2 // (steps * steps)
        undo = _exchange(rng, division)
        if not undo:
            continue
        new_cost = division.cost()
        if new_cost <= cost + int(slack * rng.random()):
            cost = new_cost
            if cost < best_cost:
                best_cost, best = cost, list(division.owner)
        else:
            for cell, old in undo:
                division.flip(cell, old)
    return best


def _exchange(rng: Random, division: _Division) -> list[tuple[int, int]]:
    """Exchange a cell between two neighbouring landscapes; returns the (cell, landscape) pairs that undo it, empty if it isn't possible."""
    owner = division.owner
    one = int(rng.random() * len(owner))
    first = owner[one]
    others = [owner[n] for n in division.land[one] if owner[n] != first]
    if not others or not division.can_leave(one):
        return []
    second = others[int(rng.random() * len(others))]
    division.flip(one, second)
    choice = [
        cell
        for cell in sorted(division.members[second])
        if cell != one and division.touch[cell][first] and division.can_leave(cell)
    ]
    if not choice:
        division.flip(one, first)
        return []
    two = choice[int(rng.random() * len(choice))]
    division.flip(two, first)
    if division.touch[one][second] == 0 or division.touch[two][first] == 0:
        division.flip(two, second)
        division.flip(one, first)
        return []
    return [(two, second), (one, first)]


def _seeded(rng: Random, shape: list[Place], landscapes: int) -> list[int]:
    """A first division: landscapes grow from distant seeds, always the smallest next."""

    def apart(a: Place, b: Place) -> int:
        dl, dn = a[0] - b[0], a[1] - b[1]
        return max(abs(dl), abs(dn), abs(dl - dn))

    cells = set(shape)
    seeds = [shape[int(rng.random() * len(shape))]]
    while len(seeds) < landscapes:
        free = [place for place in shape if place not in seeds]
        seeds.append(
            max(free, key=lambda p: (min(apart(p, s) for s in seeds) + 1.5 * rng.random(), p))
        )
    owner = {seed: i for i, seed in enumerate(seeds)}
    size = [1] * landscapes
    stuck = [False] * landscapes
    while len(owner) < len(shape):
        own = min((i for i in range(landscapes) if not stuck[i]), key=lambda i: (size[i], i))
        frontier = sorted(
            {
                near
                for place, of in owner.items()
                if of == own
                for near in _around(place)
                if near in cells and near not in owner
            }
        )
        if not frontier:
            stuck[own] = True
            continue
        nearest = min(frontier, key=lambda p: (apart(p, seeds[own]) + rng.random(), p))
        owner[nearest] = own
        size[own] += 1
    return [owner[place] for place in shape]


def _balance(rng: Random, division: _Division) -> bool:
    """Move cells from larger to smaller landscapes until the sizes differ by at most one; returns whether that succeeded."""
    cells = len(division.owner)
    size, owner = division.size, division.owner
    low = cells // division.count
    high = -(-cells // division.count)
    for _ in range(400 * cells):
        if min(size) == low and max(size) == high:
            return True
        cell = int(rng.random() * cells)
        old = owner[cell]
        others = [owner[n] for n in division.land[cell] if owner[n] != old]
        if not others:
            continue
        new = others[int(rng.random() * len(others))]
        # Sometimes a cell also moves to a landscape of equal size, so that a surplus can cross the landscapes between.
        drift = 1 + int(rng.random() * 1.02)
        if size[new] < size[old] + drift - 1 and size[old] > 1 and division.can_leave(cell):
            division.flip(cell, new)
    return min(size) == low and max(size) == high


def _board(shape: list[Place], owner: list[int], seed: int, landscapes: int) -> Board:
    rows: dict[int, dict[int, str]] = {}
    letters = list(KEYS)[:landscapes]
    for (letter, number), own in zip(shape, owner, strict=True):
        rows.setdefault(letter, {})[2 * number - letter] = letters[own]
    left = min(min(row) for row in rows.values())
    right = max(max(row) for row in rows.values())
    text = "\n".join(
        "".join(row.get(x, " ") for x in range(left, right + 1)) for _, row in sorted(rows.items())
    )
    note = f"Generated: seed {seed}, {len(shape)} cells, {landscapes} landscapes."
    keys = {letter: KEYS[letter] for letter in letters}
    return Board.parse(text, f"seed-{seed}", keys, "Terrarium", note)
