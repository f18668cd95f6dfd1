"""The tables of the database. `events` is the source of truth; everything else about a game can be rebuilt from it."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

__all__ = [
    "accounts",
    "acts",
    "aliases",
    "attempts",
    "challenges",
    "events",
    "games",
    "holders",
    "invites",
    "keys",
    "mails",
    "metadata",
    "mutes",
    "notices",
    "opening_turns",
    "plans",
    "preferences",
    "presence",
    "pushes",
    "quotas",
    "recovery_codes",
    "reports",
    "results",
    "reviews",
    "said",
    "seats",
    "sessions",
    "studies",
    "study_connections",
    "study_events",
    "study_people",
    "study_reports",
    "tokens",
]

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _game() -> ForeignKey:
    return ForeignKey("games.id", ondelete="CASCADE")


def _account() -> ForeignKey:
    return ForeignKey("accounts.id", ondelete="CASCADE")


def _study() -> ForeignKey:
    return ForeignKey("studies.id", ondelete="CASCADE")


games = Table(
    "games",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(64), nullable=False),
    Column("players", Integer, nullable=False),
    Column("board", String(80)),
    Column("visibility", String(8), nullable=False),
    Column("status", String(8), nullable=False),
    Column("has_open_seat", Boolean, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("names", Text, nullable=False),
    Column("awaits_computer", Boolean, nullable=False),
    Column("deadline", BigInteger),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("head", String(32), nullable=False, server_default=""),
    Column("quarantine", Text),
    # Whether the openings and the result of a finished game are in their tables.
    Column("is_indexed", Boolean, nullable=False, server_default=false()),
    Index(None, "is_indexed", "status"),
    Index(None, "visibility", "status", "updated"),
    Index(None, "deadline"),
    Index(None, "awaits_computer"),
)

events = Table(
    "events",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("seat", Integer),
    Column("key", String(80)),
    Column("data", Text, nullable=False),
    Column("digest", String(32), nullable=False, server_default=""),
    UniqueConstraint("game_id", "key"),
)

seats = Table(
    "seats",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("secret_hash", String(64)),
)

holders = Table(
    "holders",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("person", String(64), primary_key=True),
    Index(None, "person"),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("name_key", String(64), nullable=False, unique=True),
    Column("password", Text, nullable=False),
    Column("vacation_since", BigInteger),
    Column("vacation_used", BigInteger, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("vacation_year", Integer, nullable=False, server_default="0"),
    Column("skeleton", String(255)),
    Column("is_bot", Boolean, nullable=False, server_default=false()),
    Column("banned", BigInteger),
    Column("is_operator", Boolean, nullable=False, server_default=false()),
    Index("uq_accounts_skeleton", "skeleton", unique=True),
    Index(None, "vacation_since"),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("account_id", String(32), _account(), primary_key=True),
    Column("code_hash", String(64), primary_key=True),
)

aliases = Table(
    "aliases",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("account_id", String(32), _account(), nullable=False),
    Index(None, "account_id"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("account_id", String(32), _account(), nullable=False),
    Column("created", BigInteger, nullable=False),
    Index(None, "account_id"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("account_id", String(32), _account(), nullable=False),
    Column("name", String(64), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("scopes", String(200), nullable=False),
    Column("created", BigInteger, nullable=False),
    Index(None, "account_id"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("account_id", String(32), _account(), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("puzzle", String(32), primary_key=True),
    Column("result", String(8), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("solved", BigInteger),
)

challenges = Table(
    "challenges",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("challenger", String(32), _account(), nullable=False),
    Column("challenged", String(32), _account(), nullable=False),
    Column("by_bot", Boolean, nullable=False),
    Column("data", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("game_id", String(32)),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Index(None, "challenger", "updated"),
    Index(None, "challenged", "updated"),
    Index(None, "status", "expires"),
    Index(None, "updated"),
)

presence = Table(
    "presence",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("worker", String(16), primary_key=True),
    Column("until", BigInteger, nullable=False),
)

said = Table(
    "said",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    # One bit for each seat that may read it, including the sender's.
    Column("readers", Integer, nullable=False),
    Column("phrase", String(32)),
    Column("text", Text),
)

preferences = Table(
    "preferences",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("allows_text", Boolean, nullable=False),
)

mutes = Table(
    "mutes",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("muted", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
)

plans = Table(
    "plans",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("game_id", String(32), _game(), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("base", Integer, nullable=False),
    Column("turns", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("state", String(8), nullable=False),
    Column("done", Integer, nullable=False),
    Column("reason", String(40)),
    # The seq of the game when a worker last checked whether the plan was due.
    Column("seen", Integer, nullable=False),
    Index(None, "game_id"),
    Index(None, "state"),
)

pushes = Table(
    "pushes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("person", String(64), nullable=False),
    Column("endpoint", Text, nullable=False),
    Column("p256dh", String(200), nullable=False),
    Column("auth", String(200), nullable=False),
    Column("language", String(2), nullable=False),
    Column("created", BigInteger, nullable=False),
    Index(None, "person"),
)

mails = Table(
    "mails",
    metadata,
    Column("account_id", String(32), _account(), primary_key=True),
    Column("address", String(254), nullable=False),
    Column("language", String(2), nullable=False),
    # NULL after the address was confirmed.
    Column("code_hash", String(64)),
    Column("created", BigInteger, nullable=False),
)

notices = Table(
    "notices",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
)

keys = Table(
    "keys",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", Text, nullable=False),
)

quotas = Table(
    "quotas",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("full_at", BigInteger, nullable=False),
    Index(None, "full_at"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("status", String(8), nullable=False),
    Column("data", Text, nullable=False),
    Column("updated", BigInteger, nullable=False),
    # Counts of the faults by seat, after the review is done.
    Column("faults", Text),
)

opening_turns = Table(
    "opening_turns",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("position", String(16), primary_key=True),
    Column("after", String(16), nullable=False),
    Column("actions", Text, nullable=False),
    Column("winners", String(32), nullable=False),
    Column("is_listed", Boolean, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Index(None, "position", "is_listed", "ended"),
)

results = Table(
    "results",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("game", String(64), nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("data", Text, nullable=False),
)

acts = Table(
    "acts",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("operator", String(64), nullable=False),
    Column("act", String(32), nullable=False),
    Column("subject", String(64), nullable=False),
    Column("details", Text, nullable=False),
)

invites = Table(
    "invites",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("code_hash", String(64), nullable=False, unique=True),
    Column("note", Text, nullable=False),
    Column("uses_left", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
)

reports = Table(
    "reports",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("game_id", String(32), _game(), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("by_seat", Integer, nullable=False),
    Column("account_id", String(32), _account()),
    Column("reason", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("closed", BigInteger),
    UniqueConstraint("game_id", "seat", "by_seat"),
    Index(None, "account_id"),
    Index(None, "closed", "created"),
)

studies = Table(
    "studies",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("visibility", String(8), nullable=False),
    # The hash of the secret of the link for editors; NULL if there is none.
    Column("secret_hash", String(64)),
    Column("name", Text, nullable=False),
    Column("game", String(64)),
    Column("chapters", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    # The size of the whole log.
    Column("bytes", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("head", String(32), nullable=False, server_default=""),
    Index(None, "owner"),
    Index(None, "updated"),
)

study_events = Table(
    "study_events",
    metadata,
    Column("study_id", String(32), _study(), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("key", String(80)),
    Column("data", Text, nullable=False),
    Column("digest", String(32), nullable=False, server_default=""),
    UniqueConstraint("study_id", "key"),
)

study_people = Table(
    "study_people",
    metadata,
    Column("study_id", String(32), _study(), primary_key=True),
    Column("person", String(64), primary_key=True),
    Index(None, "person"),
)

study_reports = Table(
    "study_reports",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("study_id", String(32), _study(), nullable=False),
    # A digest of the study and the person who reported it, so that the report names nobody.
    Column("reporter", String(64), nullable=False),
    Column("account_id", String(32), _account()),
    Column("reason", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("closed", BigInteger),
    UniqueConstraint("study_id", "reporter"),
    Index(None, "account_id"),
    Index(None, "closed", "created"),
)

study_connections = Table(
    "study_connections",
    metadata,
    Column("study_id", String(32), _study(), primary_key=True),
    Column("worker", String(16), primary_key=True),
    Column("editors", Integer, nullable=False),
    Column("readers", Integer, nullable=False),
    Column("until", BigInteger, nullable=False),
)
