"""Executors that play games: processes of this machine, or a Ray cluster."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from typing import Any, ParamSpec, TypeVar, cast

from terrarium.errors import EngineError

__all__ = ["RayExecutor", "cores", "workers"]

P = ParamSpec("P")
T = TypeVar("T")


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def workers(jobs: int | None = None, ray: str | None = None) -> Iterator[tuple[Executor, int]]:
    """An executor and how many games it plays at once; `ray` is the address of a cluster, or `local`."""
    pool: Executor
    if jobs is not None and not 1 <= jobs <= 4096:
        raise EngineError("bad-jobs", f"jobs={jobs}: from 1 to 4096")
    if ray is None:
        jobs = jobs or cores()
        pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_end_quietly)
    else:
        pool = RayExecutor(ray)
        jobs = jobs or pool.cores
    try:
        yield pool, jobs
    finally:
        pool.shutdown(cancel_futures=True)


def _end_quietly() -> None:
    """Make a worker end at once and without output when the command is interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _check_address(address: str) -> None:
    """Raise EngineError if nothing listens at this address; Ray would retry for minutes and print every attempt."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (host and colon and port.isdecimal()):
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        message = (
            f"{address:.80}: no Ray cluster answers there; `--ray local` starts one here ({error})"
        )
        raise EngineError("no-cluster", message) from error


class RayExecutor(Executor):
    """Runs functions as tasks of a Ray cluster; Terrarium must be installed on its machines."""

    def __init__(self, address: str) -> None:
        try:
            self._ray: Any = import_module("ray")
        except ImportError as error:
            message = "--ray needs Ray; install it with: pip install 'terrarium-games[ray]'"
            raise EngineError("no-ray", message) from error
        _check_address(address)
        try:
            self._ray.init(
                address=address,
                include_dashboard=False if address == "local" else None,
                log_to_driver=False,
                logging_level="ERROR",
                ignore_reinit_error=True,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            message = f"{address:.80}: no Ray cluster answers there; `--ray local` starts one here ({reason:.200})"
            raise EngineError("no-cluster", message) from error
        self._tasks: dict[Any, Any] = {}

    @property
    def cores(self) -> int:
        """How many processors the cluster has."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        task = self._tasks.get(fn)
        if task is None:
            task = self._tasks[fn] = self._ray.remote(fn)
        answer = task.remote(*args, **kwargs)
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()

        def settle(done: Future[Any]) -> None:
            error = done.exception()
            if error is None:
                future.set_result(done.result())
            else:
                # Ray wraps a task's exception; callers expect the original one.
                cause = getattr(error, "cause", None)
                future.set_exception(cause if isinstance(cause, BaseException) else error)

        cast("Future[Any]", answer.future()).add_done_callback(settle)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ray.shutdown()
