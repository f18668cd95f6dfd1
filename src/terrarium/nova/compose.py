"""The first position of a game, and positions set up from pieces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from terrarium.errors import InvalidBoard, InvalidPosition, InvalidRules
from terrarium.nova.board import BOARDS, Board
from terrarium.nova.position import Position
from terrarium.nova.rules import Rules
from terrarium.nova.text import MAX_SCORE, Facts

__all__ = ["compose", "start"]

_STONE, _DEAD = 5, 6


def start(rules: Rules | None = None, board: Board | str | None = None, **options: Any) -> Position:
    """The empty board, all pioneers in hand, the first seat to place (TN-3, TN-4, TN-5).

    `options` are those of `Rules` and can be given instead of `rules`; `board` may be the name of a built-in board.

    >>> start(Rules(players=3)).hand
    (10, 10, 10)
    >>> start(players=3, board="two-bays").board.name
    'two-bays'
    """
    if options:
        if rules is not None:
            raise TypeError("start() takes rules or options, not both")
        rules = Rules.from_dict(options)
    return _start(*_game(rules, board))


@lru_cache(maxsize=32)
def _start(rules: Rules, board: Board) -> Position:
    # positions are immutable, so the first one can be cached
    pioneers = rules.players * rules.pioneers
    if pioneers > len(board):
        raise InvalidBoard(
            "no-room",
            f"{board.name}: {len(board)} cells have no room for {rules.players} x {rules.pioneers}"
            " pioneers",
            "TN-5",
        )
    return Position.from_facts(
        Facts(
            rules=rules,
            board=board,
            cells=(0,) * len(board),
            seat=0,
            stage="place",
            moved=(),
            scores=(0,) * rules.players,
            supply=rules.stones,
            hand=(rules.pioneers,) * rules.players,
            stall=0,
            resigned=(),
        )
    )


def compose(
    rules: Rules | None = None,
    board: Board | None = None,
    pioneers: Mapping[str, int] | None = None,
    stones: Iterable[str] = (),
    to_move: int = 0,
    *,
    scores: Sequence[int] | None = None,
    supply: int | None = None,
    dead: Iterable[str] = (),
    stall: int = 0,
    resigned: Collection[int] = (),
    phase: str = "play",
) -> Position:
    """The position at the start of a turn with these pieces, after what follows automatically: passes, or the end.

    `supply` is by default the number of stones that are not on the board; `stall` is the number of turns in a row without a stone. With
    `phase="place"` pioneers are still being placed: those not on the board are in hand (TN-5).

    >>> board = Board.parse("A B C D E F")
    >>> compose(None, board, {"a1": 0, "a6": 1}, ["a2"], to_move=0).outcome
    Outcome(winners=(0, 1), reason='blocked', scores=(0, 0))
    >>> compose(pioneers={"e7": 0}, to_move=1, phase="place").hand
    (12, 13)
    """
    rules, board = _game(rules, board)
    if phase not in ("place", "play"):
        _refuse(f"phase {phase!r:.20}: must be place or play")
    cells = [0] * len(board)
    for name, seat in _items(pioneers or {}):
        if type(seat) is not int or not 0 <= seat < rules.players:
            _refuse(f"{name!s:.20}: {seat!r:.20} is not a seat; seats are 0 to {rules.players - 1}")
        _put(board, cells, name, seat + 1)
    covered = _names("stones", stones)
    for name in covered:
        _put(board, cells, name, _STONE)
    for name in _names("dead", dead):
        _put(board, cells, name, _DEAD)
    if supply is None:
        supply = rules.stones - len(covered)
        if supply < 0:
            raise InvalidPosition(
                "too-many-stones",
                f"{len(covered)} stones on the board, but the game has {rules.stones}",
                "TN-2",
                facts={"count": len(covered), "left": 0, "most": rules.stones},
            )
    is_placing = phase == "place"
    facts = Facts(
        rules=rules,
        board=board,
        cells=tuple(cells),
        seat=_whole("to_move", to_move, rules.players - 1),
        stage="place" if is_placing else "1",
        moved=(),
        scores=_scores(scores, rules),
        supply=_supply(supply, len(covered), rules),
        hand=_hand(cells, rules) if is_placing else (0,) * rules.players,
        stall=_whole("stall", stall, rules.stall_limit),
        resigned=_resigned(resigned, rules),
    )
    _check_pioneers(facts)
    if not is_placing:
        return Position.composed(facts)
    _check_placing(facts)
    return Position.from_facts(facts)


# The kernel refuses these positions too. Here each reason has a separate code, for interfaces that let people set up a position.


def _check_pioneers(facts: Facts) -> None:
    most = facts.rules.pioneers
    for seat in range(facts.rules.players):
        count = facts.cells.count(seat + 1)
        if count > most:
            raise InvalidPosition(
                "too-many-pioneers",
                f"seat {seat} has {count} pioneers on the board; at most {most} can be",
                "TN-3",
                facts={"seat": seat, "count": count, "most": most},
            )


def _check_placing(facts: Facts) -> None:
    rules = facts.rules
    has_begun = _STONE in facts.cells or _DEAD in facts.cells or any(facts.scores)
    if has_begun or facts.supply != rules.stones:
        message = "stones, dead cells or points before all pioneers are placed"
        raise InvalidPosition("placing-not-over", message, "TN-5")
    hand = facts.hand[facts.seat]
    if hand == 0:
        message = f"seat {facts.seat} has no pioneer left to place"
        raise InvalidPosition("all-placed", message, "TN-5", facts={"seat": facts.seat})
    left = [seat for seat in range(rules.players) if seat not in facts.resigned]
    if any(facts.hand[seat] != hand - (seat < facts.seat) for seat in left):
        raise InvalidPosition("placing-order", "seats place their pioneers in turn", "TN-5")


def _hand(cells: Sequence[int], rules: Rules) -> tuple[int, ...]:
    """How many pioneers of each seat are not on the board."""
    return tuple(max(0, rules.pioneers - cells.count(seat + 1)) for seat in range(rules.players))


def _supply(supply: int, covered: int, rules: Rules) -> int:
    if type(supply) is int and covered + supply > rules.stones:
        raise InvalidPosition(
            "too-many-stones",
            f"{covered} stones on the board and {supply} left; the game has {rules.stones}",
            "TN-2",
            facts={"count": covered, "left": supply, "most": rules.stones},
        )
    return _whole("supply", supply, rules.stones)


def _game(rules: Rules | None, board: Board | str | None) -> tuple[Rules, Board]:
    rules = Rules() if rules is None else rules
    board = BOARDS["terra-nova"] if board is None else board
    if not isinstance(rules, Rules):
        raise InvalidRules("not-rules", f"{rules!r:.80}: rules must be a nova.Rules")
    if isinstance(board, str):
        if board not in BOARDS:
            message = f"{board!r:.60}: the built-in boards are {', '.join(BOARDS)}"
            raise InvalidBoard("no-such-board", message)
        board = BOARDS[board]
    if not isinstance(board, Board):
        raise InvalidBoard("not-a-board", f"{board!r:.80}: board must be a nova.Board")
    return rules, board


def _refuse(message: str, rule: str | None = None) -> NoReturn:
    raise InvalidPosition("composition", message, rule)


def _items(pioneers: Mapping[str, int]) -> list[tuple[str, int]]:
    if not isinstance(pioneers, Mapping):
        _refuse(f"pioneers {pioneers!r:.40}: must map cells to seats")
    return list(pioneers.items())


def _names(what: str, names: Iterable[str]) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        _refuse(f"{what} {names!r:.40}: must be a list of cells")
    return list(names)


def _put(board: Board, cells: list[int], name: str, holds: int) -> None:
    try:
        cell = board.index(name)
    except InvalidBoard as error:
        _refuse(error.message, error.rule)
    if cells[cell]:
        _refuse(f"{name}: more than one piece is given for this cell")
    cells[cell] = holds


def _whole(what: str, value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        _refuse(f"{what} {value!r:.20}: must be a whole number from 0 to {most}")
    return value


def _scores(scores: Sequence[int] | None, rules: Rules) -> tuple[int, ...]:
    if scores is None:
        return (0,) * rules.players
    if isinstance(scores, str) or not isinstance(scores, Sequence) or len(scores) != rules.players:
        _refuse(f"scores {scores!r:.40}: must be {rules.players} numbers")
    return tuple(_whole("scores", score, MAX_SCORE) for score in scores)


def _resigned(resigned: Collection[int], rules: Rules) -> tuple[int, ...]:
    if not isinstance(resigned, Collection) or isinstance(resigned, str):
        _refuse(f"resigned {resigned!r:.40}: must be a list of seats")
    return tuple(sorted({_whole("resigned", seat, rules.players - 1) for seat in resigned}))
