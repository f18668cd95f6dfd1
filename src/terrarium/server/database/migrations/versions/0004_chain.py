"""Each event has a digest that includes its predecessor's, and each game the last one, so that damage is found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from terrarium.server.database.chain import chain_all

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("events", sa.Column("digest", sa.String(32), nullable=False, server_default=""))
    op.add_column("games", sa.Column("head", sa.String(32), nullable=False, server_default=""))
    chain_all(op.get_bind())
