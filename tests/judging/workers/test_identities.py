from decimal import Decimal

import pytest

from judging.models import Campaign, CrowdIdentity, Exclusion, Submission, Worker
from judging.workers.identities import crowd_namespace, declare_simulated, refusal_reason, worker_for
from tests.judging.cast import Fair


def test_worker_is_known_by_crowd_and_id(db):
    here, there = "mturk:http://here", "mturk:http://there"

    first = worker_for(here, "A1")

    assert worker_for(here, "A1") == first
    assert worker_for(there, "A1") != first
    assert CrowdIdentity.objects.count() == Worker.objects.count() == 2


def test_declared_workers_are_simulated_also_when_they_came_before(db):
    known = worker_for("fake:here", "A1")

    declare_simulated("fake:here", ["A1", "A2"])

    known.refresh_from_db()
    assert known.simulated
    assert worker_for("fake:here", "A2").simulated
    assert not worker_for("fake:here", "A3").simulated


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("draft", "not-open"),
        ("rehearsed", "not-open"),
        ("piloting", None),
        ("piloted", "paused"),
        ("open", None),
        ("paused", "paused"),
        ("closing", "closed"),
        ("closed", "closed"),
    ],
)
def test_only_an_open_campaign_takes_workers(fair, state, reason):
    campaign = fair.draft()
    Campaign.objects.update(state=state)
    campaign.refresh_from_db()

    assert refusal_reason(campaign, worker_for(crowd_namespace(campaign), "A1")) == reason


def test_one_failure_a_slip_perhaps_refuses_in_no_later_campaign(fair):
    campaign = fair.opened(gold_per_task=1)
    submission = fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)
    later = fair.next_opened("later")

    assert refusal_reason(campaign, submission.worker) == "excluded"
    assert refusal_reason(later, submission.worker) is None


def test_two_failures_refuse_in_later_campaigns_of_the_collection_and_in_no_others(fair, crowd):
    campaign = fair.opened(gold_per_task=2, budget=Decimal(20))
    submission = fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)

    assert (
        refusal_reason(fair.next_opened("later", budget=Decimal(20)), submission.worker)
        == "excluded-elsewhere"
    )
    assert refusal_reason(Fair(crowd, name="other").opened(budget=Decimal(20)), submission.worker) is None


def test_excluded_worker_is_refused_here_and_in_later_campaigns_until_it_is_reversed(fair):
    campaign = fair.opened()
    fair.name = "later"
    later = fair.draft()
    Campaign.objects.filter(pk=later.pk).update(state="open")
    later.refresh_from_db()
    worker = worker_for(crowd_namespace(campaign), "A1")
    exclusion = Exclusion.objects.create(campaign=campaign, worker=worker, rule="person", reason="failed")

    assert refusal_reason(campaign, worker) == "excluded"
    assert refusal_reason(later, worker) == "excluded-elsewhere"
    later.refuse_excluded_elsewhere = False
    assert refusal_reason(later, worker) is None
    exclusion.reversed_at = exclusion.decided_at
    exclusion.save()
    assert refusal_reason(campaign, worker) is None


def test_tasks_that_are_held_or_sent_off_use_up_a_workers_share_and_returned_ones_do_not(fair):
    campaign = fair.opened(max_tasks_per_worker=2, gold_per_task=1)
    fair.do_task(campaign, "A1")
    held = fair.open_task(campaign, "A1")
    worker = held.worker

    # The crowd signs nothing here: choices show that a worker is at work, but anybody can open an address.
    assert refusal_reason(campaign, worker) is None
    fair.answer(held, only=1)

    assert refusal_reason(campaign, worker) == "enough-tasks"
    Submission.objects.filter(pk=held.pk).update(state=Submission.State.RETURNED)
    assert refusal_reason(campaign, worker) is None


def test_placeholder_campaign_is_for_simulated_workers_only(fair):
    campaign = fair.opened(placeholder_text=True)
    person = worker_for(crowd_namespace(campaign), "A1")
    [simulated] = declare_simulated(crowd_namespace(campaign), ["A2"])
    simulated.refresh_from_db()

    assert refusal_reason(campaign, person) == "simulated-only"
    assert refusal_reason(campaign, simulated) is None
