"""The soft block: excluded workers do not see our places until they are reinstated."""

from datetime import timedelta

import pytest
import time_machine

from config import clock
from judging.errors import CrowdLater
from judging.intake.collection import campaigns_to_collect
from judging.intake.places import post_places
from judging.jobs import collect_job
from judging.models import BlockList, Campaign, CrowdIdentity, Exclusion, Place, Submission
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.people.rights import forget_worker
from judging.tasks.lease_ends import end_submission
from judging.workers.block_lists import (
    common_list_name,
    hide_from_finished,
    limit_list_name,
    list_name,
    sync_blocks,
)
from tests.judging.cast import Fair


def worker(name):
    return CrowdIdentity.objects.get(crowd_worker_id=name).worker


@pytest.fixture
def failed(fair, campaign):
    """AFAIL failed a gold pair; ADONE did not."""
    fair.do_task(campaign, "AFAIL", pass_gold=False)
    fair.do_task(campaign, "ADONE")
    fair.collect(campaign)
    return campaign


def blocked(fair, campaign):
    return fair.crowd.block_lists[list_name(campaign)]


def test_places_ask_that_their_worker_is_not_on_the_list(fair, campaign):
    asked = fair.crowd.kinds[0].qualifications

    assert {(one["Comparator"], one["ActionsGuarded"]) for one in asked} == {
        ("DoesNotExist", "DiscoverPreviewAndAccept")
    }
    names = [list_name(campaign), common_list_name(campaign), limit_list_name(campaign)]
    keys = BlockList.objects.filter(name__in=names).values_list("crowd_key", flat=True)
    assert {one["QualificationTypeId"] for one in asked} == set(keys)
    assert len(asked) == 3
    assert blocked(fair, campaign) == set()


def test_excluded_workers_are_put_on_the_list_once(fair, failed):
    sync_blocks(failed)
    sync_blocks(failed)

    assert blocked(fair, failed) == fair.crowd.block_lists[common_list_name(failed)] == {"AFAIL"}
    assert fair.crowd.calls["block"] == 2


def test_one_failure_keeps_a_worker_from_this_campaign_s_places_alone(fair):
    campaign = fair.opened(gold_per_task=1)
    fair.do_task(campaign, "AFAIL", pass_gold=False)
    fair.collect(campaign)
    sync_blocks(campaign)

    assert blocked(fair, campaign) == {"AFAIL"}
    assert fair.crowd.block_lists[common_list_name(campaign)] == set()


def test_a_campaign_launched_before_goes_on_with_the_list_its_places_ask_for(fair):
    campaign = fair.draft(gold_per_task=1)
    Campaign.objects.update(one_block_list=True)
    campaign = fair.launched(campaign)
    post_places(campaign)
    fair.do_task(campaign, "AFAIL", pass_gold=False)
    fair.collect(campaign)
    sync_blocks(campaign)

    assert (
        len(fair.crowd.kinds[0].qualifications) == BlockList.objects.count() == 2
    )  # plus workers at its limit
    assert blocked(fair, campaign) == {"AFAIL"}


def test_reinstated_workers_are_taken_off_the_list_until_a_new_exclusion(fair, failed):
    sync_blocks(failed)
    reinstate_worker(failed, worker("AFAIL"), why="a bad gold pair")
    sync_blocks(failed)
    assert blocked(fair, failed) == set()

    exclude_worker(failed, worker("AFAIL"), why="always left")
    sync_blocks(failed)
    assert blocked(fair, failed) == {"AFAIL"}
    assert Exclusion.objects.count() == 2


def test_a_list_that_is_there_stays_when_the_secret_key_changes(fair, failed, settings):
    settings.SECRET_KEY = "another key since"

    sync_blocks(failed)

    assert blocked(fair, failed) == {"AFAIL"}
    assert BlockList.objects.filter(name=list_name(failed)).count() == 1


def test_a_lost_reply_blocks_all_the_same(fair, failed):
    fair.crowd.fail("block", CrowdLater("no reply"), after=True)

    with pytest.raises(CrowdLater):
        sync_blocks(failed)
    sync_blocks(failed)

    assert blocked(fair, failed) == {"AFAIL"}


def test_the_list_is_made_once_for_the_collection_even_when_the_reply_was_lost(fair, crowd):
    campaign = fair.draft()
    crowd.fail("create_block_list", CrowdLater("no reply"), after=True)
    campaign = fair.launched(campaign)
    with pytest.raises(CrowdLater):
        post_places(campaign)
    post_places(campaign)
    other = fair.next_opened("other")

    # One list of each kind per campaign, and one for both.
    names = {
        name(one) for one in (campaign, other) for name in (list_name, limit_list_name, common_list_name)
    }
    assert set(crowd.block_lists) == set(BlockList.objects.values_list("name", flat=True)) == names
    assert len(names) == 5
    assert len(crowd.posted) == 8


