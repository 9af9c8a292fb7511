import base64
import json

import pytest

from judging.campaign.campaigns import pause, resume
from judging.errors import CrowdAlready, CrowdLater, CrowdNever
from judging.exchange.calls import Patience, allow_retries
from judging.intake.collection import collect
from judging.intake.places import close_places, kind_of_place, lacking, post_places, want_places
from judging.launch.launches import launch_campaign
from judging.models import Campaign, CrowdCall, CrowdIdentity, Place, Posting, Task
from judging.models.campaign import new_call_key
from judging.people.exclusions import reinstate_worker
from judging.watching.status import campaign_status
from pooling.models import Passage, Query


def test_one_place_is_offered_for_each_task_under_an_annotation_of_its_own(fair):
    campaign = fair.opened()

    keys = [place.posted.key for place in fair.crowd.posted.values()]
    assert len(keys) == len(set(keys)) == campaign.tasks.count() == 4
    assert all(len(key) <= 64 for key in keys)
    assert Place.objects.filter(state=Place.State.OPEN).exclude(crowd_id="").count() == 4
    assert len(fair.crowd.kinds) == 1


def test_every_place_leads_to_the_same_address_without_any_ids_of_what_is_judged(fair):
    fair.opened()

    [address] = {place.url for place in fair.crowd.posted.values()}
    token = address.rstrip("/").rpartition("/")[2]
    # The signature after it can contain any characters.
    said = json.loads(base64.urlsafe_b64decode(token.partition("~")[0] + "==="))
    judged = {*Query.objects.values_list("qid", flat=True), *Passage.objects.values_list("pid", flat=True)}
    assert not judged.intersection(map(str, said))


def test_posting_again_offers_nothing_twice(fair):
    campaign = fair.opened()

    assert want_places(campaign) == 0
    assert post_places(campaign) == 0
    assert len(fair.crowd.posted) == 4


def test_lost_reply_makes_no_second_place(fair):
    campaign = fair.draft()
    launch_campaign(campaign)
    fair.crowd.fail("post_place", CrowdLater("the reply was lost"), after=True)

    with pytest.raises(CrowdLater):
        post_places(campaign)
    post_places(campaign)

    assert len(fair.crowd.posted) == 4
    assert Place.objects.filter(state=Place.State.OPEN).count() == 4


