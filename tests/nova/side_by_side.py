"""One random game played by kernel and reference in step, compared at every position."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from terrarium import nova
from tests.reference import nova as reference

HEXAGON_19 = """
  A A B
 A C B B
C C D D E
 C D E E
  D E F
"""
HEXAGON_37 = """
   A A A A
  A A B B B
 C C B B B E
C C C D D E E
 F C D D D E
  F F F G G
   F F G G
"""
RING = """
   A A B B
  A H A B C
 H H . . C C
H G .   . C D
 G G . . D D
  G F F E D
   F F E E
"""
ROW = "A A A B B C D E F F G H H A"
COMB = """
A B C D E F G H A B C
 A A . B B . C C . D
A   A   B   B   E
 F   F   G   G   E
"""
DUMBBELL = """
 A A A         C C D
A A A A B   B C C D D
 A A A . B B . C E D
  A A     B     E E
"""
DRAWN = (HEXAGON_19, HEXAGON_37, RING, ROW, COMB, DUMBBELL)
STEPS = ((0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1))


@dataclass
class Tally:
    """Counts of what happened in a number of games."""

    games: int = 0
    positions: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    territories: Counter[tuple[int, str]] = field(default_factory=Counter)  # landscapes, size class
    at_once: Counter[int] = field(default_factory=Counter)  # territories scored by one stone
    passes: int = 0
    forfeits: int = 0
    resignations: int = 0

    def __iadd__(self, other: Tally) -> Tally:
        self.games += other.games
        self.positions += other.positions
        self.reasons += other.reasons
        self.territories += other.territories
        self.at_once += other.at_once
        self.passes += other.passes
        self.forfeits += other.forfeits
        self.resignations += other.resignations
        return self


def size_class(cells: int) -> str:
    """The size class of a territory."""
    return "1" if cells == 1 else "2-4" if cells < 5 else "5-9" if cells < 10 else "10+"


def blob(random: Random) -> str:
    """A map of a random connected island, of any shape, with 4 to 9 landscapes."""
    size = random.randint(9, 45)
    cells = {(12, 24)}
    while len(cells) < size:
        r, x = random.choice(sorted(cells))
        down, right = random.choice(STEPS)
        if 0 <= r + down < 25:
            cells.add((r + down, x + right))
    letters = "ABCDEFGHI"[: random.randint(4, 9)]
    seeds = random.sample(sorted(cells), len(letters))
    kind = dict(zip(seeds, letters, strict=True))
    is_patchy = random.random() < 0.7
    for r, x in sorted(cells):
        nearest = min(seeds, key=lambda seed: abs(seed[0] - r) * 2 + abs(seed[1] - x))
        kind.setdefault((r, x), kind[nearest] if is_patchy else random.choice(letters))
    width = range(min(x for _, x in cells), max(x for _, x in cells) + 1)
    height = range(min(r for r, _ in cells), max(r for r, _ in cells) + 1)
    return "\n".join("".join(kind.get((r, x), " ") for x in width).rstrip() for r in height)


def random_options(random: Random, cells: int) -> dict[str, Any]:
    """Random rules options that suit a board of this many cells."""
    players = random.choice((2, 2, 3, 4))
    options: dict[str, Any] = {
        "players": players,
        "edition": random.choice(("fr", "nl", "sv", "en")),
        "pioneers": random.randint(1, max(1, min(6, cells // (2 * players)))),
    }
    if random.random() < 0.05:
        options["pioneers"] = cells // players  # hardly a cell stays empty
    if random.random() < 0.5:
        options["returning"] = random.choice(("three_moves", "turn_end", "never"))
    if random.random() < 0.5:
        options["depletion"] = random.random() < 0.5
    if random.random() < 0.7:
        options["stall_rounds"] = random.choice((0, 1, 1, 2, 3))
    if random.random() < 0.3:
        options["stones"] = random.randint(0, max(2, cells // 3))
    return options


def twin_rules(rules: nova.Rules) -> reference.Rules:
    """The options of the kernel's rules, for the reference."""
    return reference.Rules(
        rules.players,
        rules.returning,
        rules.depletion,
        rules.stall_rounds,
        rules.pioneers,
        rules.stones,
    )


