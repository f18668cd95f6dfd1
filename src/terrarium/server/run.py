"""Runs the application under uvicorn, with one or several workers."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from typing import Any

import uvicorn

from terrarium.server.http.connections import BoundedHttp, BoundedWebSocket
from terrarium.server.operation.logs import configure
from terrarium.server.operation.siblings import FOLDER
from terrarium.server.settings import InvalidSettings, Settings

__all__ = ["listen", "run"]


def listen(settings: Settings) -> socket.socket:
    """The listening socket, opened before anything else is set up."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind((settings.host, settings.port))
    except OSError as error:
        server.close()
        message = f"{settings.host}:{settings.port}: {error.strerror}; choose another --port"
        raise InvalidSettings("port-taken", message) from None
    server.listen(2048)
    server.set_inheritable(True)
    return server


def uvicorn_config(app: Any, settings: Settings, **more: Any) -> uvicorn.Config:
    """The configuration of uvicorn."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        http=BoundedHttp,
        ws=BoundedWebSocket,
        ws_max_size=settings.max_frame,
        ws_per_message_deflate=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=settings.stop_seconds,
        lifespan="on",
        **more,
    )


def run(settings: Settings, listening: socket.socket) -> int:
    """Serve until a signal stops the process; returns the exit code."""
    configure(settings)
    # uvicorn raises the signal again after it has stopped; this handler makes the process exit normally.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    _allow_files(settings.max_sockets + settings.max_waiting + 500)
    # Boards and records are computed in threads, which must release the GIL for requests sooner than by default.
    sys.setswitchinterval(0.001)
    with listening:
        return _serve(settings, listening)


def _allow_files(wanted: int) -> None:
    """Raise the limit of open files, most of which are sockets, as far as the system allows."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _serve(settings: Settings, listening: socket.socket) -> int:
    if settings.workers == 1:
        from terrarium.server.app import Application

        server = uvicorn.Server(uvicorn_config(Application(settings), settings))
        server.run(sockets=[listening])
        return 0 if server.started else 1
    from uvicorn.supervisors import Multiprocess

    os.environ.update(settings.environment())
    config = uvicorn_config(
        "terrarium.server.app:build", settings, factory=True, workers=settings.workers
    )
    with tempfile.TemporaryDirectory(prefix="terrarium-", ignore_cleanup_errors=True) as folder:
        os.environ[FOLDER] = folder
        Multiprocess(config, [listening]).run()
    return 0