def test_a_campaign_that_welcomes_workers_excluded_elsewhere_has_a_list_of_its_own(fair, crowd, failed):
    sync_blocks(failed)
    open_to_all = fair.next_opened("kind", refuse_excluded_elsewhere=False)
    assert len(fair.crowd.kinds[-1].qualifications) == 2  # its own list, and the one for its limit
    assert blocked(fair, open_to_all) == set()

    exclude_worker_of(fair, open_to_all)

    assert blocked(fair, open_to_all) == {"AOTHER"}
    assert fair.crowd.block_lists[common_list_name(failed)] == {"AFAIL", "AOTHER"}


def exclude_worker_of(fair, campaign):
    """AOTHER does a task of the campaign and is excluded from it."""
    kind = Fair.__new__(Fair)
    kind.crowd = fair.crowd
    first = campaign.postings.get().places.order_by("number").first()
    submission = kind.open_task(campaign, "AOTHER", fair.crowd.posted[first.crowd_id])
    kind.answer(submission)
    kind.send_off(submission)
    kind.collect(campaign)
    exclude_worker(campaign, worker("AOTHER"), why="too fast")
    sync_blocks(campaign)


def test_without_excluded_workers_there_is_no_call(fair, campaign):
    assert sync_blocks(campaign) == 0


def test_a_block_whose_reply_was_lost_is_taken_off_when_its_worker_is_reinstated(fair, failed):
    fair.crowd.fail("block", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        sync_blocks(failed)
    assert fair.crowd.block_lists[common_list_name(failed)] == {"AFAIL"}
    reinstate_worker(failed, worker("AFAIL"), why="a bad gold pair")

    assert sync_blocks(failed) >= 1
    assert sync_blocks(failed) == 0

    assert blocked(fair, failed) == fair.crowd.block_lists[common_list_name(failed)] == set()


def test_a_closed_campaign_s_lists_follow_a_reinstatement(fair, failed):
    sync_blocks(failed)
    Campaign.objects.filter(pk=failed.pk).update(state=Campaign.State.CLOSED)
    with time_machine.travel(clock.now() + timedelta(days=30)):
        Place.objects.update(state=Place.State.GONE)
        assert failed not in campaigns_to_collect()
        reinstate_worker(failed, worker("AFAIL"), why="a bad gold pair")
        assert failed in campaigns_to_collect()

        sync_blocks(failed)

    assert blocked(fair, failed) == set()


def test_places_are_hidden_from_somebody_who_has_done_all_that_one_person_may(fair):
    campaign = fair.opened(max_tasks_per_worker=2)
    fair.do_task(campaign, "ATWICE")
    fair.do_task(campaign, "AONCE")
    fair.collect(campaign)
    assert hide_from_finished(campaign) == 0
    fair.do_task(campaign, "ATWICE")
    fair.collect(campaign)

    assert [hide_from_finished(campaign), hide_from_finished(campaign)] == [1, 0]
    assert fair.crowd.block_lists[limit_list_name(campaign)] == {"ATWICE"}
    assert blocked(fair, campaign) == set()


def test_places_are_hidden_from_somebody_who_left_too_many_tasks_until_a_person_says_so(fair, settings):
    settings.MOST_UNFINISHED = 2
    campaign = fair.opened(max_tasks_per_worker=9)
    for round_, hidden in enumerate([{"ALEAVES"}, set(), {"ALEAVES"}]):
        with clock.shifted(timedelta(hours=round_)):
            if hidden:
                for _ in range(2):
                    left = fair.open_task(campaign, "ALEAVES", signed=True)
                    assert end_submission(left, Submission.State.RETURNED)
                    place = next(one for one in fair.crowd.posted.values() if one.holder)
                    fair.crowd.give_back(place)
                    place.assignment_id = f"ASSIGNMENTAFTER{left.pk}"
            else:
                reinstate_worker(campaign, worker("ALEAVES"), why="the network was down")

            assert [hide_from_finished(campaign), hide_from_finished(campaign)] == [1, 0]
        assert fair.crowd.block_lists[limit_list_name(campaign)] == hidden


def test_somebody_at_the_limit_who_was_forgotten_does_not_stop_the_collection(fair):
    campaign = fair.opened(max_tasks_per_worker=1)
    fair.do_task(campaign, "ADONE")
    fair.collect(campaign)
    assert hide_from_finished(campaign) == 1
    forget_worker(worker("ADONE"))

    collect_job(progress=lambda *_: None, campaign_id=campaign.pk)

    assert hide_from_finished(campaign) == 0


def test_the_limit_list_is_the_campaign_s_own(fair):
    campaign = fair.opened(max_tasks_per_worker=1)
    fair.name = "second"
    other = fair.draft()

    assert limit_list_name(campaign) != limit_list_name(other)
    assert limit_list_name(campaign).endswith(f"({campaign.call_key})")
