"""No two accounts have names that look alike; of accounts that already do, the first has the name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from terrarium.server.accounts.names import skeleton

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("skeleton", sa.String(255)))
    connection = op.get_bind()
    rows = connection.execute(sa.text("SELECT id, name FROM accounts ORDER BY created, id")).all()
    seen: set[str] = set()
    for row in rows:
        found = skeleton(row.name)
        if found not in seen:
            seen.add(found)
            update = sa.text("UPDATE accounts SET skeleton = :skeleton WHERE id = :id")
            connection.execute(update, {"id": row.id, "skeleton": found})
    op.create_index(op.f("uq_accounts_skeleton"), "accounts", ["skeleton"], unique=True)
