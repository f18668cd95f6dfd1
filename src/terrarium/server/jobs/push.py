"""Web Push: encrypted messages to browsers through the push services of their vendors.

The address of a push service comes from the client, so it can be any address. The server connects only to public addresses, which
is checked on the connection itself, and does not follow redirects.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import logging
import os
import socket
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from terrarium.play.errors import Unprocessable
from terrarium.server.accounts.contacts import Subscription

__all__ = ["Pusher", "check_endpoint", "check_keys", "new_key", "public_key"]

logger = logging.getLogger("terrarium.push")
_TTL = 86_400
_TIMEOUT = 10.0
"""Seconds without a byte from the push service."""
_TOTAL = 20.0
"""Seconds for a whole request, however many bytes come."""
_MAX_ANSWER = 4_096
"""Bytes of an answer that are read."""
_WITH_IPV4 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))
"""IPv6 networks whose last 32 bits are an IPv4 address: translated (NAT64), and the old compatible form."""


def check_endpoint(endpoint: str, hosts: Collection[str] = ()) -> None:
    """Refuse addresses that can't be those of a public push service; `hosts` inside this network are allowed too."""
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _refused(endpoint) from None
    if parts.scheme in ("http", "https") and parts.netloc in hosts:
        return
    if parts.scheme != "https" or parts.username or port not in (None, 443) or "." not in host:
        raise _refused(endpoint)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return
    if not _is_public(address):
        raise _refused(endpoint)


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is on the public internet, including IPv4 addresses embedded in IPv6."""
    if not address.is_global or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    inside = address.ipv4_mapped or address.sixtofour
    if any(address in network for network in _WITH_IPV4):
        inside = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return not address.is_site_local and (inside is None or _is_public(inside))


def _refused(endpoint: str) -> Unprocessable:
    message = f"endpoint {endpoint[:80]!r}: must be the https address of a push service"
    return Unprocessable("invalid-subscription", message)


def check_keys(p256dh: str, auth: str) -> None:
    """Refuse keys that can't be used for encryption."""
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
        is_right = len(_decoded(auth)) == 16
    except ValueError:
        is_right = False
    if not is_right:
        raise Unprocessable("invalid-subscription", "keys: not those of a push subscription")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def new_key() -> str:
    """A private key that signs this server's messages, as text."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@lru_cache(maxsize=4)
def public_key(private: str) -> str:
    """The public part of a key, in the format for browsers."""
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_pem_private_key,
    )

    point = (
        load_pem_private_key(private.encode(), None)
        .public_key()
        .public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    )
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


class Pusher:
    """Sends messages to push services."""

    def __init__(self, contact: str, hosts: Collection[str]) -> None:
        self._contact = contact
        self.hosts = frozenset(hosts)
        """Push services inside this network."""
        self.private = ""
        """The signing key, set when the server starts."""

    def send(self, subscription: Subscription, payload: dict[str, Any]) -> bool:
        """Send a message; returns whether the subscription no longer exists and should be deleted. Blocking: don't call it on the event loop."""
        from py_vapid import Vapid02
        from pywebpush import WebPushException, webpush
        from requests import RequestException

        try:
            check_endpoint(subscription.endpoint, self.hosts)
            is_inside = urlsplit(subscription.endpoint).netloc in self.hosts
            with _bounded(_TOTAL) as sockets:
                webpush(
                    subscription.info,
                    json.dumps(payload, ensure_ascii=False),
                    vapid_private_key=Vapid02.from_pem(self.private.encode()),
                    vapid_claims={"sub": self._contact},
                    ttl=_TTL,
                    timeout=_TIMEOUT,
                    headers={"Urgency": "normal"},
                    requests_session=_session(sockets, is_inside=is_inside),
                )
        except WebPushException as error:
            status = getattr(error.response, "status_code", None)
            if status in (404, 410):
                return True
            logger.warning("push service answered %s", status)
        except (RequestException, Unprocessable, ValueError) as error:
            logger.warning("push: %s", type(error).__name__)
        return False


@contextmanager
def _bounded(seconds: float) -> Iterator[list[socket.socket]]:
    """Shut down the sockets in the list after some seconds, so that a service that sends a byte now and then can't keep a thread."""
    sockets: list[socket.socket] = []
    is_done = threading.Event()

    def cut() -> None:
        # Every second from then on, because a name server that answers late delays the connection.
        pause = seconds
        while not is_done.wait(pause):
            pause = 1.0
            for one in list(sockets):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=cut, daemon=True).start()
    try:
        yield sockets
    finally:
        is_done.set()
        for one in sockets:
            one.close()


def _session(sockets: list[socket.socket], *, is_inside: bool) -> Any:
    """A session that does not follow redirects and connects only to public addresses; a second handle of each socket is added to `sockets`."""
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.exceptions import HTTPError

    def opened(connected: socket.socket) -> socket.socket:
        # Checked on the connection and not by name, because a name may have another address a moment later.
        if not is_inside and not _is_public(ipaddress.ip_address(connected.getpeername()[0])):
            connected.close()
            raise OSError("not a public address")
        sockets.append(socket.socket(fileno=os.dup(connected.fileno())))
        return connected

    class PlainConnection(HTTPConnection):
        def _new_conn(self) -> Any:
            return opened(super()._new_conn())

    class SecureConnection(HTTPSConnection):
        def _new_conn(self) -> Any:
            return opened(super()._new_conn())

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = PlainConnection

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = SecureConnection

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
            super().init_poolmanager(*args, **kwargs)
            pools = {"https": SecurePool, "http": PlainPool}
            self.poolmanager.pool_classes_by_scheme = pools

    class Session(requests.Session):
        def post(self, url: Any, data: Any = None, json: Any = None, **kwargs: Any) -> Any:
            answer = super().post(url, data, json, allow_redirects=False, stream=True, **kwargs)
            # The whole answer may be endless; its beginning is enough for an error.
            answer._content = b""
            with suppress(HTTPError, OSError):
                answer._content = answer.raw.read(_MAX_ANSWER)
            answer.close()
            return answer

    session = Session()
    session.trust_env = False  # a proxy would bypass the check
    session.mount("https://", Adapter())
    if is_inside:
        session.mount("http://", Adapter())
    return session
