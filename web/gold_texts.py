"""Texts of test pairs that somebody brought, looked for in the collection's passage files."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from judging.models import Campaign
from pooling.jobs import ring_for_files
from pooling.services.added_files import ask_to_add


def ring_for_gold_texts(campaign: Campaign, user: Any) -> bool:
    """Have them looked for, when some are missing and there are files to look in; whether that is so."""
    lacking = Q(relevant__text=None) | Q(off_topic__text=None)
    missing = campaign.gold_pairs.filter(lacking).exists()
    if not missing or not campaign.collection.sources.exists():
        return False
    ring_for_files(ask_to_add(collection=campaign.collection, user=user))
    return True
