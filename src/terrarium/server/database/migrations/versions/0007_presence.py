"""The connected seats by worker, each with the end of its lease, so that all workers can read them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "presence",
        sa.Column(
            "game_id",
            sa.String(32),
            sa.ForeignKey("games.id", name="fk_presence_game_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("seat", sa.Integer(), primary_key=True),
        sa.Column("worker", sa.String(16), primary_key=True),
        sa.Column("until", sa.BigInteger(), nullable=False),
    )
