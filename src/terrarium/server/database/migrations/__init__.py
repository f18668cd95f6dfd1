"""The migrations of the database, forward only. `upgrade` runs at every start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from terrarium.play.errors import Unavailable

if TYPE_CHECKING:
    from alembic.config import Config

__all__ = ["head", "refuse_newer", "upgrade"]


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """The newest schema that this program has."""
    return max(_known())


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Migrate the database to a schema, by default the newest; a database of a newer program is refused."""
    current = refuse_newer(connection)
    if current == (head() if revision == "head" else revision):
        return
    # Imported here, because a start without a migration is half a second faster without it.
    from alembic import command

    command.upgrade(_config(connection), revision)


def refuse_newer(connection: Connection) -> str | None:
    """The schema of a database, None if it has none yet; refused if this program does not have that schema."""
    current = _current(connection)
    if current is not None and current not in _known():
        message = f"the database has schema {current!r}, which a newer Terrarium made; use that one"
        raise Unavailable("database-newer", message)
    return current


def _known() -> set[str]:
    """All schemas: the files of migrations are named after their numbers."""
    return {path.name[:4] for path in (Path(__file__).parent / "versions").glob("[0-9]*.py")}


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found
