"""The tables of the database. `events` is the truth; what else describes a game can be rebuilt from it."""

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
)

__all__ = [
    "accounts",
    "aliases",
    "events",
    "games",
    "holders",
    "metadata",
    "presence",
    "recovery_codes",
    "reviews",
    "seats",
    "sessions",
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


games = Table(
    "games",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(16), nullable=False),
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

presence = Table(
    "presence",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("worker", String(16), primary_key=True),
    Column("until", BigInteger, nullable=False),
)

reviews = Table(
    "reviews",
    metadata,
    Column("game_id", String(32), _game(), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("status", String(8), nullable=False),
    Column("data", Text, nullable=False),
    Column("updated", BigInteger, nullable=False),
)
