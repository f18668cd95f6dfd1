"""Random and mutated input for every parser and for `play`.

`python -m tests.nova.hostile KIND SEED COUNT` runs in a separate process, so that a crash of the
kernel fails one test and does not end all tests. Every input gives a clean `TerrariumError` or a
correct answer, checked against the legal set; each kind returns how many inputs were accepted.
"""

from __future__ import annotations

import faulthandler
import re
import string
import sys
from collections.abc import Callable
from random import Random
from typing import Any

from terrarium import nova
from terrarium.errors import IllegalAction, InvalidAction, TerrariumError
from tests.nova.side_by_side import DRAWN, blob

ALPHABET = (
    string.ascii_letters
    + string.digits
    + string.punctuation
    + " \t\n\r\0éß中\u202e\ud800\U0001f600"
)
NUMBERS = (
    -1,
    0,
    1,
    2**15,
    2**16,
    2**31 - 1,
    2**31,
    2**32,
    2**63 - 1,
    2**63,
    2**64,
    -(2**63),
    10**40,
)


def mutated(random: Random, text: str) -> str:
    """A text with a few characters changed, removed, doubled, swapped or inserted."""
    letters = list(text)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at = random.randrange(len(letters) + 1)
        match random.randrange(6):
            case 0:
                letters.insert(at, random.choice(ALPHABET))
            case 1 if letters:
                del letters[at % len(letters)]
            case 2 if letters:
                letters[at % len(letters)] = random.choice(ALPHABET)
            case 3 if letters:
                letters[at % len(letters)] = random.choice(letters)
            case 4:
                letters[at:at] = letters[max(0, at - random.randint(1, 9)) : at]
            case 5 if letters:
                other = random.randrange(len(letters))
                at %= len(letters)
                letters[at], letters[other] = letters[other], letters[at]
    return "".join(letters)


def noise(random: Random) -> str:
    """A random text."""
    return "".join(random.choice(ALPHABET) for _ in range(random.choice((0, 1, 2, 3, 5, 9, 40))))


