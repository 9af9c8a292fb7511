"""Blocks and messages."""

import pytest

from marketplace.errors import ParameterValidationError, TaskRefused
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, make_hit, work

pytestmark = pytest.mark.django_db


def test_a_blocked_worker_gets_no_task_until_unblocked(ask, hit_type, ada):
    make_hit(ask, hit_type)
    ask("CreateWorkerBlock", WorkerId=ada.worker_id, Reason="spam")
    ask("CreateWorkerBlock", WorkerId=ada.worker_id, Reason="more spam")
    blocks = ask("ListWorkerBlocks")["WorkerBlocks"]

    with pytest.raises(TaskRefused) as refusal:
        taking.take_task(ada, hit_type, NOW)
    ask("DeleteWorkerBlock", WorkerId=ada.worker_id)
    ask("DeleteWorkerBlock", WorkerId=ada.worker_id)

    assert blocks == [{"WorkerId": ada.worker_id, "Reason": "more spam"}]
    assert refusal.value.reason == "blocked"
    assert "spam" not in str(refusal.value)
    assert taking.take_task(ada, hit_type, NOW)


def test_an_unknown_worker_is_refused_as_on_mturk(ask):
    with pytest.raises(ParameterValidationError, match='"ANOBODY" is not valid for the parameter WorkerId'):
        ask("CreateWorkerBlock", WorkerId="ANOBODY", Reason="spam")


def test_messages_reach_only_workers_whose_work_was_reviewed(ask, hit_type, ada, grace):
    make_hit(ask, hit_type)
    ask("ApproveAssignment", AssignmentId=work(ada, hit_type))

    failures = ask(
        "NotifyWorkers",
        Subject="Thanks",
        MessageText="See you",
        WorkerIds=[ada.worker_id, grace.worker_id, "ANOBODY"],
    )["NotifyWorkersFailureStatuses"]

    assert [failure["WorkerId"] for failure in failures] == [grace.worker_id, "ANOBODY"]
    assert ada.messages.get().text == "See you"


def test_a_hundred_workers_at_most_are_told_at_once(ask):
    with pytest.raises(ParameterValidationError):
        ask("NotifyWorkers", Subject="s", MessageText="t", WorkerIds=[f"A{n}" for n in range(101)])
