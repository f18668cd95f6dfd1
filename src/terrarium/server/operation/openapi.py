"""The OpenAPI description as text, for the repository and for generators of clients."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from terrarium.server.api.description import completed
from terrarium.server.app import Application
from terrarium.server.settings import Settings

__all__ = ["description"]


def description() -> str:
    """The description of the HTTP interface, sorted so that diffs are easy to read."""
    with tempfile.TemporaryDirectory() as folder:
        application = Application(Settings(data=Path(folder), secret="none"))
        schema = completed(application.api.openapi_schema.to_schema())
    return json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(description())
