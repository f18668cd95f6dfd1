"""The texts of notices in the languages of the page. They are not in the page's catalogues, because the server sends them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["LANGUAGES", "Confirmation", "Notice", "confirmation", "notice_text"]


class Notice(NamedTuple):
    """A notice that it is the reader's turn."""

    title: str
    body: str
    footer: str


class Confirmation(NamedTuple):
    """An email that asks to confirm its address."""

    title: str
    body: str


_TURN = {
    "en": ("Your turn", "{game} with {names}", "{game}", "Turn these emails off in the settings:"),
    "fr": (
        "À vous de jouer",
        "{game} avec {names}",
        "{game}",
        "Pour ne plus recevoir ces e-mails :",
    ),
    "nl": (
        "Jij bent aan de beurt",
        "{game} met {names}",
        "{game}",
        "Deze e-mails uitzetten in de instellingen:",
    ),
    "sv": ("Din tur", "{game} med {names}", "{game}", "Stäng av de här mejlen i inställningarna:"),
    "de": (
        "Du bist am Zug",
        "{game} mit {names}",
        "{game}",
        "Diese E-Mails in den Einstellungen abschalten:",
    ),
    "it": (
        "Tocca a te",
        "{game} con {names}",
        "{game}",
        "Per non ricevere più queste email, apri le impostazioni:",
    ),
}
_CONFIRM = {
    "en": (
        "Confirm your address",
        "{name}, confirm that Terrarium may write to you when it is your turn:",
    ),
    "fr": (
        "Confirmez votre adresse",
        "{name}, confirmez que Terrarium peut vous écrire quand c’est à vous de jouer :",
    ),
    "nl": (
        "Bevestig je adres",
        "{name}, bevestig dat Terrarium je mag schrijven als je aan de beurt bent:",
    ),
    "sv": (
        "Bekräfta din adress",
        "{name}, bekräfta att Terrarium får skriva till dig när det är din tur:",
    ),
    "de": (
        "Bestätige deine Adresse",
        "{name}, bestätige, dass Terrarium dir schreiben darf, wenn du am Zug bist:",
    ),
    "it": (
        "Conferma il tuo indirizzo",
        "{name}, conferma che Terrarium può scriverti quando tocca a te:",
    ),
}
LANGUAGES = tuple(_TURN)


def notice_text(language: str, game: str, others: Sequence[str]) -> Notice:
    """A notice in a language; English if there is no such language.

    >>> notice_text("de", "Terra Nova", ["Ada"]).body
    'Terra Nova mit Ada'
    """
    title, with_names, alone, footer = _TURN.get(language, _TURN["en"])
    body = with_names if others else alone
    return Notice(title, body.format(game=game, names=", ".join(others)), footer)


def confirmation(language: str, name: str) -> Confirmation:
    """The email that asks to confirm an address."""
    title, body = _CONFIRM.get(language, _CONFIRM["en"])
    return Confirmation(title, body.format(name=name))
