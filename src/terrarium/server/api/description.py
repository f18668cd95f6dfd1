"""Completes the generated OpenAPI description: pictures as binary data, and the lines of streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litestar import Request
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin

__all__ = ["LINES", "Description", "completed", "line_stream", "operation_id"]

LINES = "application/x-ndjson"
_BINARY = {"type": "string", "format": "binary"}


def line_stream(line: Any) -> ResponseSpec:
    """The response of a stream whose lines are JSON of this type."""
    return ResponseSpec(
        line,
        description="One JSON object per line; empty lines may come in between.",
        media_type=LINES,
        generate_examples=False,
    )


def operation_id(handler: HTTPRouteHandler, *_: object) -> str:
    """The name of an operation in generated clients: the name of its handler function."""
    return handler.handler_name


def completed(schema: dict[str, Any]) -> dict[str, Any]:
    """The description with binary responses, and the type of a stream's lines as `itemSchema` (from OpenAPI 3.2)."""
    for kind, content in _contents(schema):
        if kind == LINES and "itemSchema" not in content:
            content["itemSchema"] = content["schema"]
        if kind == LINES or kind.startswith("image/"):
            content["schema"] = _BINARY
    return schema


def _contents(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for operations in schema["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                yield from response.get("content", {}).items()


class Description(JsonRenderPlugin):
    """Serves the completed description."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """The description as JSON."""
        return super().render(request, completed(openapi_schema))
