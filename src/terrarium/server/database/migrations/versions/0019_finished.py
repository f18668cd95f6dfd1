"""An index of finished games: their openings, their results, and the faults that reviews found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def _game(table: str) -> sa.Column[str]:
    key = sa.ForeignKey("games.id", name=f"fk_{table}_game_id", ondelete="CASCADE")
    return sa.Column("game_id", sa.String(32), key, primary_key=True)


def upgrade() -> None:
    op.add_column(
        "games", sa.Column("is_indexed", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_index("ix_games_is_indexed_status", "games", ["is_indexed", "status"])
    op.add_column("reviews", sa.Column("faults", sa.Text()))
    op.create_table(
        "opening_turns",
        _game("opening_turns"),
        sa.Column("position", sa.String(16), primary_key=True),
        sa.Column("after", sa.String(16), nullable=False),
        sa.Column("actions", sa.Text(), nullable=False),
        sa.Column("winners", sa.String(32), nullable=False),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
    )
    op.create_index(
        "ix_opening_turns_position_is_listed_ended",
        "opening_turns",
        ["position", "is_listed", "ended"],
    )
    op.create_table(
        "results",
        _game("results"),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
    )
