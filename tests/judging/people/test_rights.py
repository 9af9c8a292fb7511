"""Erasure, withdrawal of judgments, and retention of personal data."""

from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.apps import apps

from config import clock
from judging.errors import CampaignRefused, CrowdLater
from judging.intake.collection import collect
from judging.models import (
    Appeal,
    Campaign,
    CrowdCall,
    CrowdIdentity,
    Discrepancy,
    Exclusion,
    Judgment,
    PairReport,
    Payment,
    RightsRequest,
    Submission,
    WorkerMessage,
)
from judging.money.discrepancies import receipt_of
from judging.money.ledger import compare_books
from judging.money.unlisted_work import missing_by_receipt
from judging.page import session
from judging.people.erasure import TEXTS
from judging.people.exclusions import reinstate_worker
from judging.people.rights import enforce_retention, find_worker, forget_worker, withdraw_worker
from judging.workers.block_lists import list_name, sync_blocks
from judging.workers.identities import crowd_namespace, refusal_reason, worker_for
from judging.workers.messages import addressees, send_message


@pytest.fixture
def judged(fair, campaign):
    """AMARTHA did a task, wrote a comment, got a message, and is paid."""
    submission = fair.do_task(campaign, "AMARTHA")
    Submission.objects.filter(pk=submission.pk).update(comment="my name is Martha")
    slot = submission.slots.first()
    PairReport.objects.create(submission=submission, slot=slot, kind="other", words="says Martha")
    Appeal.objects.create(
        campaign=campaign, worker=submission.worker, refusal="excluded", words="Martha again"
    )
    fair.collect(campaign)
    send_message(campaign, addressees(campaign), subject="Dear Martha", text="Thank you, Martha.")
    return campaign


def martha():
    return CrowdIdentity.objects.get(crowd_worker_id="AMARTHA").worker


def counted(campaign):
    return Judgment.objects.filter(campaign=campaign).counted().count()


def test_a_forgotten_worker_leaves_only_anonymous_judgments(judged):
    worker, submission = martha(), Submission.objects.get()
    assignment, place = submission.assignment_id, submission.place.crowd_id

    done = forget_worker(worker, who="ada", why="asked by mail")

    assert done == {
        "refusals_ended": 0,
        "identities": 1,
        "comments": 1,
        "reports": 1,
        "appeals": 1,
        "messages": 1,
        "calls": 2,
        "submissions": 1,
        "quotations": 0,
    }
    assert counted(judged) == 3
    submission.refresh_from_db()
    assert (submission.comment, submission.place) == ("", None)
    told = [
        *map(str, Submission.objects.values_list()),
        *map(str, CrowdCall.objects.exclude(operation__in=["post_place", "read_back"]).values_list()),
        *map(str, WorkerMessage.objects.values_list()),
        *map(str, Payment.objects.values_list()),
        *map(str, PairReport.objects.values_list()),
        *map(str, Appeal.objects.values_list()),
    ]
    for trace in ("AMARTHA", "Martha", assignment, place):
        assert not [row for row in told if trace in row], trace
    request = RightsRequest.objects.get()
    assert (request.what, request.who, request.done) == ("forget", "ada", done)


def test_a_bonus_at_the_crowd_does_not_lead_to_who_was_forgotten(fair):
    split = fair.opened()
    submission = fair.do_task(split, "AMARTHA")
    Discrepancy.objects.create(
        submission=submission, kind="only_here", detail={"receipt": receipt_of(submission)}
    )
    Appeal.objects.create(
        campaign=split,
        worker=submission.worker,
        refusal="excluded",
        words="",
        came_by=submission.assignment_id,
    )
    fair.collect(split)
    (bonus,) = fair.crowd.paid_bonuses
    reference = bonus.reason.rsplit(" ", 1)[-1].rstrip(")")
    assert CrowdCall.objects.filter(key=reference).exists()

    forget_worker(martha())

    rows = [str(row) for model in apps.get_models() for row in model._default_manager.values_list()]
    assert not [row for row in rows if reference in row or bonus.assignment_id in row]
    assert not [row for row in rows if receipt_of(submission) in row]
    assert Payment.objects.get(kind="bonus").call.state == CrowdCall.State.DONE
    assert compare_books(split).differences == []


def test_an_excluded_worker_who_was_forgotten_returns_as_new(fair, campaign):
    fair.do_task(campaign, "AMARTHA", pass_gold=False)
    fair.collect(campaign)
    assert refusal_reason(campaign, martha()) == "excluded"

    assert forget_worker(martha())["refusals_ended"] == 1

    assert refusal_reason(campaign, worker_for(crowd_namespace(campaign), "AMARTHA")) is None


