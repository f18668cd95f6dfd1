"""Longer names of games, because other packages choose them; SQLite does not limit the length of texts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("games", "game", type_=sa.String(64))