def some_position(random: Random) -> nova.Position:
    """A position somewhere in a random game."""
    board = nova.Board.parse(random.choice(DRAWN) if random.random() < 0.7 else blob(random))
    players = random.choice((2, 3, 4))
    rules = nova.Rules(
        players=players,
        edition=random.choice(("fr", "sv", "en")),
        pioneers=random.randint(1, max(1, min(3, len(board.cells) // players))),
        stones=random.choice((2, 10, 80)),
    )
    position = nova.start(rules, board)
    for _ in range(random.randint(0, 40)):
        actions = position.legal_actions()
        if not actions:
            break
        kind = random.choice(sorted({action.kind for action in actions}))
        position = position.play(random.choice([one for one in actions if one.kind == kind]))
        if random.random() < 0.01 and position.outcome is None:
            seats = set(range(players)) - set(position.resigned)
            position = position.resign(random.choice(sorted(seats)))
    return position


def answer(ask: Callable[..., Any], *given: Any, **named: Any) -> tuple[Any, TerrariumError | None]:
    """The answer, or the clean error; any other exception is a fault."""
    refused = None
    try:
        return ask(*given, **named), None
    except TerrariumError as error:
        refused = error
    assert refused.code
    assert str(refused)
    return None, refused


def action_texts(random: Random, count: int) -> int:
    """Texts for `parse`, `is_legal`, `play` and `events`."""
    position, legal, accepted = some_position(random), set[str](), 0
    for number in range(count):
        if number % 40 == 0:
            position = some_position(random)
            legal = {str(action) for action in position.legal_actions()}
        cell, other = random.choice(position.board.cells), random.choice(position.board.cells)
        model = random.choice((f"@{cell}", f"+{cell}", f"{cell}-{other}", *sorted(legal)[:3]))
        text = random.choice((model, model, mutated(random, model), noise(random)))
        assert position.is_legal(text) == (text in legal), text
        action, refused = answer(position.parse, text)
        if refused is None:
            assert position.parse(str(action)) == action
            assert str(action) == text
        else:
            assert isinstance(refused, InvalidAction), text
        after, refused = answer(position.play, text)
        assert (refused is None) == (text in legal), text
        if refused is None:
            accepted += 1
            assert after != position
        elif action is None:
            assert isinstance(refused, InvalidAction), text
        else:
            assert isinstance(refused, IllegalAction), text
            assert text in str(refused)
        told, refused = answer(position.events, text)
        assert (refused is None) == (text in legal) == bool(told), text
    return accepted


def action_ids(random: Random, count: int) -> int:
    """Numbers for `action`, `is_legal` and `play`, and seats for `resign`."""
    position, legal, accepted = some_position(random), set[int](), 0
    for number in range(count):
        if number % 40 == 0:
            position = some_position(random)
            legal = set(position.legal_ids())
        near = random.randint(-3, position.num_actions + 3)
        id = random.choice((near, near, near, random.choice(NUMBERS), -near, near << 16))
        assert position.is_legal(id) == (id in legal), id
        action, refused = answer(position.action, id)
        assert (refused is None) == (0 <= id < position.num_actions), id
        if action is not None:
            assert int(action) == int(position.parse(str(action))) == id
        after, refused = answer(position.play, id)
        assert (refused is None) == (id in legal), id
        accepted += refused is None
        assert after != position
        resigned, refused = answer(position.resign, id)
        if refused is None:
            assert 0 <= id < position.players
            assert id in resigned.resigned
        else:
            assert refused.code in ("game-over", "already-resigned", "no-such-seat"), refused
    return accepted


def exercise(position: nova.Position, random: Random) -> None:
    """Check that an accepted position is usable: it can be described and played to the end."""
    text = position.to_text()
    again = nova.Position.from_text(text)
    assert again == position, text
    assert again.to_text() == text
    assert (position.outcome is None) == bool(position.legal_ids())
    position.regions()
    position.view()
    for id in random.sample(position.legal_ids(), min(3, len(position.legal_ids()))):
        assert position.events(id)
        position.play(id).legal_actions()
    if position.outcome is None and position.rules.stall_rounds:
        position.rollouts(games=1, seed=random.randrange(2**32))


def repopulated(random: Random, rows: str) -> str:
    """The cells of a position with the pieces on a few of them changed."""
    expanded = [re.sub("[0-9]+", lambda run: "." * int(run[0]), row) for row in rows.split("/")]
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(expanded))
        cell = random.randrange(len(expanded[at]))
        row = expanded[at]
        expanded[at] = row[:cell] + random.choice("..ABCD##x") + row[cell + 1 :]
    return "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in expanded)


def plausible(random: Random, position: nova.Position) -> str:
    """The text of a position with one or two fields changed to plausible values."""
    fields = position.to_text().split(" ")
    some = random.sample(position.board.cells, 4)
    for _ in range(random.choice((1, 1, 2))):
        numbers = ",".join(str(random.randint(0, 9)) for _ in range(position.players))
        at, value = random.choice(
            (
                (3, repopulated(random, fields[3])),
                (4, random.choice("0123-")),
                (5, random.choice(("place", "1", "2", "3", "divided", "blocked", "resigned"))),
                (6, random.choice(("-", some[0], f"{some[0]}<{some[1]}", ",".join(some[:2])))),
                (6, f"{some[0]}<{some[1]},{some[2]}<{some[3]}"),
                (6, ",".join(random.sample([*position.pioneers, *some], 2))),
                (7, numbers),
                (8, str(random.choice((0, 1, 2, position.supply)))),
                (9, numbers),
                (10, random.choice(("0", "1", "+", "39"))),
                (11, random.choice(("-", "0", "1", "0,1", "0,2", "1,2"))),
            )
        )
        fields[at] = value
    return " ".join(fields)


def position_texts(random: Random, count: int) -> int:
    """Mutated and random texts for `Position.from_text`."""
    position, accepted = some_position(random), 0
    for number in range(count):
        if number % 30 == 0:
            position = some_position(random)
        text = position.to_text()
        words = text.split(" ")
        match random.randrange(9):
            case 4 | 5 | 6 | 7:
                tried = plausible(random, position)
            case 0:
                tried = noise(random)
            case 1:
                at, number_text = random.randrange(len(words)), str(random.choice(NUMBERS))
                tried = " ".join([*words[:at], number_text, *words[at + 1 :]])
            case 2:
                random.shuffle(words)
                tried = " ".join(words)
            case 3:
                tried = " ".join(words[: random.randrange(len(words))])
            case _:
                tried = mutated(random, text)
        read, refused = answer(nova.Position.from_text, tried)
        if refused is None:
            accepted += 1
            exercise(read, random)
    return accepted


def boards(random: Random, count: int) -> int:
    """Mutated and random maps and files for `Board`."""
    accepted = 0
    for _ in range(count):
        text_map = random.choice(DRAWN) if random.random() < 0.7 else blob(random)
        if random.random() < 0.3:
            toml = mutated(random, nova.Board.parse(text_map).to_toml())
            board, refused = answer(nova.Board.from_toml, toml)
        else:
            text_map = mutated(random, text_map) if random.random() < 0.9 else noise(random)
            board, refused = answer(nova.Board.parse, text_map)
        if refused is not None:
            continue
        accepted += 1
        assert nova.Board.parse(board.to_text()).map == board.map
        assert nova.Board.from_toml(board.to_toml()) == board
        if len(board.cells) >= 4 and random.random() < 0.2:
            position = nova.start(nova.Rules(pioneers=2), board)
            exercise(position, random)
    return accepted


def compositions(random: Random, count: int) -> int:
    """Random rules and compositions for `Rules.from_dict` and `compose`."""
    accepted = 0
    anything: tuple[Any, ...] = (
        *NUMBERS,
        *NUMBERS[:5],
        2,
        3,
        4,
        "fr",
        "en",
        "never",
        True,
        None,
        2.5,
        [],
        "",
    )
    names = ("players", "edition", "returning", "depletion", "stall_rounds", "pioneers", "stones")
    seats = (0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 4, -1)
    for _ in range(count):
        options = {
            name: random.choice(anything)
            for name in random.sample(names, random.choice((0, 0, 1, 1, 2, 3)))
        }
        board = nova.Board.parse(random.choice(DRAWN))
        cells = [random.choice(board.cells) for _ in range(12)]
        if random.random() < 0.1:
            cells[random.randrange(12)] = noise(random)
        setup: dict[str, Any] = {
            "pioneers": {cell: random.choice(seats) for cell in cells[:4]},
            "stones": cells[4 : random.randint(4, 8)],
        }
        if random.random() < 0.3:
            setup["dead"] = cells[8 : random.randint(8, 12)]
        if random.random() < 0.3:
            setup["to_move"] = random.choice((0, 1, 0, 1, 2, 3, random.choice(NUMBERS)))
        if random.random() < 0.2:
            setup["supply"] = random.choice((0, 1, 5, *NUMBERS))
        if random.random() < 0.2:
            setup["scores"] = tuple(random.choice(NUMBERS) for _ in range(random.randint(1, 4)))
        rules, refused = answer(nova.Rules.from_dict, options)
        position, refused = answer(nova.compose, rules or nova.Rules(), board, **setup)
        if refused is None:
            accepted += 1
            exercise(position, random)
    return accepted


KINDS: dict[str, Callable[[Random, int], int]] = {
    function.__name__: function
    for function in (action_texts, action_ids, position_texts, boards, compositions)
}


if __name__ == "__main__":
    faulthandler.enable()
    chosen, seed_text, count_text = sys.argv[1:]
    taken = KINDS[chosen](Random(int(seed_text)), int(count_text))
    print(f"{count_text} inputs answered, accepted {taken}")
