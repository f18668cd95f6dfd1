"""Sessions are rows, so that each can end separately; they replace the epoch of an account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "account_id",
            sa.String(32),
            sa.ForeignKey("accounts.id", name="fk_sessions_account_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_index(op.f("ix_sessions_account_id"), "sessions", ["account_id"])
    op.drop_column("accounts", "epoch")
