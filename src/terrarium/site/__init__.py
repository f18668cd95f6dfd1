"""Builds the page that needs no server: a folder that any static host can serve.

Modules in dependency order: `errors`, `packages` (downloads from the package registries), `kernels` (compiled for
WebAssembly), `pack` (Python modules as bytecode, and the part of the standard library they need), `folder` (puts all of it beside
the page).
"""

from terrarium.site.errors import SiteError
from terrarium.site.folder import Built, build

__all__ = ["Built", "SiteError", "build"]
