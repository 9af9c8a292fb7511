"""Changes to a HIT's counters, status, expiry and type, and to the money that is reserved for it."""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import F

from marketplace.models import Hit, HitType
from marketplace.protocol.lifecycle import hit_status, places_held
from marketplace.services import events

_COUNTERS = ("available", "pending", "submitted", "approved", "rejected")
_OVER = (Hit.Status.REVIEWABLE, Hit.Status.REVIEWING)


class LostRace(Exception):
    """The HIT changed since it was read. The transaction is rolled back and can be retried."""


def lock(hit_pk: int) -> Hit:
    """Return the HIT, with its row locked if the database has row locks."""
    return Hit.objects.select_for_update(of=("self",)).select_related("hit_type").get(pk=hit_pk)


def change_hit(
    hit: Hit,
    *,
    now: datetime,
    by: Mapping[str, int] | None = None,
    maximum: int = 0,
    expired: bool | None = None,
    expires_at: datetime | None = None,
) -> int:
    """Add ``by`` to the HIT's counters and ``maximum`` to its number of places, set its expiry and save it.

    The status follows from the new values. Returns the additional cents to reserve (negative to release), for
    ``funds.move_funds``. Raises LostRace if the counters have changed since they were read, or if the HIT
    was deleted. This needs no row locks.
    """
    before = {name: getattr(hit, name) for name in _COUNTERS}
    status_before = hit.status
    held_before = _held_places(hit)
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
    return (_held_places(hit) - held_before) * hit.unit_cost_cents


def set_review_status(hit: Hit, status: Hit.Status) -> bool:
    """Switch the HIT between Reviewable and Reviewing; return False if it is in neither state."""
    source = Hit.Status.REVIEWING if status == Hit.Status.REVIEWABLE else Hit.Status.REVIEWABLE
    moved = Hit.objects.filter(pk=hit.pk, status__in=(source, status)).update(status=status)
    return bool(moved)


def retype(hit: Hit, kind: HitType, unit_cost_cents: int) -> int | None:
    """Change the type of an untouched HIT. Returns the additional cents to reserve, or None if a place was taken."""
    untouched = Hit.objects.filter(pk=hit.pk, available=F("max_assignments"), assignments=None)
    if not untouched.exclude(status=Hit.Status.DISPOSED).update(
        hit_type=kind, unit_cost_cents=unit_cost_cents
    ):
        return None
    return _held_places(hit) * (unit_cost_cents - hit.unit_cost_cents)


def _held_places(hit: Hit) -> int:
    return places_held(
        available=hit.available, pending=hit.pending, submitted=hit.submitted, expired=hit.expiry_applied
    )
