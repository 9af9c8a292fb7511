"""Bonuses and the balance."""

import pytest

from marketplace.errors import ParameterValidationError
from marketplace.services import expiry
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, balance, hours, make_hit, refused, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment_id(ask, hit_type, ada):
    make_hit(ask, hit_type, MaxAssignments=2)
    return work(ada, hit_type)


def send_bonus(ask, assignment_id, worker, *, at=NOW, **changes):
    values = {"BonusAmount": "1.50", "Reason": "the rest of your pay", "AssignmentId": assignment_id}
    return ask("SendBonus", WorkerId=worker.worker_id, at=at, **values | changes)


def test_a_bonus_is_paid_at_once_with_its_fee(ask, assignment_id, ada):
    send_bonus(ask, assignment_id, ada)

    assert balance(ask) == ("993.40", "4.80")
    ada.refresh_from_db()
    assert ada.earned_cents == 150


def test_bonuses_are_listed_by_hit_or_by_assignment(ask, assignment_id, ada):
    send_bonus(ask, assignment_id, ada)
    send_bonus(ask, assignment_id, ada, BonusAmount="0.01")
    hit_id = ask("ListHITs")["HITs"][0]["HITId"]

    by_hit = ask("ListBonusPayments", HITId=hit_id)
    by_assignment = ask("ListBonusPayments", AssignmentId=assignment_id, MaxResults=1)

    assert [row["BonusAmount"] for row in by_hit["BonusPayments"]] == ["1.50", "0.01"]
    assert by_assignment["NumResults"] == 1
    assert by_assignment["NextToken"]


def test_a_token_pays_once_within_a_day(ask, assignment_id, ada):
    send_bonus(ask, assignment_id, ada, UniqueRequestToken="pay-1")

    with refused("RequestAlreadyProcessed") as info:
        send_bonus(ask, assignment_id, ada, UniqueRequestToken="pay-1", at=NOW + hours(23))
    assert "request-1" in info.value.message

    send_bonus(ask, assignment_id, ada, UniqueRequestToken="pay-1", at=NOW + hours(25))
    assert ask("ListBonusPayments", AssignmentId=assignment_id)["NumResults"] == 2


def test_a_bonus_needs_work_handed_in_by_that_worker(ask, assignment_id, hit_type, ada, grace):
    held = taking.take_task(grace, hit_type, NOW)

    with refused("AssignmentDoesNotExist"):
        send_bonus(ask, assignment_id, grace)
    with refused("AssignmentDoesNotExist"):
        send_bonus(ask, held.assignment_id, grace)


def test_a_bonus_can_be_paid_for_a_task_whose_time_ran_out_and_the_worker_sees_it(
    ask, hit_type, ada, grace, client
):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)
    with refused("AssignmentDoesNotExist"):
        send_bonus(ask, held.assignment_id, ada)
    expiry.apply_due(held.deadline)

    send_bonus(ask, held.assignment_id, ada, at=held.deadline)

    with refused("AssignmentDoesNotExist"):
        send_bonus(ask, held.assignment_id, grace, at=held.deadline)
    assert ask("ListBonusPayments", AssignmentId=held.assignment_id)["NumResults"] == 1
    ada.refresh_from_db()
    assert ada.earned_cents == 150
    client.force_login(ada)
    assert "the rest of your pay" in client.get("/done/").content.decode()
    assert "$1.50" in client.get("/earnings/").content.decode()


def test_a_bonus_beyond_the_balance_is_refused_and_its_token_stays_free(ask, assignment_id, ada):
    with refused("InsufficientFunds"):
        send_bonus(ask, assignment_id, ada, BonusAmount="900", UniqueRequestToken="pay")

    send_bonus(ask, assignment_id, ada, UniqueRequestToken="pay")
    assert ask("ListBonusPayments", AssignmentId=assignment_id)["NumResults"] == 1


def test_a_bonus_of_nothing_is_refused(ask, assignment_id, ada):
    with pytest.raises(ParameterValidationError):
        send_bonus(ask, assignment_id, ada, BonusAmount="0.00")


def test_a_list_of_bonuses_is_of_one_hit_or_one_assignment(ask, assignment_id):
    with pytest.raises(ParameterValidationError):
        ask("ListBonusPayments")
