"""A resignation is not a turn."""

from __future__ import annotations

from alembic import op

from terrarium.server.database.upgrades import renumber_turns

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    renumber_turns(op.get_bind())
