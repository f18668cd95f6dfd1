"""The numbers on the security page are those of the program."""

from __future__ import annotations

from pathlib import Path

from terrarium.play.seats import MAX_HOLDERS
from terrarium.play.studies import MAX_BATCH, MAX_CHAPTERS
from terrarium.play.trees import MAX_NODES
from terrarium.server.accounts.challenges import MAX_OPEN
from terrarium.server.accounts.contacts import MAX_PUSHES
from terrarium.server.accounts.cookies import COOKIE_AGE
from terrarium.server.accounts.passwords import MAX_DELAY
from terrarium.server.accounts.sessions import MAX_SESSIONS
from terrarium.server.accounts.tokens import MAX_TOKENS, SCOPES
from terrarium.server.database import schema, studies
from terrarium.server.http.connections import MAX_HEAD
from terrarium.server.http.limits import LIMITS, NEIGHBOURS
from terrarium.server.live.talk import KEEP_MS, MAX_SAID
from terrarium.server.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text()


def rate(name: str) -> str:
    """A rate as the page writes it: 5 per second, 1 in 50 s."""
    often = LIMITS[name][0]
    return f"{often:,.0f} per second" if often >= 1 else f"1 in {1 / often:,.0f} s"


def test_the_limits_are_those_of_the_program() -> None:
    settings = Settings()
    seconds = settings.client_seconds
    daily = [f"{LIMITS[name][1]:,}" for name in ("games-day", "boards-day")]
    rows = [
        f"| {rate('request')}, {LIMITS['request'][1]:,} at once |",
        f"| {settings.max_sockets:,} per process, {settings.max_sockets_each} per address; "
        f"{LIMITS['join'][0]} new ones per second |",
        f"| {settings.max_waiting_each} per address; headers within {seconds:.0f} s, a body within {2 * seconds:.0f} s |",
        f"| {MAX_HEAD // 1024} kB, {settings.max_body // 1024} kB, {settings.max_frame // 1024} kB |",
        f"| {settings.send_queue} |",
        f"| {rate('game')}, {daily[0]} per day, of these {daily[1]} on custom boards |",
        f"| {settings.max_games_each} |",
        f"| {rate('turn')} |",
        f"| {rate('sign-in')}, {LIMITS['sign-in'][1]} at once; for one name or a new account "
        f"{rate('account')}, {LIMITS['account'][1]} at once |",
        f"| {rate('engine')}, {LIMITS['engine'][1]} at once, each |",
        f"| {LIMITS['picture'][0]}, {LIMITS['board'][0]} and {LIMITS['tool'][0]} per second, each |",
        f"| {rate('say')}, {rate('offer')}, {rate('report')}, {rate('mail')}, each |",
        f"| {rate('notice')}, {LIMITS['notice'][1]} at once |",
        f"| {rate('study')}, {LIMITS['study'][1]} at once; {LIMITS['studies-day'][1]} studies of an address per day, "
        f"{studies.MAX_STUDIES} of a person, with {studies.MAX_BYTES_EACH // 1_000_000} MB together |",
        f"| {rate('edit')}, {LIMITS['edit'][1]} at once, of at most {MAX_BATCH:,} each; "
        f"{studies.MAX_BYTES // 1_000_000} MB for the history of a study |",
        f"| {MAX_CHAPTERS}, {MAX_NODES:,}, {studies.MAX_EDITORS} |",
        f"| {MAX_TOKENS}, {MAX_SESSIONS}, {MAX_OPEN}, {MAX_PUSHES} for an account |",
        f"| {MAX_HOLDERS} |",
    ]
    assert [row for row in rows if row not in PAGE] == []
    assert NEIGHBOURS == 10
    assert "ten times as much as one" in PAGE
    assert MAX_DELAY == 5
    assert "up to five seconds" in PAGE


def test_data_is_kept_as_long_as_the_page_says() -> None:
    assert f"valid for {COOKIE_AGE // 86_400} days; at most {MAX_SESSIONS}" in PAGE
    assert KEEP_MS == 3_600_000
    assert f"until an hour after the game, at most {MAX_SAID} for a game" in PAGE
    assert all(f"`{scope}`" in PAGE for scope in SCOPES)


def test_every_table_of_the_database_is_on_the_page() -> None:
    """A new table must be described there, or belong to a described one."""
    described = {
        "accounts": "accounts: name",
        "acts": "acts of operators",
        "aliases": "who holds a seat",
        "attempts": "tries at puzzles",
        "challenges": "challenges",
        "events": "a chained log of events",
        "games": "games: rules",
        "holders": "who holds a seat",
        "invites": "invites",
        "keys": "key that signs push messages",
        "mails": "mail address",
        "mutes": "mutes",
        "notices": "which turns somebody was notified of",
        "plans": "plans of turns ahead",
        "opening_turns": "openings and results of finished games",
        "preferences": "permission to get texts",
        "presence": "which seats are connected",
        "pushes": "push subscriptions",
        "quotas": "what is used of quotas",
        "recovery_codes": "recovery codes",
        "reports": "reports",
        "results": "openings and results of finished games",
        "reviews": "reviews of games",
        "said": "messages at a table",
        "seats": "secrets of seats",
        "sessions": "sign-ins",
        "studies": "studies: names",
        "study_connections": "how many are connected to a study",
        "study_events": "studies: names, chapters, changes",
        "study_people": "who may edit a study",
        "study_reports": "reports",
        "tokens": "tokens",
    }
    assert {str(table.name) for table in schema.metadata.sorted_tables} == set(described)
    assert [words for words in described.values() if words not in PAGE] == []
