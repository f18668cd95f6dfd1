"""Turns that people planned ahead, and their results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "plans",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column(
            "game_id",
            sa.String(32),
            sa.ForeignKey("games.id", name="fk_plans_game_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("base", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(40)),
        sa.Column("seen", sa.Integer(), nullable=False),
    )
    op.create_index("ix_plans_game_id", "plans", ["game_id"])
    op.create_index("ix_plans_state", "plans", ["state"])
