"""Named situations in games, so that a test can check that a series of games contained all of them."""

from __future__ import annotations

from collections import Counter

from tests.reference import turrium as reference

NAMES = frozenset(
    {
        "capture of a lower flag",
        "capture of an equal flag",
        "capture of a higher flag",
        "attack",
        "defence",
        "second attack of a turn",
        "capture on vacant land that is no attack",
        "fifth attacking turn",
        "attack refused after five",
        "re-entry",
        "re-entered flag moves on",
        "re-entered flag captures",
        "enemy cube taken",
        "vacant cube taken",
        "second enemy cube of a turn",
        "enemy cube laid open by an earlier take",
        "cube returned where it came from",
        "cube placed on a cell just emptied",
        "no cube can be taken",
        "seat passed over",
        "win",
        "win by a re-entry",
        "win by a capture",
        "win shared by two",
        "last turn played after a win",
        "winner's flag captured in the last round",
        "draw at the round limit",
        "win in the last round allowed",
        "Burgenland unlocked",
        "capture in the turn that unlocks",
        "second Burgenland capture",
        "resignation during the set-up",
        "resignation with cubes in hand",
        "resignation while others play",
        "resignation in the last round",
        "last seat left",
    }
)


class Watcher:
    """Counts the situations in one game of the reference."""

    def __init__(self) -> None:
        self.happened: Counter[str] = Counter()
        self.forget_turn()

    def forget_turn(self) -> None:
        self.taken: list[str] = []
        self.exterior: set[str] | None = None
        self.entered: set[str] = set()
        self.enemy_takes = 0
        self.has_unlocked = False

    def note(self, name: str, happened: bool = True) -> None:
        assert name in NAMES, name
        self.happened[name] += happened

    def played(self, before: reference.Position, action: str, after: reference.Position) -> None:
        """Count the situations that an action caused."""
        if before.phase == "flags":
            pass
        elif "x" in action:
            cell, _, prey = action.partition("x")
            self.captured(before, cell, prey, after)
        elif action[0] == "@":
            self.note("re-entry")
            self.entered.add(action[1:])
        elif action[0] == "-":
            self.took(before, action[1:])
        elif action[0] == "+":
            self.placed(before, action[1:])
        elif action != "end":
            self.stepped(*action.split("-"))
        if before.phase == "move":
            self.moved(before, after)
            if before.outcome is None and after.winners != before.winners:
                self.won(before, action, after)
        self.ended(before, after)

    def took(self, before: reference.Position, cell: str) -> None:
        if self.exterior is None:
            self.exterior = before.exterior()
        if not before.owns(cell):
            self.enemy_takes += 1
            self.note("enemy cube taken")
            self.note("vacant cube taken", reference.owner(cell, before.options) == -1)
            self.note("second enemy cube of a turn", self.enemy_takes == 2)
            self.note("enemy cube laid open by an earlier take", cell not in self.exterior)
        self.taken.append(cell)

    def placed(self, before: reference.Position, cell: str) -> None:
        self.note("cube returned where it came from", cell in self.taken)
        is_emptied = cell in self.taken and cell not in before.heights
        self.note("cube placed on a cell just emptied", is_emptied)

    def stepped(self, cell: str, after: str) -> None:
        if cell in self.entered:
            self.note("re-entered flag moves on")
            self.entered = self.entered - {cell} | {after}

    def captured(
        self, before: reference.Position, cell: str, prey: str, after: reference.Position
    ) -> None:
        climb = before.heights[prey] - before.heights[cell]
        self.note(f"capture of {('an equal', 'a higher', 'a lower')[climb]} flag")
        is_vacant = reference.owner(prey, before.options) == reference.VACANT
        seat = before.to_move
        if before.owns(prey):
            self.note("defence")
        elif before.is_attack(prey):
            self.note("attack")
            self.note("second attack of a turn", before.has_attacked)
            self.note("fifth attacking turn", (before.attacks[seat], after.attacks[seat]) == (4, 5))
        self.note(
            "capture on vacant land that is no attack", is_vacant and not before.is_attack(prey)
        )
        self.note("re-entered flag captures", cell in self.entered)
        self.note("winner's flag captured in the last round", before.flags[prey] in before.winners)
        if before.options.variant == "burgenland":
            self.note("capture in the turn that unlocks", self.has_unlocked)
            self.note("second Burgenland capture", after.captures[seat] == 2)

    def moved(self, before: reference.Position, after: reference.Position) -> None:
        if after.is_unlocked and not before.is_unlocked:
            self.note("Burgenland unlocked")
            self.has_unlocked = True
        if before.options.variant == "standard" and before.attacks[before.to_move] == 5:
            preys = [
                prey
                for cell, seat in before.flags.items()
                if seat == before.to_move
                for prey in reference.neighbours(cell, reference.area(before.options))
                if before.flags.get(prey, seat) != seat
            ]
            self.note("attack refused after five", any(not before.can_capture(p) for p in preys))

    def won(self, before: reference.Position, action: str, after: reference.Position) -> None:
        self.note("win")
        self.note("win by a re-entry", bool(self.entered))
        self.note("win by a capture", "x" in action)
        self.note("win shared by two", len(after.winners) > 1)
        self.note("win in the last round allowed", before.rounds == before.options.max_rounds - 1)

    def ended(self, before: reference.Position, after: reference.Position) -> None:
        """Count the situations at the end of a turn."""
        turn, next_turn = (before.rounds, before.to_move), (after.rounds, after.to_move)
        if before.phase == "flags" or (turn == next_turn and not after.outcome):
            return
        self.forget_turn()
        self.note("no cube can be taken", after.phase == "move")
        self.note("last turn played after a win", bool(before.winners))
        if after.outcome:
            self.note("draw at the round limit", after.outcome[1] == "limit")
            self.note("last seat left", after.outcome[1] == "resigned")
        else:
            seats = before.options.players
            waiting = [(before.to_move + step) % seats for step in range(1, seats)]
            following = next(seat for seat in waiting if seat not in after.resigned)
            self.note("seat passed over", after.to_move != following)

    def resigned(self, before: reference.Position, seat: int, after: reference.Position) -> None:
        """Count the situations that a resignation caused."""
        self.note("resignation during the set-up", before.phase == "flags")
        self.note(
            "resignation with cubes in hand", seat == before.to_move and before.cubes_in_hand > 0
        )
        self.note("resignation while others play", seat != before.to_move)
        self.note("resignation in the last round", bool(before.winners))
        self.note("last seat left", after.outcome is not None and after.outcome[1] == "resigned")
        if seat == before.to_move:
            self.forget_turn()
