"""The one place where a HIT's counters, status and expiry change."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db.models import F

from marketplace.lifecycle import hit_status, places_held
from marketplace.models import Hit, HitType
from marketplace.services import events

_COUNTERS = ("available", "pending", "submitted", "approved", "rejected")
_OVER = (Hit.Status.REVIEWABLE, Hit.Status.REVIEWING)


class LostRace(Exception):
    """The HIT changed since it was read; the transaction is undone and may be tried again."""


def lock(hit_pk: int) -> Hit:
    """The HIT, its row locked where the database has row locks."""
    return Hit.objects.select_for_update(of=("self",)).select_related("hit_type").get(pk=hit_pk)


def change(
    hit: Hit,
    *,
    now: datetime,
    by: Mapping[str, int] | None = None,
    maximum: int = 0,
    expired: bool | None = None,
    expires_at: datetime | None = None,
) -> int:
    """Add ``by`` (and ``maximum``) to the HIT's, set its expiry, derive its status, save.

    Returns the cents to hold back in addition (negative: to free), for ``funds.settle``. The update is
    conditional on what was read: losing a race raises LostRace, on databases without row locks too.
    """
    before = {name: getattr(hit, name) for name in _COUNTERS}
    status_before = hit.status
    held_before = _held(hit)
    for name, more in (by or {}).items():
        setattr(hit, name, before[name] + more)
    hit.max_assignments += maximum
    if expired is not None:
        hit.expiry_applied = expired
    if expires_at is not None:
        hit.expires_at = expires_at
    status = hit_status(available=hit.available, pending=hit.pending, expired=hit.expiry_applied)
    if not (status == Hit.Status.REVIEWABLE and hit.status == Hit.Status.REVIEWING):
        hit.status = status
    fields = (*_COUNTERS, "max_assignments", "expiry_applied", "expires_at", "status")
    changed = (
        Hit.objects.filter(pk=hit.pk, **before)
        .exclude(status=Hit.Status.DISPOSED)
        .update(**{name: getattr(hit, name) for name in fields})
    )
    if not changed:
        raise LostRace
    if hit.status == Hit.Status.REVIEWABLE and status_before not in _OVER:
        events.emit("HITReviewable", hit, at=now)
    return (_held(hit) - held_before) * hit.unit_cost_cents


def mark(hit: Hit, status: Hit.Status) -> bool:
    """Move between Reviewable and Reviewing; False when the HIT is in neither state that allows it."""
    source = Hit.Status.REVIEWING if status == Hit.Status.REVIEWABLE else Hit.Status.REVIEWABLE
    moved = Hit.objects.filter(pk=hit.pk, status__in=(source, status)).update(status=status)
    return bool(moved)


def retype(hit: Hit, kind: HitType, unit_cost_cents: int) -> int | None:
    """Give an untouched HIT another type; the cents to hold back in addition, None when it was touched."""
    untouched = Hit.objects.filter(pk=hit.pk, available=F("max_assignments"), assignments=None)
    if not untouched.exclude(status=Hit.Status.DISPOSED).update(
        hit_type=kind, unit_cost_cents=unit_cost_cents
    ):
        return None
    return _held(hit) * (unit_cost_cents - hit.unit_cost_cents)


def _held(hit: Hit) -> int:
    return places_held(
        available=hit.available, pending=hit.pending, submitted=hit.submitted, expired=hit.expiry_applied
    )
