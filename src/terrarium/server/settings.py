"""The settings of the server: from command-line options, the environment, or defaults."""

from __future__ import annotations

import difflib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from platformdirs import user_data_dir

from terrarium.errors import TerrariumError

__all__ = ["KEY_FILE", "InvalidSettings", "Settings"]

_PREFIX = "TERRARIUM_"
_LEAST = {
    "workers": 1,
    "rate": 0,
    "engine_seconds": 0.01,
    "max_body": 1,
    "max_frame": 1,
    "send_queue": 1,
    "max_sockets": 1,
    "max_sockets_each": 1,
    "max_waiting_each": 1,
    "client_seconds": 0.01,
    "cached_games": 1,
    "claim_seconds": 1,
    "stop_seconds": 0,
    "keep_unbegun_days": 0,
    "keep_guest_days": 0,
    "max_games_each": 1,
}
_OTHERS = frozenset(
    _PREFIX + name
    for name in ("NATIVE", "CHECKED", "LONG", "VERIFY_GAMES", "SERVER", "TOKEN", "PASSWORD")
)
"""Environment variables that are not settings of the server: of the build, the tests, and the command line of bots."""
_HIDDEN = {"password", "sslpassword", "passwd"}
KEY_FILE = "secret.key"


class InvalidSettings(TerrariumError):
    """A setting, or a combination of settings, that the server can't run with."""