def begin(random: Random, text_map: str) -> tuple[nova.Position, reference.Position]:
    """The same first position in both: an empty board or, in one game of three, a composed one."""
    board, twin_board = nova.Board.parse(text_map), reference.parse_board(text_map)
    options = random_options(random, len(twin_board.landscapes))
    rules = nova.Rules(**options)
    twin = twin_rules(rules)
    if random.random() < 2 / 3:
        return nova.start(rules, board), reference.start(twin, twin_board)
    cells = sorted(twin_board.landscapes)
    random.shuffle(cells)
    taken = random.randint(0, min(rules.players * rules.pioneers, len(cells)))
    counts: Counter[int] = Counter()
    pioneers = {}
    for cell in cells[:taken]:
        seat = random.randrange(rules.players)
        if counts[seat] < rules.pioneers:
            counts[seat] += 1
            pioneers[cell] = seat
    rest = cells[taken:]
    stones = rest[: random.randint(0, min(rules.stones, len(rest) // 4))]
    rest = rest[len(stones) :]
    setup: dict[str, Any] = {
        "pioneers": pioneers,
        "stones": stones,
        "to_move": random.randrange(rules.players),
    }
    if random.random() < 0.5:
        setup["dead"] = rest[: random.randint(0, len(rest) // 4)]
    if random.random() < 0.5:
        setup["scores"] = tuple(random.randint(0, 30) for _ in range(rules.players))
    if random.random() < 0.3:
        setup["supply"] = random.randint(0, rules.stones - len(stones))
    return nova.compose(rules, board, **setup), reference.compose(twin, twin_board, **setup)


def assert_same(position: nova.Position, twin: reference.Position) -> None:
    """Check that everything the rules decide is the same in both."""
    assert {str(action) for action in position.legal_actions()} == twin.legal()
    assert position.scores == tuple(twin.scores)
    assert dict(position.pioneers) == twin.pioneers
    assert set(position.stones) == twin.stones
    assert set(position.dead) == twin.dead
    assert position.supply == twin.supply
    assert set(position.resigned) == twin.resigned
    if twin.outcome is None:
        assert position.outcome is None
        assert position.to_move == twin.to_move
        assert set(position.moved) == set(twin.origin)
    else:
        ended = position.outcome
        assert ended is not None
        assert (ended.winners, ended.reason) == (twin.outcome.winners, twin.outcome.reason)
        assert ended.scores == twin.outcome.scores
        assert position.to_move is None


def choose(random: Random, actions: set[str]) -> str:
    """A random action. Its kind is drawn first, so that stones are placed and territories form."""
    kinds: dict[bool, list[str]] = {}
    for action in sorted(actions):
        kinds.setdefault(action.startswith("+"), []).append(action)
    return random.choice(kinds[random.choice(sorted(kinds))])


def play_side_by_side(seed: int, text_map: str | None = None) -> Tally:
    """Plays one random game in both and compares at every position; the seed is enough to repeat it."""
    random = Random(seed)
    if text_map is None:
        text_map = random.choice(DRAWN) if random.random() < 0.5 else blob(random)
    resigning = random.choice((0.0, 0.0, 0.0, 0.02, 0.1))
    tally = Tally(games=1)
    position, twin = begin(random, text_map)
    trail: list[str] = [position.to_text()]
    try:
        assert_same(position, twin)
        while twin.outcome is None:
            before = twin
            if random.random() < resigning:
                seat = random.choice(twin.seats())
                trail.append(f"resign {seat}")
                position, twin = position.resign(seat), twin.resign(seat)
                tally.resignations += 1
            else:
                action = choose(random, twin.legal())
                trail.append(action)
                position, twin = position.play(action), twin.play(action)
                count_turn(tally, before, twin, action)
            if random.random() < 0.1:  # the text must contain everything that matters
                position = nova.Position.from_text(position.to_text())
            tally.positions += 1
            assert_same(position, twin)
    except Exception as error:
        error.add_note(f"seed {seed}; board:\n{text_map}\n{position.rules}\n{' '.join(trail)}")
        raise
    tally.reasons[twin.outcome.reason] += 1
    for cells, landscapes in twin.territories:
        tally.territories[landscapes, size_class(cells)] += 1
    return tally


def count_turn(
    tally: Tally, before: reference.Position, after: reference.Position, action: str
) -> None:
    """Counts the automatic consequences of an action."""
    scored = len(after.territories) - len(before.territories)
    if scored:
        tally.at_once[scored] += 1
    if action.startswith("@") or after.turn:
        return
    if len(before.turn) < 2:
        tally.forfeits += 1
    players = after.rules.players
    expected = (before.to_move + 1) % players
    if after.outcome is None:
        while expected in after.resigned:
            expected = (expected + 1) % players
        tally.passes += after.to_move != expected
