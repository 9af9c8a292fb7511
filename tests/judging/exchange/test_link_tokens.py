"""Links of postings that a restored database lacks, and rows whose numbers it reused."""

from urllib.parse import urlsplit

import pytest
from django.core import signing
from django.db.models import Q
from django.test import Client

from judging.campaign.campaigns import pause, resume
from judging.errors import CrowdLater
from judging.exchange.link_tokens import link_for, page_token
from judging.exchange.recovered_places import UNKNOWN_PLACES
from judging.intake.collection import collect
from judging.intake.places import close_places, post_places
from judging.launch.pilots import pilot_campaign
from judging.models import Campaign, CrowdCall, Place, Posting, Submission
from tests.judging.visitor import Visitor

pytestmark = pytest.mark.usefixtures("crowd_site")


def restored(campaign: Campaign, since: int, state: str) -> None:
    """Restore the database to before the posting with number ``since`` was made."""
    Submission.objects.filter(campaign=campaign).delete()
    stem = campaign.call_key
    keys = Q(key__startswith=f"{stem}-{since}-") | Q(
        key__in=[f"{stem}-kind-{since}", f"{stem}-asked-{since}"]
    )
    CrowdCall.objects.filter(keys).delete()
    Place.objects.filter(posting__campaign=campaign, posting__number__gte=since).delete()
    campaign.postings.filter(number__gte=since).delete()
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    campaign.refresh_from_db()


@pytest.fixture
def resumed(fair):
    """A campaign paused and resumed after the backup. The last posting's places are at the crowd."""
    campaign = fair.opened()
    pause(campaign)
    close_places(campaign)
    resume(campaign)
    fair.collect(campaign)
    return campaign


def test_posting_made_after_the_backup_is_known_again_by_its_link_and_the_crowd(fair, crowd, resumed):
    martha = Visitor(crowd, resumed)
    assert urlsplit(martha.taken.url).path == urlsplit(link_for(resumed.postings.get(number=2))).path
    restored(resumed, since=2, state="open")

    page = martha.begin()

    assert page.status_code == 200
    assert martha.submission.place.posting.number == 2
    assert (martha.submission.place.posting.purpose, martha.submission.place.state) == ("main", "open")
    martha.do_task()
    crowd.hand_in(martha.taken, {})
    collect(resumed, sweep=True)
    assert Submission.objects.get().standing == "counted"


def test_work_on_a_posting_made_after_the_backup_is_collected_though_nobody_comes(fair, crowd, resumed):
    taken = crowd.take("AMARTHA")
    crowd.hand_in(taken, {"choice-1": "left"})
    restored(resumed, since=2, state="open")

    collect(resumed, sweep=True)
    post_places(resumed)

    assert resumed.postings.filter(number=2, purpose="main").exists()
    assert Submission.objects.get().standing == "unknown"  # paid; its page is not in the backup
    assert len(crowd.posted) == 4 + 4 + 1  # one more, because that work cannot be counted


def test_a_worker_who_arrives_while_the_restored_campaign_is_paused_reads_that(fair, crowd, resumed):
    martha = Visitor(crowd, resumed)
    restored(resumed, since=2, state="paused")

    assert martha.arrive().status_code == 403
    assert not Submission.objects.exists()
    resume(resumed)

    assert "Before you begin" in martha.arrive().content.decode()


def test_lost_pilot_stays_a_pilot(fair, crowd):
    campaign = fair.draft()
    pilot_campaign(campaign, tasks=2)
    post_places(campaign)
    martha = Visitor(crowd, campaign)
    restored(campaign, since=1, state="draft")
    Campaign.objects.update(launched_at=None)

    collect(campaign, sweep=True)
    assert not campaign.postings.exists()  # the crowd's list alone does not tell a pilot from a launch
    martha.arrive()

    assert campaign.postings.get().purpose == Posting.Purpose.PILOT
    assert not Submission.objects.exists()


def test_link_alone_makes_no_posting(fair, crowd, resumed):
    martha = Visitor(crowd, resumed)
    restored(resumed, since=2, state="open")
    of_another = next(iter(crowd.posted.values())).posted.crowd_id  # of the first posting

    for place in ("PLACE9999", of_another):
        assert martha.arrive(hitId=place).status_code == 404
    crowd.fail("place", CrowdLater("no answer"))
    assert martha.arrive().status_code == 503
    assert (
        martha.arrive(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE").status_code == 200
    )  # a preview shows texts

    assert not resumed.postings.filter(number=2).exists()


def test_lookups_of_unknown_postings_are_limited(fair, crowd, resumed, settings):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    martha = Visitor(crowd, resumed)
    restored(resumed, since=2, state="open")

    for number in range(UNKNOWN_PLACES.a_minute * 2 + 2):
        martha.arrive(hitId=f"MADEUP{number}", workerId=f"AFORGED{number}")

    assert crowd.calls["place"] <= UNKNOWN_PLACES.a_minute * 2  # in case a minute passes


def test_link_of_a_campaign_whose_row_number_another_has_now_leads_nowhere(fair, crowd, resumed):
    martha = Visitor(crowd, resumed)
    Campaign.objects.filter(pk=resumed.pk).update(call_key="another campaign")

    assert martha.arrive().status_code == 404
    assert martha.arrive(assignmentId="").status_code == 404


def test_page_of_a_submission_whose_row_number_another_has_now_leads_nowhere(fair, crowd, resumed):
    martha = Visitor(crowd, resumed)
    martha.begin()
    stale = page_token(Submission(pk=martha.submission.pk, assignment_id="OFBEFORE"), "")

    assert martha.client.get(f"/judge/task/{stale}/").status_code == 404
    assert martha.client.post(f"/judge/task/{stale}/finish").status_code == 404
    refused = martha.client.post(f"/judge/task/{stale}/save", {"slot": "1", "side": "left", "sequence": "0"})
    assert refused.json()["reason"] == "unknown-link"
    assert martha.save().json() == {"saved": True}


def test_links_of_older_versions_keep_working(fair, crowd, resumed):
    posting = resumed.postings.get(number=2)
    old = signing.Signer(salt="judging.link", sep="~").sign_object([resumed.pk, posting.pk])
    martha = Visitor(crowd, resumed)
    martha.taken.url = link_for(posting).rpartition("/judge/")[0] + f"/judge/{old}/"

    assert "Before you begin" in martha.arrive().content.decode()
    assert Client().get(f"/judge/{old[:-3]}abc/").status_code == 404
