"""Background jobs of all features, imported here so that job workers find them."""

from web.boards import jobs as boards
from web.campaigns import jobs as campaigns
from web.collections import jobs as collections
from web.common import end_notices
from web.preparation import jobs as preparation
from web.releases import jobs as releases
from web.versions import jobs as versions
from web.webhooks import jobs as webhooks

__all__ = [
    "boards", "campaigns", "collections", "end_notices", "preparation", "releases", "versions", "webhooks",
]  # fmt: skip