def test_place_is_found_by_its_key_when_the_error_names_another_id(fair):
    campaign = fair.draft()
    launch_campaign(campaign)
    fair.crowd.fail("post_place", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        post_places(campaign)
    fair.crowd.fail("post_place", CrowdAlready("exists", "SOMETHINGELSE"))

    post_places(campaign)

    assert set(Place.objects.values_list("crowd_id", flat=True)) == set(fair.crowd.posted)


def test_failure_keeps_what_was_offered_and_shows_its_reason(fair):
    campaign = fair.draft()
    launch_campaign(campaign)
    fair.crowd.fail("create_kind", CrowdNever("bad qualification"))

    with pytest.raises(CrowdNever):
        post_places(campaign)

    call = CrowdCall.objects.get(operation="create_kind")
    assert (call.state, call.error_message) == ("failed", "bad qualification")
    with pytest.raises(CrowdNever):
        post_places(campaign)
    assert fair.crowd.calls["create_kind"] == 1

    allow_retries(campaign)
    assert post_places(campaign) == 4


def test_what_the_crowd_asks_of_workers_is_read_back_from_the_first_place_of_a_posting(fair):
    campaign = fair.draft()
    launch_campaign(campaign)

    post_places(campaign)
    assert fair.crowd.calls["asked_of_workers"] == 1

    pause(campaign)
    close_places(campaign)
    fair.collect(campaign)
    resume(campaign)
    fair.collect(campaign)
    assert (fair.crowd.calls["asked_of_workers"], fair.crowd.open_places) == (2, 4)


def test_nothing_more_is_offered_when_the_crowd_asks_other_things_than_the_campaign(fair, monkeypatch):
    campaign = fair.draft()
    launch_campaign(campaign)
    monkeypatch.setattr(fair.crowd, "asked_of_workers", lambda crowd_id: [])

    for _ in range(2):
        with pytest.raises(CrowdNever, match="nothing instead of LIST"):
            post_places(campaign)

    assert (len(fair.crowd.posted), Place.objects.filter(state="wanted").count()) == (1, 3)
    assert any("pause_campaign fair" in problem for problem in campaign_status(campaign)["problems"])


def test_a_place_that_fails_for_now_holds_up_no_other(fair):
    campaign = fair.draft()
    launch_campaign(campaign)
    fair.crowd.fail("post_place", CrowdLater("no answer"))

    with pytest.raises(CrowdLater):
        post_places(campaign)
    assert fair.crowd.open_places == 3

    assert post_places(campaign) == 1
    assert fair.crowd.open_places == 4


def test_a_crowd_that_is_away_is_not_asked_for_every_place(fair):
    campaign = fair.draft(pairs_per_task=1)
    launch_campaign(campaign)
    fair.crowd.fail("post_place", *[CrowdLater("no answer")] * 12)

    with pytest.raises(CrowdLater):
        post_places(campaign)

    assert fair.crowd.calls["post_place"] == Patience.MOST_IN_A_ROW


def test_places_follow_tasks_that_wait_again(fair):
    campaign = fair.opened()
    Place.objects.update(state=Place.State.FILLED)

    assert lacking(campaign) == 4
    Task.objects.filter(number=1).delete()
    assert want_places(campaign) == 3
    assert lacking(campaign) == 0


def test_no_place_is_offered_while_paused_and_resuming_offers_the_rest_again(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    pause(campaign)
    close_places(campaign)

    collect(campaign, sweep=True)
    assert fair.crowd.open_places == 0
    assert Place.objects.filter(state=Place.State.GONE).count() == 3

    resume(campaign)
    collect(campaign, sweep=True)
    post_places(campaign)
    assert fair.crowd.open_places == 3
    assert Posting.objects.count() == 2


def test_places_wanted_but_never_tried_are_given_up_when_paused(fair):
    campaign = fair.draft()
    launch_campaign(campaign)
    pause(campaign)

    close_places(campaign)

    assert not Place.objects.exclude(state=Place.State.GONE).exists()
    assert post_places(campaign) == 0


def test_posting_stops_when_the_campaign_is_paused_meanwhile(fair):
    campaign = fair.draft()
    launch_campaign(campaign)

    def pause_after_two(done, total, message=""):
        if done == 2:
            Campaign.objects.update(state=Campaign.State.PAUSED)

    assert post_places(campaign, progress=pause_after_two) == 2
    assert len(fair.crowd.posted) == 2


def test_the_title_and_description_name_the_number_of_pairs_and_the_reward(fair):
    kind = kind_of_place(fair.draft())

    assert "5 times" in kind.description
    told = "Pays $2.00 for about 4 minutes, $30.00 an hour: this reward, and a bonus of $1.80"
    assert told in kind.description
    assert kind.title == "Which passage answers the question better? · 5 pairs in English · $2.00"
    assert kind.keywords.endswith(
        ", pairs:5, minutes:4, limit:60, promise:answer, bonus:1.80, language:en, page-language:en"
    )
    assert str(kind.reward) == "0.20"


def test_campaigns_with_equal_texts_have_separate_listings(fair):
    campaign = fair.draft()
    other = Campaign.objects.get(pk=campaign.pk)
    other.call_key = new_call_key()

    assert kind_of_place(campaign) == kind_of_place(Campaign.objects.get(pk=campaign.pk))
    assert kind_of_place(campaign) != kind_of_place(other)
    assert kind_of_place(campaign).keywords.startswith(campaign.keywords + ", batch ")
    other.keywords = "x" * 1000
    assert kind_of_place(other).keywords == other.keywords


def test_pay_that_is_not_split_is_all_reward(fair):
    kind = kind_of_place(fair.draft(pay="whole"))

    assert str(kind.reward) == "2.00"
    assert "bonus" not in kind.description


def test_places_that_no_task_needs_after_a_reinstatement_are_taken_down(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "AGOOD", pass_gold=False)
    fair.collect(campaign)
    assert fair.crowd.open_places == 4
    worker = CrowdIdentity.objects.get().worker
    reinstate_worker(campaign, worker, why="the gold pair was bad")

    fair.collect(campaign)
    fair.collect(campaign)

    assert (fair.crowd.open_places, lacking(campaign)) == (3, 0)


def test_places_left_when_every_task_is_done_are_taken_down(fair):
    campaign = fair.opened()
    for worker in ("A1", "A2", "A3", "A4"):
        fair.do_task(campaign, worker)
    extra = Place.objects.create(posting=Posting.objects.get(), number=99)
    post_places(campaign)
    extra.refresh_from_db()

    fair.collect(campaign)
    fair.collect(campaign)

    assert fair.crowd.posted[extra.crowd_id].closed
    assert fair.crowd.calls["close_place"] == 1
    extra.refresh_from_db()
    assert extra.state == Place.State.GONE
