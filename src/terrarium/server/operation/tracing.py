"""Traces by OpenTelemetry, if the settings name a collector: a span for each request and each use of the database.

Spans contain methods, addresses without ids, and statuses; never names, secrets or turns.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import terrarium
from terrarium.server.settings import InvalidSettings, Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

__all__ = ["Span", "Tracing", "no_span"]

Span = Callable[[str], AbstractContextManager[Any]]
_IDS = re.compile(
    r"(?<=/games/)[^/]+|(?<=/boards/)[^/]+|(?<=/)[0-9a-f]{12,}(?=/|$)|(?<=/)\d+(?=/|$)"
)


def no_span(name: str) -> AbstractContextManager[Any]:
    """A context that traces nothing."""
    return contextlib.nullcontext()


class Tracing:
    """Sends spans to a collector."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("terrarium", terrarium.__version__)

    @classmethod
    def load(cls, settings: Settings) -> Tracing | None:
        """Tracing to the collector in the settings; None without one."""
        if not settings.traces:
            return None
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            message = "traces need more packages: pip install 'terrarium-games[tracing]'"
            raise InvalidSettings("setting-traces", message) from None
        resource = Resource.create(
            {"service.name": "terrarium", "service.version": terrarium.__version__}
        )
        provider = TracerProvider(resource=resource)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(settings.traces)))
        return cls(provider)

    def span(self, name: str) -> AbstractContextManager[Any]:
        """A span with this name."""
        # Exceptions are not recorded, because they may quote what people sent.
        return self._tracer.start_as_current_span(name, record_exception=False)

    async def request(self, app: Any, scope: Any, receive: Any, send: Any) -> None:
        """Handle a request within a span."""
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        method, route = scope["method"], _IDS.sub("{id}", scope["path"])
        route = route if route.startswith(("/api/", "/health/", "/metrics")) else "(page)"
        with self.span(f"{method} {route}") as span:
            span.set_attribute("http.request.method", method)
            span.set_attribute("http.route", route)

            async def sending(message: Any) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            await app(scope, receive, sending)

    def close(self) -> None:
        """Send the waiting spans."""
        self._provider.shutdown()