@dataclass(frozen=True)
class Settings:
    """All settings. The environment variable of a setting is `TERRARIUM_` and its name in capitals.

    >>> Settings(database="postgresql://club:pass@db/terrarium").describe()["database"]
    'postgresql://club:***@db/terrarium'
    """

    host: str = "127.0.0.1"
    port: int = 8000
    data: Path = field(default_factory=lambda: Path(user_data_dir("terrarium")))
    database: str = ""
    """`sqlite:///path` or `postgresql://…`; empty for SQLite in the data folder."""
    workers: int = 1
    secret: str = ""
    """The key that signs cookies; empty for a key file in the data folder, created at the first start."""
    origins: tuple[str, ...] = ()
    """Addresses of the page, such as `https://club.example`; by default this machine's own addresses."""
    engine_threads: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))
    engine_seconds: float = 10.0
    """The most seconds that a computer thinks about one turn."""
    sign_up: str = "open"
    """Who may create an account: everybody (`open`), people with an `invite`, or nobody (`closed`)."""
    page_folder: str = ""
    """A folder made by `terrarium site --server`; empty for the page of the package, which does not run Python in the browser."""
    rate: float = 1.0
    """A factor for all rate limits; 0 disables them."""
    max_body: int = 262_144
    max_frame: int = 4_096
    send_queue: int = 64
    """The most messages that may wait for a slow watcher before it is dropped."""
    max_sockets: int = 10_000
    max_sockets_each: int = 500
    """The most open sockets and streams from one address."""
    max_waiting_each: int = 100
    """The most connections from one address that may wait for their client; beyond this the oldest is closed."""
    client_seconds: float = 10.0
    """The time in which a client must send its headers, and read some of the response; a body may take twice as long."""
    cached_games: int = 2_000
    claim_seconds: int = 600
    """A seat to move that has neither played nor been connected for this long may be claimed."""
    max_games_each: int = 500
    """The most unfinished games in which one person may hold seats when starting another."""
    keep_unbegun_days: int = 30
    """Games without any turn are deleted after this many days without a change; 0 keeps them."""
    keep_guest_days: int = 0
    """Finished games in which no account has a seat are deleted after this many days; 0 keeps them."""
    metrics: str = "local"
    """Who may read /metrics: `local`, `all` or `off`."""
    traces: str = ""
    """The address of an OpenTelemetry collector (OTLP over HTTP) for traces; empty for no traces."""
    log_level: str = "info"
    log_format: str = "text"
    """`text` or `json`, one line per entry."""
    banner: str = "text"
    """The format of the output at start, for people (`text`) or programs (`json`)."""
    stop_seconds: int = 10
    smtp_url: str = ""
    """The mail server, `smtp://host` or `smtps://name:password@host`; empty for no emails."""
    mail_from: str = "Terrarium <terrarium@localhost>"
    """The sender of emails, and the contact address for push services."""
    push_hosts: tuple[str, ...] = ()
    """Push services inside this network, as host:port; all others must have public https addresses."""

    def __post_init__(self) -> None:
        _check_choice("metrics", self.metrics, ("local", "all", "off"))
        _check_choice("sign_up", self.sign_up, ("open", "invite", "closed"))
        _check_choice("log_format", self.log_format, ("text", "json"))
        _check_choice("banner", self.banner, ("text", "json"))
        _check_choice("log_level", self.log_level, ("debug", "info", "warning", "error"))
        if not 0 <= self.port <= 65535:
            raise InvalidSettings("setting-port", f"port {self.port}: a port is 0 to 65535")
        if self.engine_threads < (0 if self.is_postgres else 1):
            message = f"engine_threads {self.engine_threads}: at least 1, or 0 if only workers think (PostgreSQL)"
            raise InvalidSettings("setting-number", message)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if not value >= least or value == float("inf"):
                raise InvalidSettings("setting-number", f"{name} {value}: must be at least {least}")
        scheme = urlsplit(self.database).scheme.split("+")[0]
        if self.database and scheme not in ("sqlite", "postgresql", "postgres"):
            message = (
                f"database {_hidden_url(self.database)!r}: use sqlite:///path or postgresql://…"
            )
            raise InvalidSettings("setting-database", message)
        if self.workers > 1 and not self.is_postgres:
            message = (
                f"{self.workers} workers: SQLite allows one, because a write-ahead log written by several "
                "processes can be corrupted; give a PostgreSQL database for more"
            )
            raise InvalidSettings("sqlite-one-worker", message)
        smtp = urlsplit(self.smtp_url)
        if self.smtp_url and (smtp.scheme not in ("smtp", "smtps") or not smtp.hostname):
            message = f"smtp_url {_hidden_url(self.smtp_url)!r}: use smtp://host or smtps://host"
            raise InvalidSettings("setting-smtp", message)
        if "@" not in self.mail_from or not self.mail_from.isprintable():
            message = f"mail_from {self.mail_from!r}: write an email address"
            raise InvalidSettings("setting-smtp", message)
        if self.traces and urlsplit(self.traces).scheme not in ("http", "https"):
            message = f"traces {_hidden_url(self.traces)!r}: write the http address of a collector"
            raise InvalidSettings("setting-traces", message)
        for origin in self.origins:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
                message = f"origin {origin!r}: write scheme and host, such as https://club.example"
                raise InvalidSettings("setting-origin", message)

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, **flags: Any) -> Settings:
        """Settings from the environment; `flags` that are not None override them."""
        environment = os.environ if environment is None else environment
        _check_names(environment)
        hints = get_type_hints(cls)
        given: dict[str, Any] = {}
        for item in fields(cls):
            text = environment.get(_PREFIX + item.name.upper())
            if text is not None:
                given[item.name] = _converted(item.name, text, hints[item.name])
        given.update({name: value for name, value in flags.items() if value is not None})
        return cls(**given)

    @property
    def max_waiting(self) -> int:
        """The most connections that may wait for their clients, from all addresses together."""
        return max(500, self.max_sockets // 4)

    @property
    def is_postgres(self) -> bool:
        """Whether the database is PostgreSQL."""
        return self.database.startswith("postgres")

    @property
    def database_path(self) -> Path:
        """The SQLite file."""
        if self.database:
            return Path(self.database.split("///", 1)[-1])
        return self.data / "terrarium.db"

    @property
    def database_url(self) -> str:
        """The database address for SQLAlchemy."""
        if self.is_postgres:
            return "postgresql+psycopg://" + self.database.split("://", 1)[1]
        return f"sqlite+aiosqlite:///{self.database_path}"

    @property
    def postgres_dsn(self) -> str:
        """The database address for psycopg."""
        return "postgresql://" + self.database.split("://", 1)[1]

    @property
    def url(self) -> str:
        """The address of the page for a browser on this machine."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def push_contact(self) -> str:
        """The contact address for push services, in their format."""
        return "mailto:" + self.mail_from.rpartition("<")[2].rstrip(">")

    @property
    def page(self) -> str:
        """The address of the page in emails."""
        return self.origins[0].rstrip("/") if self.origins else self.url

    def with_secret(self) -> Settings:
        """The same settings with a signing key: the given one, or the one in the data folder, which is created if missing."""
        if self.secret:
            return self
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.data / KEY_FILE
        if not path.exists():
            scratch = self.data / f".{KEY_FILE}.{os.getpid()}.{secrets.token_hex(4)}"
            with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
                f.write(secrets.token_hex(32))
                f.flush()
                os.fsync(f.fileno())
            try:
                os.link(
                    scratch, path
                )  # never overwrites: if several workers create a key, all use the first
            except FileExistsError:
                pass
            finally:
                scratch.unlink()
        return replace(self, secret=path.read_text().strip())

    def environment(self) -> dict[str, str]:
        """Environment variables with these settings, for another process."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            _PREFIX + name.upper(): " ".join(value) if isinstance(value, tuple) else str(value)
            for name, value in values.items()
        }

    def describe(self) -> dict[str, str]:
        """All settings as text, with secrets hidden."""
        shown = {item.name: str(getattr(self, item.name)) for item in fields(self)}
        shown["database"] = _hidden_url(self.database) or f"sqlite:///{self.database_path}"
        shown["smtp_url"] = _hidden_url(self.smtp_url) or "(no mails)"
        shown["traces"] = _hidden_url(self.traces) or "(none)"
        shown["push_hosts"] = " ".join(self.push_hosts) or "(none)"
        shown["secret"] = "***" if self.secret else "(key file)"
        shown["origins"] = " ".join(self.origins) or "(this machine's own)"
        return shown


