"""Sphinx: the documentation site. `make docs` builds it into build/docs, and a warning is an error."""

from terrarium import __version__

project = "Terrarium"
author = "the Terrarium authors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = f"Terrarium {release}"
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
default_role = "code"
suppress_warnings = [
    "myst.xref_missing",  # files of the repository that the pages link to and the site does not contain
    "misc.highlighting_failure",  # an HTTP exchange with its answer
    "ref.python",  # both games have a Position, engine and records each a Line
]
exclude_patterns = ["openapi.json"]
