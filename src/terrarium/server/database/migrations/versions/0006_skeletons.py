"""Names of accounts that look alike are refused; of existing accounts with such names the first keeps the skeleton."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from terrarium.server.database.upgrades import fill_skeletons

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("skeleton", sa.String(255)))
    fill_skeletons(op.get_bind())
    op.create_index(op.f("uq_accounts_skeleton"), "accounts", ["skeleton"], unique=True)
