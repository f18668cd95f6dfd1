"""Data for operators: bans, quarantined games, invites, reports of players, and a log of all acts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("banned", sa.BigInteger()))
    op.add_column("games", sa.Column("quarantine", sa.Text()))
    op.create_table(
        "acts",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("operator", sa.String(64), nullable=False),
        sa.Column("act", sa.String(32), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
    )
    op.create_table(
        "invites",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("code_hash", name="uq_invites_code_hash"),
    )
    game = sa.ForeignKey("games.id", name="fk_reports_game_id", ondelete="CASCADE")
    account = sa.ForeignKey("accounts.id", name="fk_reports_account_id", ondelete="CASCADE")
    op.create_table(
        "reports",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("game_id", sa.String(32), game, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("by_seat", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.String(32), account),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("closed", sa.BigInteger()),
        sa.UniqueConstraint("game_id", "seat", "by_seat", name="uq_reports_game_id_seat_by_seat"),
    )
    op.create_index("ix_reports_account_id", "reports", ["account_id"])
    op.create_index("ix_reports_closed_created", "reports", ["closed", "created"])
