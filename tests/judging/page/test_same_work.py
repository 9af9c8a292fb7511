"""The server does the same work for gold pairs as for others, so that timing cannot reveal them."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.page import session
from tests.judging.cast import good_side

pytestmark = pytest.mark.usefixtures("crowd_site")


def test_a_save_is_the_same_work_for_the_server_whatever_the_pair(martha):
    martha.begin()
    asked: dict[bool, set[tuple[str, ...]]] = {True: set(), False: set()}

    for slot in martha.slots():
        with CaptureQueriesContext(connection) as queries:
            martha.save(slot=str(slot.number), side=good_side(slot))
        shapes = tuple(re.sub(r"'[^']*'|\b[\d.]+\b|s\d+_x\d+", "?", one["sql"]) for one in queries)
        asked[slot.gold_pair_id is not None].add(shapes)

    assert asked[True] == asked[False]
    assert len(asked[True]) == 1
    assert not any("gold" in query for query in next(iter(asked[True])))


def test_the_page_is_the_same_work_however_many_test_pairs_are_answered(martha):
    martha.begin()
    slots = list(martha.slots())
    submission = martha.submission

    counts = []
    for chosen in ([slot for slot in slots if slot.gold_pair_id], [slot for slot in slots if slot.pair_id]):
        for slot in chosen:
            session.save_choice(submission, number=slot.number, sequence=0, side=good_side(slot))
        with CaptureQueriesContext(connection) as queries:
            martha.client.get(martha.page)
        counts.append(len(queries))

    assert counts[0] == counts[1]
