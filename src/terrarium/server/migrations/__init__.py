"""The database's history, forward only. `upgrade` runs at every start."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from terrarium.server.errors import Unavailable

__all__ = ["head", "upgrade"]


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """The newest schema this program knows."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None
    return revision


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the database to a schema, by default the newest; one from a newer program is refused."""
    config = _config(connection)
    current = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        message = f"the database has schema {current!r}, which a newer Terrarium made; use that one"
        raise Unavailable("database-newer", message)
    command.upgrade(config, revision)