@pytest.mark.parametrize("why", ["she is martha@example.org", "amartha wrote"])
def test_a_reason_that_names_the_person_is_refused(judged, why):
    for act in (forget_worker, partial(withdraw_worker, judged)):
        with pytest.raises(CampaignRefused, match="identifies the person"):
            act(martha(), why=why)

    assert CrowdIdentity.objects.exists()
    assert not RightsRequest.objects.exists()


def test_forgetting_twice_erases_nothing_more(judged):
    worker = martha()
    forget_worker(worker)

    assert set(forget_worker(worker).values()) == {0}
    assert RightsRequest.objects.count() == 1


def test_the_books_stay_equal_when_somebody_was_forgotten(fair, judged):
    fair.do_task(judged, "AHENRY")
    fair.collect(judged)
    forget_worker(martha())

    assert compare_books(judged).differences == []
    fair.crowd.paid_bonuses.pop(0)
    assert compare_books(judged).differences


def test_nobody_is_forgotten_while_money_is_owed_or_a_task_is_held(fair, campaign):
    fair.do_task(campaign, "AMARTHA")
    with pytest.raises(CampaignRefused, match="still holds a task"):
        forget_worker(martha())
    collect(campaign, sweep=True)
    with pytest.raises(CampaignRefused, match="still owed"):
        forget_worker(martha())

    assert CrowdIdentity.objects.exists()


def test_withdrawn_judgments_do_not_count_and_are_repeated_by_others(fair, judged):
    done = withdraw_worker(judged, martha(), why="by mail", who="ada")

    assert (done.judgments, counted(judged)) == (3, 0)
    assert judged.tasks.filter(state="waiting").count() == 4
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
    assert Exclusion.objects.get().decided_by == "ada"
    with pytest.raises(CampaignRefused, match="already"):
        withdraw_worker(judged, martha())


def test_a_withdrawal_is_not_held_against_the_worker(fair, judged):
    withdraw_worker(judged, martha())
    sync_blocks(judged)

    assert fair.crowd.block_lists[list_name(judged)] == set()
    assert refusal_reason(judged, martha()) == "withdrawn"
    other = Campaign(state="open", refuse_excluded_elsewhere=True)
    other.pk = judged.pk + 1
    assert refusal_reason(other, martha()) is None


def test_judgments_can_be_withdrawn_only_within_the_campaigns_days(judged):
    with time_machine.travel(clock.now() + timedelta(days=31)):
        with pytest.raises(CampaignRefused, match="30 days after"):
            withdraw_worker(judged, martha())
        assert withdraw_worker(judged, martha(), late=True).judgments == 3


def test_withdrawn_judgments_never_count_again(judged):
    withdraw_worker(judged, martha())

    with pytest.raises(CampaignRefused, match="never count again"):
        reinstate_worker(judged, martha(), why="a mistake")


def test_workers_without_tasks_have_nothing_to_withdraw(fair, judged):
    other = fair.draft_of("another")

    with pytest.raises(CampaignRefused, match="has not worked on"):
        withdraw_worker(other, martha())


def test_workers_are_found_by_our_number_or_the_crowds_id(judged):
    assert find_worker("AMARTHA") == find_worker(str(martha().pk)) == martha()
    with pytest.raises(CampaignRefused, match="no worker"):
        find_worker("ANOBODY")


def test_old_personal_data_is_erased(judged, settings):
    settings.KEEP_IDENTITIES_DAYS, settings.KEEP_COMMENTS_DAYS = 90, 30
    assert enforce_retention() == {"forgotten": 0, "comments": 0}

    with time_machine.travel(clock.now() + timedelta(days=40)):
        assert enforce_retention() == {"forgotten": 0, "comments": 3}
    with time_machine.travel(clock.now() + timedelta(days=100)):
        assert enforce_retention()["forgotten"] == 0  # the campaign is active
        Campaign.objects.update(state="closed")
        assert enforce_retention()["forgotten"] == 1
        assert enforce_retention() == {"forgotten": 0, "comments": 0}
    assert counted(judged) == 3
    assert not CrowdIdentity.objects.exists()


def test_a_worker_who_cannot_be_forgotten_does_not_block_others(fair, judged, settings, caplog):
    fair.do_task(judged, "AHENRY")
    fair.collect(judged)
    Submission.objects.filter(worker=martha()).update(state="finished")
    Campaign.objects.update(state="closed")

    with time_machine.travel(clock.now() + timedelta(days=400)):
        assert enforce_retention()["forgotten"] == 1

    assert CrowdIdentity.objects.get().crowd_worker_id == "AMARTHA"
    assert "still holds a task" in caplog.text


