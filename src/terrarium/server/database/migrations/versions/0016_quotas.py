"""The used quotas of addresses and people, counted for all workers together."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "quotas",
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("full_at", sa.BigInteger(), nullable=False),
        sa.Index("ix_quotas_full_at", "full_at"),
    )
