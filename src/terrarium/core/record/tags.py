"""The tags of a `.terra` text: the game and its start, the players, the result."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from terrarium.core.game import GAMES, Game
from terrarium.core.position import Position
from terrarium.core.record.labels import MAX_TAGS, RESERVED, is_tag_name
from terrarium.core.record.line import ENDINGS, Ending
from terrarium.core.record.words import Text, Token, result_text
from terrarium.errors import InvalidRecord, TerrariumError

__all__ = ["Tags"]


class Tags:
    """The tags of one record, read from its tokens."""

    def __init__(self, text: Text, tokens: Iterator[Token]) -> None:
        self.text = text
        self.tags: dict[str, Token] = {}
        self.after = self._read_tags(tokens)
        """The first token after the tags."""

    @property
    def place(self) -> int:
        """Where the record begins."""
        return self.tags["Game"].place

    @property
    def free(self) -> dict[str, str]:
        """The tags that the format does not define."""
        return {name: tag.text for name, tag in self.tags.items() if name not in RESERVED}

    def _read_tags(self, tokens: Iterator[Token]) -> Token | None:
        """Read the tags; returns the first token after them."""
        token: Token | None = None
        for token in tokens:
            if token.kind != "tag":
                break
            if not self.tags and token.name != "Game":
                message = f'[{token.name} …: a record begins with its game, as in [Game "nova"]'
                raise self.text.error(token.place, "record-game", message)
            if token.name in self.tags:
                raise self.text.error(
                    token.place, "record-tag", f"[{token.name} …: this tag appears twice"
                )
            if not is_tag_name(token.name):
                message = f"[{token.name} …: a tag's name is a letter, then at most 63 letters, digits or _"
                raise self.text.error(token.place, "record-tag", message)
            if len(self.tags) >= MAX_TAGS:
                raise self.text.error(token.place, "record-tag", f"more than {MAX_TAGS} tags")
            self.tags[token.name] = token
        else:
            token = None
        if not self.tags:
            place = token.place if token else 0
            message = 'a record begins with its game, as in [Game "nova"]'
            raise self.text.error(place, "record-game", message)
        return token

    def _value(self, name: str) -> str | None:
        tag = self.tags.get(name)
        return None if tag is None else tag.text

    def start(self) -> Position:
        """The position that the tags describe, on the board with its labels."""
        tag = self.tags["Game"]
        game = GAMES.get(tag.text)
        if game is None:
            message = f"{tag.text!r:.80}: no such game; there are {', '.join(GAMES)}"
            raise self.text.error(tag.place, "no-such-game", message)
        self._check_version(game)
        last = tag
        try:
            last = self.tags.get("Start", tag)
            start = game.position(last.text) if last is not tag else None
            last = self.tags.get("Rules", tag)
            if last is not tag:
                rules = game.rules(**self._options(last))
            else:
                rules = start.rules if start is not None else game.rules()
            last = self.tags.get("Board", self.tags.get("Map", tag))
            board = self._board(game)
            if start is None:
                return game.begin(rules, board)
            if start.rules == rules and has_map(start, board):
                return game.position(self.tags["Start"].text, board)
        except InvalidRecord:
            raise
        except TerrariumError as error:
            raise self.text.caused(last.place, error) from None
        message = (
            "Start: the rules or the board of the position differ from the tags Rules and Board"
        )
        raise self.text.error(self.tags["Start"].place, "record-start", message)

    def _check_version(self, game: Game) -> None:
        tag = self.tags.get("RulesVersion")
        if tag is None:
            return
        if not (tag.text.isascii() and tag.text.isdigit() and len(tag.text) < 10):
            message = f"RulesVersion {tag.text!r:.40}: must be a whole number"
            raise self.text.error(tag.place, "rules-version", message)
        if int(tag.text) > game.rules_version:
            message = (
                f"RulesVersion {tag.text}: written by a newer Terrarium; this one plays version"
                f" {game.rules_version} of the rules"
            )
            raise self.text.error(tag.place, "rules-version", message)

    def _options(self, tag: Token) -> dict[str, Any]:
        options: dict[str, Any] = {}
        for pair in tag.text.split():
            name, equals, value = pair.partition("=")
            if not equals or name in options:
                message = f"Rules {pair!r:.80}: options are written name=value, each once"
                raise self.text.error(tag.place, "record-rules", message)
            options[name] = option_value(value)
        return options

    def _board(self, game: Game) -> Any:
        drawn, name = self.tags.get("Map"), self._value("Board")
        if not game.has_boards:
            for tag in (drawn, self.tags.get("Board")):
                if tag is not None:
                    message = f"{tag.name}: {game.title} has no boards"
                    raise self.text.error(tag.place, "record-board", message)
            return None
        if drawn is not None:
            keys = {}
            for pair in (self._value("Landscapes") or "").split():
                letter, _, key = pair.partition("=")
                keys[letter] = key
            author, note = self._value("BoardAuthor") or "", self._value("BoardNote") or ""
            data = {"map": drawn.text, "name": name or "mine", "landscapes": keys}
            return game.board_from_data(data | {"author": author, "note": note})
        if name is None:
            return None
        return game.board(name)

    def seats(self, players: int) -> tuple[str, ...]:
        """The name at each seat."""
        for seat in range(players, 8):
            if f"Seat{seat}" in self.tags:
                message = f"Seat{seat}: {players} players sit at seats 0 to {players - 1}"
                raise self.text.error(self.tags[f"Seat{seat}"].place, "record-seats", message)
        return tuple(self._value(f"Seat{seat}") or "" for seat in range(players))

    def date(self) -> datetime.date | None:
        """The day on which the game was played."""
        tag = self.tags.get("Date")
        if tag is None:
            return None
        try:
            if len(tag.text) != 10:
                raise ValueError
            return datetime.date.fromisoformat(tag.text)
        except ValueError:
            message = f"Date {tag.text!r:.40}: a date is written as in 2026-07-31"
            raise self.text.error(tag.place, "record-date", message) from None

    def ending(self, position: Position, result: Token | None) -> Ending | None:
        """The ending outside the rules that the tags name; an ending by the rules is checked against the game."""
        tag, reason = self.tags.get("Result"), self._value("Reason")
        if tag is not None and result is None:
            message = f"the record ends without its result, {tag.text[:20]}: is something missing?"
            raise self.text.error(len(self.text.text.rstrip()), "record-cut-off", message)
        if tag is not None and result is not None and tag.text != result.text:
            message = f"{result.text}: the tag Result says {tag.text[:20]}"
            raise self.text.error(result.place, "record-result", message)
        outcome = position.outcome
        if outcome is None:
            ending = self._outside(position, result, reason)
            self._check_scores(getattr(position, "scores", None))
            return ending
        expected = result_text(outcome.winners, position.players)
        if result is not None and result.text != expected:
            message = f"{result.text}: by the rules the game ended {expected} ({outcome.reason})"
            raise self.text.error(result.place, "record-result", message)
        if reason not in (None, outcome.reason):
            message = f"Reason {reason!r:.40}: by the rules it is {outcome.reason}"
            raise self.text.error(self.tags["Reason"].place, "record-result", message)
        self._check_scores(outcome.scores)
        return None

    def _outside(
        self, position: Position, result: Token | None, reason: str | None
    ) -> Ending | None:
        text = "*" if result is None else result.text
        place = result.place if result is not None else self.place
        if reason is None and text == "*":
            return None
        if reason not in ENDINGS:
            shown = f"Reason {reason!r:.40}" if reason else text[:20]
            message = f"{shown}: by the rules the game is not over; other reasons are {', '.join(ENDINGS)}"
            place = self.tags["Reason"].place if reason else place
            raise self.text.error(place, "record-result", message)
        if (text == "*") != (reason == "aborted"):
            message = f"{text}: only an aborted game has the result *, and {reason} has another"
            raise self.text.error(place, "record-result", message)
        parts = text.split("-")
        winners = tuple(seat for seat, part in enumerate(parts) if part not in ("0", "*", "draw"))
        if text not in ("*", "draw") and result_text(winners, len(parts)) != text:
            message = f"{text}: a result gives each seat's part of the win, as in 1-0 or 1/2-1/2-0"
            raise self.text.error(place, "record-result", message)
        if text not in ("*", "draw") and len(parts) != position.players:
            message = f"{text}: a result for {len(parts)} seats in a game of {position.players}"
            raise self.text.error(place, "record-result", message)
        return Ending(reason, winners)

    def _check_scores(self, scores: tuple[int, ...] | None) -> None:
        tag = self.tags.get("Scores")
        expected = None if scores is None else " ".join(map(str, scores))
        if tag is not None and tag.text != expected:
            message = f"Scores {tag.text[:40]!r}: by the rules they are {expected or 'not counted'}"
            raise self.text.error(tag.place, "record-result", message)


def has_map(position: Any, board: Any) -> bool:
    """Whether the position's board has the same map as `board`; True if `board` is None."""
    return board is None or position.board.map == board.map


def option_value(text: str) -> str | int | bool:
    """An option's value from its text: a number, true or false, or a word."""
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 12:
        return int(text)
    return text
