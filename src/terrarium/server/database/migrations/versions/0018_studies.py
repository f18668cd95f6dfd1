"""Studies: their logs, who may edit them, and who is connected to them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "studies",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("secret_hash", sa.String(64)),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("game", sa.String(64)),
        sa.Column("chapters", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("updated", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_studies_owner", "studies", ["owner"])
    op.create_index("ix_studies_updated", "studies", ["updated"])
    op.create_table(
        "study_events",
        _study("study_events"),
        sa.Column("seq", sa.Integer(), primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.String(80)),
        sa.Column("data", sa.Text(), nullable=False),
        sa.UniqueConstraint("study_id", "key", name="uq_study_events_study_id_key"),
    )
    op.create_table(
        "study_people",
        _study("study_people"),
        sa.Column("person", sa.String(64), primary_key=True),
    )
    op.create_index("ix_study_people_person", "study_people", ["person"])
    op.create_table(
        "study_connections",
        _study("study_connections"),
        sa.Column("worker", sa.String(16), primary_key=True),
        sa.Column("editors", sa.Integer(), nullable=False),
        sa.Column("readers", sa.Integer(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
    )


def _study(table: str) -> sa.Column[Any]:
    key = sa.ForeignKey("studies.id", name=f"fk_{table}_study_id", ondelete="CASCADE")
    return sa.Column("study_id", sa.String(32), key, primary_key=True)
