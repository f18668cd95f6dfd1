"""How Alembic reaches the database: through the connection that the store hands it."""

from __future__ import annotations

from alembic import context

from terrarium.server.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
)
context.run_migrations()
