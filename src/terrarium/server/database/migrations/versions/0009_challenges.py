"""Challenges between accounts, and which accounts are bots."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "accounts", sa.Column("is_bot", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_table(
        "challenges",
        sa.Column("id", sa.String(32), primary_key=True),
        _account("challenger"),
        _account("challenged"),
        sa.Column("by_bot", sa.Boolean(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("game_id", sa.String(32)),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("updated", sa.BigInteger(), nullable=False),
    )
    for columns in (
        ("challenger", "updated"),
        ("challenged", "updated"),
        ("status", "expires"),
        ("updated",),
    ):
        op.create_index(f"ix_challenges_{'_'.join(columns)}", "challenges", list(columns))


def _account(name: str) -> sa.Column[str]:
    key = sa.ForeignKey("accounts.id", name=f"fk_challenges_{name}", ondelete="CASCADE")
    return sa.Column(name, sa.String(32), key, nullable=False)
