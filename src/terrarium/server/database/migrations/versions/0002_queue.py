"""The queue of turns that computers think about, for servers on PostgreSQL; SQLite needs none."""

from __future__ import annotations

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    # Sent directly to the driver, because SQLAlchemy does not accept several statements with percent signs.
    cursor = connection.connection.cursor()
    cursor.execute(SchemaManager.get_schema())
    cursor.close()
