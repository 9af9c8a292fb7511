"""Texts of imported gold pairs, found in the collection's passage files."""

from typing import Any

from django.db.models import Q

from judging.models import Campaign
from pooling.jobs import ring_for_files
from pooling.services.added_files import ask_to_add


def ring_for_gold_texts(campaign: Campaign, user: Any) -> bool:
    """Start looking for missing texts if there are passage files. Return whether a job was started."""
    lacking = Q(relevant__text=None) | Q(off_topic__text=None)
    missing = campaign.gold_pairs.filter(lacking).exists()
    if not missing or not campaign.collection.sources.exists():
        return False
    ring_for_files(ask_to_add(collection=campaign.collection, user=user))
    return True
