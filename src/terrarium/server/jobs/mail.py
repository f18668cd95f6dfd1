"""Emails through the SMTP server in the settings; without one nothing is sent."""

from __future__ import annotations

import logging
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from terrarium.play.errors import Unprocessable

__all__ = ["Mailer", "checked_address"]

logger = logging.getLogger("terrarium.mail")
_TIMEOUT = 15.0
_MAX_ADDRESS = 254


def checked_address(address: str) -> str:
    """The email address without spaces around it; refused if it is invalid.

    >>> checked_address(" ada@club.example ")
    'ada@club.example'
    """
    text = address.strip()
    name, at, domain = text.rpartition("@")
    is_plain = text.isascii() and text.isprintable() and not set(text) & set(' ,;:<>()[]"\\\\')
    labels = domain.split(".")
    if not (at and name and is_plain and len(text) <= _MAX_ADDRESS and "@" not in name) or (
        len(labels) < 2 or not all(labels)
    ):
        raise Unprocessable("invalid-address", f"address {address[:80]!r}: write name@host.example")
    return text


class Mailer:
    """Sends plain text emails."""

    def __init__(self, url: str, sender: str) -> None:
        self._url = urlsplit(url)
        self._sender = sender

    @property
    def is_possible(self) -> bool:
        """Whether a mail server is configured."""
        return bool(self._url.hostname)

    def send(self, address: str, subject: str, text: str) -> bool:
        """Send an email; returns whether the server accepted it. Blocking: don't call it on the event loop."""
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, address, subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=self._sender.rpartition("@")[2].rstrip(">"))
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        try:
            with self._connection() as connection:
                connection.send_message(message)
        except (smtplib.SMTPException, OSError) as error:
            # The exception's text is not logged, because it may contain the address.
            logger.warning("mail: %s", type(error).__name__)
            return False
        return True

    def _connection(self) -> smtplib.SMTP:
        url = self._url
        host = url.hostname or ""
        connection: smtplib.SMTP
        if url.scheme == "smtps":
            context = ssl.create_default_context()
            connection = smtplib.SMTP_SSL(host, url.port or 465, timeout=_TIMEOUT, context=context)
        else:
            connection = smtplib.SMTP(host, url.port or 25, timeout=_TIMEOUT)
            connection.ehlo()
            # A password is never sent without encryption.
            if connection.has_extn("starttls") or url.username:
                connection.starttls(context=ssl.create_default_context())
                connection.ehlo()
        if url.username:
            connection.login(unquote(url.username), unquote(url.password or ""))
        return connection
