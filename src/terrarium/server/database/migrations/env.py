"""Alembic's environment: it uses the connection that the store passes to it."""

from __future__ import annotations

from alembic import context

from terrarium.server.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
)
context.run_migrations()
