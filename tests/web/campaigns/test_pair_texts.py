"""People who decide about workers see what the workers saw: question, passages, choice, right answer."""

from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.intake.places import post_places
from judging.launch.pilots import pilot_campaign
from judging.models import Appeal, GoldAnswer, Judgment, PairReport, Slot
from pooling.models import Membership
from tests.web.campaign_cast import text_of, worker

LIST = "/campaigns/fair/workers/"


def at(name: str, rest: str = "") -> str:
    return f"{LIST}{worker(name).pk}/{rest}"


def test_failed_test_pairs_and_judgments_open_to_their_texts(fair, campaign, manager):
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    answer = (
        GoldAnswer.objects.filter(worker=worker("ABAD"), passed=False).select_related("gold_pair").first()
    )
    gold = answer.gold_pair
    judgment = Judgment.objects.filter(worker=worker("ABAD")).select_related("left", "pair__query").first()
    appeal = Appeal.objects.create(campaign=campaign, worker=worker("ABAD"), refusal="excluded", words="no")

    page = text_of(manager.get(at("ABAD")))

    for text in (gold.query.text, gold.relevant.text, gold.off_topic.text, judgment.left.text):
        assert text in page
    assert '<span class="tag attention">chosen</span>' in page
    for decision in (at("ABAD", "reinstate/"), f"/campaigns/fair/appeals/{appeal.pk}/"):
        page = text_of(manager.get(decision))
        assert gold.relevant.text in page, decision
        assert at("ABAD") in page, decision


def test_more_work_costs_a_workers_page_no_more_queries(fair, campaign, manager, forget_cache):
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)

    def queries(name: str) -> int:
        manager.get(at(name))
        forget_cache()  # recount cached figures, because their lifetime depends on the machine
        with CaptureQueriesContext(connection) as caught:
            manager.get(at(name))
        return len(caught)

    few = queries("AGOOD")
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)

    assert queries("AGOOD") <= few <= 60
    assert queries("ABAD") <= 60


def test_a_reported_pair_opens_to_its_texts(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    slot = Slot.objects.filter(worker=worker("AGOOD"), gold_pair__isnull=False).select_related("left").first()
    PairReport.objects.create(submission=slot.submission, slot=slot, kind="broken")

    page = text_of(manager.get(at("AGOOD"))).split('id="h-reports"')[1]

    assert slot.left.text in page
    assert '<span class="tag good">relevant</span>' in page


def test_a_pilots_test_pairs_open_to_texts_and_lead_to_who_missed_them(fair, client):
    campaign = fair.draft()
    pilot_campaign(campaign, tasks=1)
    post_places(campaign)
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    gold = GoldAnswer.objects.select_related("gold_pair__relevant", "gold_pair__off_topic").first().gold_pair
    ada = get_user_model().objects.create_user("ada")
    Membership.objects.create(collection=campaign.collection, user=ada, role="manager")
    client.force_login(ada)

    for address in ("/campaigns/fair/", "/campaigns/fair/prepare/pilot/"):
        page = text_of(client.get(address))
        assert gold.relevant.text in page, address
        assert gold.off_topic.text in page, address
        assert f'href="{at("ABAD")}"' in page, address
        assert "(the off-topic passage)" in page, address