def _check_names(environment: Mapping[str, str]) -> None:
    """Refuse unknown variables, because a misspelt setting would have no effect."""
    known = {_PREFIX + item.name.upper() for item in fields(Settings)} | _OTHERS
    unknown = sorted(name for name in environment if name.startswith(_PREFIX) and name not in known)
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, 1)
        message = f"{', '.join(unknown)}: there is no such setting"
        message += f"; did you mean {near[0]}?" if near else ""
        raise InvalidSettings("setting-unknown", message)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        message = f"{name} {value!r}: must be one of {', '.join(choices)}"
        raise InvalidSettings("setting-choice", message)


def _converted(name: str, text: str, kind: Any) -> Any:
    try:
        if kind in (int, float, Path, str):
            return kind(text)
        return tuple(text.replace(",", " ").split())
    except ValueError:
        message = f"{_PREFIX}{name.upper()}={text!r}: must be a number"
        raise InvalidSettings("setting-number", message) from None


def _hidden_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        query = "&".join(
            f"{name}=***" if name.lower() in _HIDDEN else f"{name}{equals}{value}"
            for name, equals, value in (item.partition("=") for item in parts.query.split("&"))
        )
        netloc = parts.netloc
        if parts.password is not None:
            netloc = f"{parts.username}:***@{netloc.rpartition('@')[2]}"
        # urlunsplit is not used, because it would change an address with three slashes, such as a socket's folder.
        shown = url.replace(parts.netloc, netloc, 1) if parts.netloc else url
        return shown.replace(f"?{parts.query}", f"?{query}", 1) if parts.query else shown
    except ValueError:
        return "***"
