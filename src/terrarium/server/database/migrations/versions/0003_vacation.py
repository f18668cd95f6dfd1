"""Vacation is counted per year and ends automatically."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    year = sa.Column("vacation_year", sa.Integer(), nullable=False, server_default="0")
    op.add_column("accounts", year)
    op.create_index(op.f("ix_accounts_vacation_since"), "accounts", ["vacation_since"])
