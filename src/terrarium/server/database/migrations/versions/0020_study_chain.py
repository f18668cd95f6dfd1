"""Studies have chained logs, like games, so that damage is found.

The digests of older logs are computed after the start (`Studies.chain`), so that the release before can continue while this one starts.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    digest = sa.Column("digest", sa.String(32), nullable=False, server_default="")
    op.add_column("study_events", digest)
    op.add_column("studies", sa.Column("head", sa.String(32), nullable=False, server_default=""))
