"""Messages at tables until their games are over, who allows texts, and who is muted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "said",
        sa.Column(
            "game_id",
            sa.String(32),
            sa.ForeignKey("games.id", name="fk_said_game_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("readers", sa.Integer(), nullable=False),
        sa.Column("phrase", sa.String(32)),
        sa.Column("text", sa.Text()),
    )
    op.create_table(
        "preferences",
        sa.Column("person", sa.String(64), primary_key=True),
        sa.Column("allows_text", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "mutes",
        sa.Column("person", sa.String(64), primary_key=True),
        sa.Column("muted", sa.String(64), primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
