"""The status of a HIT."""

import pytest

from marketplace.protocol.lifecycle import hit_status, places_held


@pytest.mark.parametrize(
    ("available", "pending", "expired", "status"),
    [
        (1, 0, False, "Assignable"),
        (1, 2, False, "Assignable"),
        (0, 1, False, "Unassignable"),
        (0, 0, False, "Reviewable"),
        (3, 1, True, "Unassignable"),
        (3, 0, True, "Reviewable"),
    ],
)
def test_status_follows_from_the_counters(available, pending, expired, status):
    assert hit_status(available=available, pending=pending, expired=expired) == status


def test_expiry_frees_the_money_of_places_nobody_took():
    open_hit = places_held(available=3, pending=1, submitted=1, expired=False)
    over = places_held(available=3, pending=1, submitted=1, expired=True)

    assert (open_hit, over) == (5, 2)