def test_zero_days_keep_data_permanently(judged, settings):
    settings.KEEP_IDENTITIES_DAYS = settings.KEEP_COMMENTS_DAYS = 0
    Campaign.objects.update(state="closed")

    with time_machine.travel(clock.now() + timedelta(days=4000)):
        assert enforce_retention() == {"forgotten": 0, "comments": 0}


def test_the_crowds_ids_are_erased_wherever_they_may_have_been_quoted(fair, campaign):
    """Put an id into every text where a crowd's error, a program or a person could, then read the whole database."""
    before = fair.open_task(campaign, "AEARLIER")  # returns it, and AMARTHA gets the same assignment
    place = fair.crowd.posted[before.place.crowd_id]
    fair.crowd.give_back(place)
    submission = fair.open_task(campaign, "AMARTHA", place)
    fair.answer(submission, pass_gold=False)
    Appeal.objects.create(
        campaign=campaign,
        worker=before.worker,
        refusal="excluded",
        words="",
        came_by=before.assignment_id,
    )
    fair.send_off(submission)
    other = fair.do_task(campaign, "AOTHER")
    fair.crowd.fail("block", CrowdLater("AMARTHA cannot be put on the list now"))
    fair.collect(campaign)
    with pytest.raises(CrowdLater):
        sync_blocks(campaign)
    place.submissions.clear()  # a crowd that cannot deliver names the workers
    send_message(campaign, addressees(campaign), subject="Hello", text="Thank you.")
    planted = f"AMARTHA with {submission.assignment_id} said so"
    for model, columns in TEXTS.items():
        if not model.objects.exists():
            _row_of(model, campaign, other)
        values = {
            column: {"said": [planted], "AMARTHA": 1}
            if model._meta.get_field(column).get_internal_type() == "JSONField"
            else planted
            for column in columns
        }
        model.objects.filter(pk=model.objects.order_by("-pk").first().pk).update(**values)

    done = forget_worker(martha())

    assert done["quotations"] >= len(TEXTS)
    for row in _whole_database():
        assert "AMARTHA" not in row, row
        assert submission.assignment_id not in row, row
    other.refresh_from_db()
    assert not other.assignment_id.startswith("forgotten")
    assert forget_worker(submission.worker)["quotations"] == 0


def test_a_reply_to_a_message_is_kept_without_the_crowds_ids(fair, judged):
    for place in fair.crowd.posted.values():
        place.submissions.clear()

    send_message(judged, addressees(judged), subject="Again", text="Hello.")

    reply = CrowdCall.objects.filter(operation="message").latest("pk").reply
    assert reply == {"failed": {str(martha().pk): "not known"}}
    assert WorkerMessage.objects.latest("pk").failure == "not known"


def test_an_assignment_that_was_handed_on_and_paid_stays_the_next_workers(fair, campaign):
    before = fair.open_task(campaign, "AMARTHA")
    place = fair.crowd.posted[before.place.crowd_id]
    fair.crowd.give_back(place)
    after = fair.open_task(campaign, "ANEXT", place)
    fair.answer(after)
    fair.send_off(after)
    fair.collect(campaign)

    forget_worker(martha())

    after.refresh_from_db()
    before.refresh_from_db()
    assert after.assignment_id == place.assignment_id
    assert before.assignment_id == f"forgotten-{before.pk}"
    assert compare_books(campaign).differences == []


def test_forgetting_the_next_worker_leaves_the_receipt_of_work_finished_in_vain(fair, campaign):
    before = fair.open_task(campaign, "AMARTHA")
    fair.answer(before)
    session.finish(before)
    place, receipt = fair.crowd.posted[before.place.crowd_id], receipt_of(before)
    fair.crowd.give_back(place)
    with clock.shifted(timedelta(hours=3)):
        fair.collect(campaign)
        after = fair.open_task(campaign, "ANEXT", place)
        assert after.assignment_id == before.assignment_id
        fair.answer(after)
        fair.send_off(after)
        fair.collect(campaign)

        forget_worker(after.worker)

        after.refresh_from_db()
        assert after.assignment_id == f"forgotten-{after.pk}"
        assert missing_by_receipt(campaign, receipt) == before


def _whole_database():
    """Return every row of every table, as text."""
    for model in apps.get_models():
        yield from map(str, model._default_manager.values_list())


def _row_of(model, campaign, submission):
    """Create a row of a kind that the small world lacks."""
    known = {
        "campaign": campaign,
        "worker": submission.worker,
        "submission": submission,
        "slot": submission.slots.first(),
        "kind": "other",
        "rule": "person",
        "what": "forget",
        "collection_id": campaign.collection_id,
        "key": "planted",
    }
    names = {field.name for field in model._meta.fields}
    model.objects.create(**{name: value for name, value in known.items() if name in names})
