"""The number of database queries of the judging pages, which hundreds of workers may use at once."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.models import Choice, Submission
from judging.page import page_limits
from tests.judging.cast import good_side
from tests.judging.visitor import Visitor

pytestmark = [pytest.mark.usefixtures("crowd_site"), pytest.mark.one_database]


def asked(call) -> int:
    """Return the number of statements, transactions' beginnings and ends included."""
    with CaptureQueriesContext(connection) as queries:
        reply = call()
    assert reply.status_code in (200, 302)
    return len(queries)


def test_a_save_asks_once(martha):
    martha.begin()

    assert asked(martha.save) == 1
    assert asked(lambda: martha.save(sequence="1", side="right")) == 1
    assert list(Choice.objects.order_by("sequence").values_list("side", flat=True)) == ["left", "right"]


def test_a_save_that_is_within_its_pace_asks_no_shared_counter(martha, monkeypatch):
    martha.begin()
    monkeypatch.setattr(page_limits, "_here", page_limits._Here())
    monkeypatch.setattr(page_limits, "Limit", None)

    assert martha.save().json() == {"saved": True}


def test_pages_near_the_limit_are_counted_by_all_processes_together(monkeypatch, settings):
    settings.PAGE_REQUESTS_PER_SECOND = 4
    shared = []

    class Shared:
        def __init__(self, *limit):
            assert limit == ("page", 40, page_limits.WINDOW)

        def take(self, token, *, times):
            shared.append(times)
            return 0

    monkeypatch.setattr(page_limits, "_here", page_limits._Here())
    monkeypatch.setattr(page_limits, "Limit", Shared)
    monkeypatch.setattr(page_limits.clock, "now", lambda: datetime(2026, 1, 1, tzinfo=UTC))

    assert [page_limits.request_pause("page") for _ in range(12)] == [0] * 12
    assert shared == [11, 1]


def test_opening_a_task_agreeing_and_reading_its_pairs(martha):
    assert asked(martha.arrive) <= 19  # of a new worker, and the page with the consent text
    assert asked(lambda: martha.client.post(f"{martha.page}consent")) <= 19
    assert asked(lambda: martha.client.get(martha.page)) <= 4


def test_a_worker_with_a_history_opens_the_next_task(martha):
    martha.do_task()
    again = Visitor(martha.crowd, martha.campaign, martha.params["workerId"])

    assert asked(again.arrive) <= 19
    assert asked(lambda: again.client.post(f"{again.page}consent")) <= 15


def test_submitting_a_task_and_its_last_step(martha):
    martha.begin()
    for slot in martha.slots():
        martha.save(slot=str(slot.number), side=good_side(slot))

    assert asked(lambda: martha.client.post(f"{martha.page}finish")) <= 8
    assert asked(lambda: martha.client.get(martha.page)) <= 4


def test_a_form_without_a_script_is_saved_at_once(martha):
    martha.begin()
    choices = martha.choices()

    assert asked(lambda: martha.client.post(f"{martha.page}finish", choices)) <= 12
    assert martha.submission.state == Submission.State.FINISHED
    assert Choice.objects.count() == martha.slots().count()
