"""Accounts of operators, who may act in the page."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "accounts",
        sa.Column("is_operator", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
