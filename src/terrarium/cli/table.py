"""A game in the terminal: shows the board, reads people's actions, runs computer players, keeps the record."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from terrarium.cli.common import has_colour, write_file
from terrarium.cli.keyboard import typed
from terrarium.cli.players import Human, Player, adviser
from terrarium.cli.printing import cells_of, painter, picture, print_events, status, verdict
from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.core.record import Record
from terrarium.core.terminal import seat_text
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Table"]

HELP = """\
Type an action, or several at once:           {examples}
  a cell, such as {cell:<4}            list the actions with this cell, numbered
  a number                        the action with this number in the last list
  list                            list all legal actions, numbered
  undo                            take back the last action of this turn
  {details:<31} {what}
  hint                            show a computer player's choice
  names                           toggle cell names
  board                           draw the board again
  record                          print the record so far
  save FILE                       write the record to a file
  resign                          give up
  quit                            leave; the record can be saved
Every command may be abbreviated to its first letters."""


class Leave(Exception):
    """A person left the game."""


class Table:
    """One game at one terminal."""

    def __init__(
        self,
        record: Record,
        players: Sequence[Player],
        output: Console,
        keyboard: IO[str],
        save: Path | None = None,
    ) -> None:
        self.record = record
        self.players = players
        self.output = output
        self.keyboard = keyboard
        self.save = save
        self.turn_began = 0
        self.listed: list[Action] = []
        self.names = False
        self.last: tuple[str, ...] = ()
        """The cells to mark: those of this turn, or of the turn before it as long as this one has no action."""
        self.last_turn: tuple[str, ...] = ()
        self.is_interactive = keyboard.isatty() and output.is_terminal
        self.commands: dict[str, Callable[[str], None]] = {
            "help": self.show_help,
            "list": self.list_all,
            "undo": self.undo,
            painter(record.start).DETAILS[0]: self.show_details,
            "names": self.toggle_names,
            "hint": self.hint,
            "board": self.show,
            "record": self.print_record,
            "save": self.save_as,
            "resign": self.resign,
            "quit": self.leave,
        }

    @property
    def position(self) -> Position:
        return self.record.position

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        try:
            while self.position.outcome is None:
                self.take_turn()
            self.show()
        except (Leave, EOFError):
            self.output.print()
            self.output.print("The game is not over.", style="dim")
        except KeyboardInterrupt:
            self.output.print()
            self.output.print("The game was left.", style="dim")
        self.offer_record()

    def take_turn(self) -> None:
        """Play one seat's turn, from its first action until the turn is confirmed."""
        seat = self.position.to_move
        assert seat is not None
        self.turn_began = len(self.record)
        self.listed = []
        is_human = isinstance(self.players[seat], Human)
        if is_human:
            self.show()
        while True:
            while self.position.to_move == seat and not self.is_turn_over():
                if is_human:
                    self.ask(seat)
                else:
                    self.let_choose(seat)
            if not is_human or self.is_handed_over():
                break
        self.last = self.last_turn = _cells(self.record, self.turn_began)
        if not is_human:
            self.announce(seat)
        if self.save is not None:
            write_file(self.save, str(self.record))

    def is_turn_over(self) -> bool:
        """Whether the current turn is complete."""
        return len(self.record) > self.turn_began and self.position.at_turn_start

    def is_handed_over(self) -> bool:
        """Ask the person to confirm the turn; does not ask after a turn of one action, or if input is not a terminal."""
        done = self.record.line.entries[self.turn_began :]
        if not self.is_interactive or len(done) < 2 or done[-1].resigns is not None:
            return True
        turn = " ".join(entry.text for entry in done)
        self.last = _cells(self.record, self.turn_began)
        self.draw()
        answer = self.read(f"{turn} — Enter hands over, undo takes back: ")
        if "undo".startswith(answer.strip().lower() or "-"):
            self.undo("")
            return False
        return True

    def let_choose(self, seat: int) -> None:
        """Let a computer player play its next actions."""
        if self.output.is_terminal:
            with self.output.status(f"{self.players[seat].name} is thinking …", spinner="dots"):
                chosen = self.players[seat].choose(self.position)
        else:
            chosen = self.players[seat].choose(self.position)
        for action in chosen.actions:
            self.play(action)
        if chosen.evaluation is not None:
            self.record = self.record.annotate(-1, evaluation=chosen.evaluation)

    def play(self, action: Action | str) -> None:
        """Carry out one action and print its events."""
        before = self.position
        events = before.events(action)
        self.record = self.record.play(action)
        self.listed = []
        print_events(self.output, before, events, self.record.seats)

    def announce(self, seat: int) -> None:
        """Print the turn of a computer player."""
        turn = " ".join(entry.text for entry in self.record.line.entries[self.turn_began :])
        if turn:
            text = seat_text(self.record.start, seat, self.record.seats)
            self.output.print(text.append(f"  {turn}", style="default"), soft_wrap=True)

    def read(self, prompt: str) -> str:
        """A line from the keyboard."""
        if self.is_interactive:
            return typed(prompt)
        line = self.keyboard.readline()
        if not line:
            raise EOFError
        self.output.print(f"{prompt}{line.rstrip()}", soft_wrap=True)
        return line.rstrip("\n")

    def ask(self, seat: int) -> None:
        """Read one line from a person and carry it out."""
        name = seat_text(self.position, seat, self.record.seats).plain
        words = self.read(f"{name} ({self.position.phase}) > ").split()
        if not words:
            return
        before = len(self.record)
        try:
            self.obey(words)
        except (TerrariumError, OSError) as error:
            if len(self.record) != before and not self.is_turn_over():
                self.last = _cells(self.record, self.turn_began)
                self.show()
            self.output.print(f"  {error}", style="red", soft_wrap=True)

    def obey(self, words: list[str]) -> None:
        """Carry out a command, or play the actions that were typed."""
        first = {"exit": "quit", "?": "help"}.get(words[0].lower(), words[0].lower())
        found = [name for name in self.commands if name.startswith(first) and first.isalpha()]
        is_action = first in ("end", "e", "en") and self.position.is_legal("end")
        if is_action:
            words[0] = "end"
        elif len({self.commands[name] for name in found}) == 1 or first in self.commands:
            name = first if first in self.commands else found[0]
            self.commands[name](" ".join(words[1:]))
            return
        elif len(found) > 1:
            self.output.print(f"  {first}: {' or '.join(found)}?", style="red")
            return
        seat = self.position.to_move
        for word in words:
            if self.position.to_move != seat or self.is_turn_over():
                self.output.print(f"  {word}: the turn is over", style="red")
                break
            if word.isascii() and word.isdigit():
                self.play(self.numbered(int(word)))
            elif _is_cell(self.position, word):
                if not self.touch(word):
                    return
            else:
                self.play(word)
        if not self.is_turn_over() and self.position.to_move == seat:
            self.last = _cells(self.record, self.turn_began)
            self.show()

    def numbered(self, number: int) -> Action:
        """The action with this number in the last list."""
        if not self.listed:
            raise TerrariumError("no-list", f"{number}: type `list` first to see numbered actions")
        if not 1 <= number <= len(self.listed):
            last = len(self.listed)
            raise TerrariumError("no-such-number", f"{number}: the list runs from 1 to {last}")
        return self.listed[number - 1]

    def touch(self, cell: str) -> bool:
        """Play the only legal action with a cell, or list the legal ones with numbers; returns whether one was played."""
        actions = self.position.legal_actions()
        of_cell = [action for action in actions if cell in (action.source, action.target)]
        found = [action for action in of_cell if action.source == cell] or of_cell
        if len(found) == 1:
            self.play(found[0])
        elif found:
            self.show_list(found)
        else:
            self.output.print(f"  {cell}: no legal action with this cell now", style="dim")
        return len(found) == 1

    def list_all(self, words: str) -> None:
        """List all legal actions with numbers."""
        self.show_list(self.position.legal_actions())

    def show_list(self, actions: list[Action]) -> None:
        """Print actions with numbers in columns."""
        from rich.columns import Columns

        self.listed = actions
        width = len(str(len(actions)))
        items = [f"{number:>{width}} {action}" for number, action in enumerate(actions, 1)]
        self.output.print(Columns(items, padding=(0, 2), equal=True))

    def undo(self, words: str) -> None:
        """Take back the last action of this turn."""
        if len(self.record) == self.turn_began:
            raise TerrariumError("nothing-to-undo", "undo: this turn has no action yet")
        self.record = self.record.back()
        self.last = _cells(self.record, self.turn_began) or self.last_turn
        self.show()

    def show_help(self, words: str) -> None:
        actions = self.position.legal_actions()
        one = actions[len(actions) // 2]
        details, what = painter(self.position).DETAILS
        text = HELP.format(
            examples=str(one), cell=one.source or one.target or "", details=details, what=what
        )
        self.output.print(text, soft_wrap=True)

    def show_details(self, words: str) -> None:
        for line in painter(self.position).details(self.position, self.record.seats):
            self.output.print(line, soft_wrap=True)

    def hint(self, words: str) -> None:
        """Ask a computer player for the rest of this turn."""
        with self.output.status("thinking …", spinner="dots"):
            chosen = adviser(self.position).choose(self.position)
        self.output.print(f"  {' '.join(map(str, chosen.actions))}", style="bold")

    def toggle_names(self, words: str) -> None:
        self.names = not self.names
        self.show()

    def draw(self) -> None:
        """Draw the board alone."""
        colour = has_colour(self.output)
        board = picture(self.position, self.last, names=self.names, colour=colour)
        self.output.print()
        self.output.print(board, soft_wrap=True)

    def show(self, words: str = "") -> None:
        """Draw the board and the status lines, or the outcome."""
        self.draw()
        if self.position.outcome is None:
            for line in status(self.position, self.record.seats):
                self.output.print(line, soft_wrap=True)
        else:
            text = verdict(self.position, self.position.outcome, self.record.seats)
            self.output.print(text, soft_wrap=True)

    def print_record(self, words: str) -> None:
        self.output.print(str(self.record), soft_wrap=True)

    def save_as(self, words: str) -> None:
        if not words:
            raise TerrariumError("no-file", "save: name a file, as in `save game.terra`")
        path = Path(words).expanduser()
        write_file(path, str(self.record))
        self.output.print(f"  saved as {path}", style="dim")

    def resign(self, words: str) -> None:
        seat = self.position.to_move
        assert seat is not None
        if self.is_interactive and not self.read("resign: really? [y/N] ").lower().startswith("y"):
            return
        before = self.position
        self.record = self.record.resign(seat)
        print_events(self.output, before, before.resignation_events(seat), self.record.seats)

    def leave(self, words: str) -> None:
        raise Leave

    def offer_record(self) -> None:
        """Write the record to the chosen file, ask for a file, or print the record if input is not a terminal."""
        if self.save is not None:
            write_file(self.save, str(self.record))
            self.output.print(f"The record is in {self.save}", style="dim")
        elif len(self.record) == 0:
            return
        elif self.is_interactive:
            name = f"{self.record.game.name}-{datetime.datetime.now():%Y%m%d-%H%M}.terra"
            try:
                answer = typed(f"Save the record? y for {name}, another name, or Enter for no: ")
            except (EOFError, KeyboardInterrupt):
                self.output.print()
                return
            answer = answer.strip()
            if answer and answer.lower() not in ("n", "no"):
                path = Path(name if answer.lower() in ("y", "yes") else answer).expanduser()
                write_file(path, str(self.record))
                self.output.print(f"The record is in {path}", style="dim")
        else:
            self.output.print()
            self.output.print(str(self.record), soft_wrap=True)
            sys.stdout.flush()


def _cells(record: Record, first: int) -> tuple[str, ...]:
    """The source and target cells of the entries from `first` on."""
    entries = record.line.entries[first:]
    return cells_of([record.start.parse(entry.text) for entry in entries if entry.resigns is None])


def _is_cell(position: Position, name: str) -> bool:
    return any(cell.name == name for cell in position.game.layout(position))
