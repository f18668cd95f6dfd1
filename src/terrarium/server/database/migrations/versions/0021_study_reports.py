"""Reports of studies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "study_reports",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column(
            "study_id",
            sa.String(32),
            sa.ForeignKey("studies.id", ondelete="CASCADE", name="fk_study_reports_study_id"),
            nullable=False,
        ),
        sa.Column("reporter", sa.String(64), nullable=False),
        sa.Column(
            "account_id",
            sa.String(32),
            sa.ForeignKey("accounts.id", ondelete="CASCADE", name="fk_study_reports_account_id"),
        ),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("closed", sa.BigInteger()),
        sa.UniqueConstraint("study_id", "reporter", name="uq_study_reports_study_id_reporter"),
    )
    op.create_index("ix_study_reports_account_id", "study_reports", ["account_id"])
    op.create_index("ix_study_reports_closed_created", "study_reports", ["closed", "created"])
