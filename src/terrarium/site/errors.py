"""The error of a build that can't be completed."""

from __future__ import annotations

from terrarium.errors import TerrariumError

__all__ = ["SiteError"]


class SiteError(TerrariumError):
    """The folder can't be built; the message says what is missing."""
