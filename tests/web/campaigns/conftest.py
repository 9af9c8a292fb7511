"""A campaign at a fake crowd, and its manager."""

from tests.web.campaign_cast import campaign, crowd, fair, manager

__all__ = ["campaign", "crowd", "fair", "manager"]
