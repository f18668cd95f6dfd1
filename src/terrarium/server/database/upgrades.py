"""Updates of rows from older versions: after a migration, and after an old backup is restored."""

from __future__ import annotations

from sqlalchemy import Connection, text

from terrarium.server.accounts.names import skeleton
from terrarium.server.database.chain import GameDamaged, inspect_game

__all__ = ["fill_skeletons", "renumber_turns"]


def fill_skeletons(connection: Connection) -> None:
    """Set the skeleton of every account; of accounts whose names look alike, only the first gets it."""
    query = "SELECT id, name, skeleton FROM accounts ORDER BY created, id"
    rows = connection.execute(text(query)).all()
    seen = {row.skeleton for row in rows if row.skeleton is not None}
    for row in rows:
        found = skeleton(row.name)
        if row.skeleton is None and found not in seen:
            seen.add(found)
            update = text("UPDATE accounts SET skeleton = :skeleton WHERE id = :id")
            connection.execute(update, {"id": row.id, "skeleton": found})


def renumber_turns(connection: Connection) -> None:
    """Count the turns of games with resignations again: older versions counted a resignation as a turn.

    Reviews of these games have the old numbers and are deleted; they can be made again.
    """
    kinds = "SELECT DISTINCT game_id FROM events WHERE kind IN ('resigned', 'timed-out')"
    for game_id in connection.execute(text(kinds)).scalars().all():
        query = text("SELECT * FROM events WHERE game_id = :game ORDER BY seq")
        table = inspect_game(game_id, connection.execute(query, {"game": game_id}).all())
        if isinstance(table, GameDamaged):
            continue
        facts = {"game": game_id, "turns": table.index()["turns"]}
        connection.execute(text("UPDATE games SET turns = :turns WHERE id = :game"), facts)
        connection.execute(text("DELETE FROM reviews WHERE game_id = :game"), {"game": game_id})
