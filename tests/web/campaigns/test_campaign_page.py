"""A campaign's page: figures, items that need attention, steps of its life, the log."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config import clock
from config.background.models import Job
from config.background.services import start
from judging.campaign.campaigns import log_change, pause
from judging.campaign.cost import quote_tasks
from judging.models import Campaign, CampaignChange, CrowdCall, GoldPair, Submission
from judging.people.gold_suspension import suspend_gold_pair
from judging.watching.history import course_of
from pooling.models import Membership
from tests.judging.cast import PLENTY
from tests.web.campaign_cast import text_of, worker
from tournament.models import Challenge, QrelVersion

PAGE = "/campaigns/fair/"
SCRIPT = "<script>alert('x')</script>"


def test_the_page_shows_the_campaigns_progress(fair, campaign, manager):
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2", pass_gold=False)
    fair.open_task(campaign, "A3")
    fair.collect(campaign)

    reply = manager.get(PAGE)
    page, watch = text_of(reply), reply.context["watch"]

    assert "3 of 12 judgments counted" in page
    assert watch.tasks == {"waiting": 2, "held": 1, "done": 1}
    assert (watch.active, watch.workers, watch.excluded) == (2, 3, 1)
    assert (watch.course.gold, watch.course.gold_passed) == (4, 2)
    assert watch.course.left_share == 1.0
    assert watch.course.standings == {"counted": 3, "excluded": 3}
    assert watch.spent == watch.used == Decimal("4.80")
    assert "$4.80 of $" in page
    assert watch.pace > 0
    assert watch.ends_at > watch.now


def test_a_closed_campaign_has_nobody_at_work_and_a_pace_that_stays(fair, campaign, manager):
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    closed = clock.now() + timedelta(hours=1)
    Campaign.objects.filter(pk=campaign.pk).update(state="closed", closed_at=closed)
    pace = manager.get(PAGE).context["watch"].pace

    with clock.shifted(timedelta(days=3)):
        reply = manager.get(PAGE)

    assert "Active workers" not in text_of(reply)
    assert reply.context["watch"].pace == pytest.approx(pace)


def test_new_work_and_decisions_are_shown_at_the_next_update(fair, campaign, manager):
    assert manager.get(PAGE).context["course"].counted == 0
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    key = Submission.objects.get().worker_id
    with clock.shifted(timedelta(minutes=2)):  # counting may use a twentieth of the time
        assert manager.get(f"{PAGE}live").context["course"].counted == 3

        manager.post(f"{PAGE}workers/{key}/exclude/", {"why": "asked to"})

        assert manager.get(f"{PAGE}live").context["course"].counted == 0


def test_figures_over_time_are_drawn_and_listed_in_a_table(fair, campaign, manager):
    fair.do_task(campaign, "A1")
    fair.collect(campaign)

    page = text_of(manager.get(PAGE))

    for title in ("Judgments that count", "Gold pairs passed, %", "Left preferred, %"):
        assert f">{title}</h3>" in page
    assert "no pair was judged twice" in page
    assert "These figures as a table" in page


def test_agreement_is_that_of_every_two_judgments_of_a_pair(fair):
    twice = fair.opened(judgments_per_pair=2, max_tasks_per_worker=4)
    for name in ("A1", "A2"):
        for _ in range(4):
            fair.do_task(twice, name)
    fair.collect(twice)
    first, second = (twice.judgments.filter(worker=worker(name)) for name in ("A1", "A2"))
    second.filter(pk=second.first().pk).update(preferred=None)
    chosen = dict(second.values_list("pair", "preferred"))
    same = sum(chosen[one.pair_id] == one.preferred_id for one in first)

    course = course_of(twice)

    assert (course.twos, course.agreeing) == (12, same)
    assert sum(point.twos for point in course.points) == 12


@pytest.mark.parametrize("person", ["nobody", "viewer"])
def test_only_members_see_what_needs_a_person_and_only_managers_can_act(client, campaign, person):
    campaign.collection.visibility = "published"
    campaign.collection.save()
    log_change(campaign, "secret step", why="a reason", who="ada")
    if person == "viewer":
        bob = get_user_model().objects.create_user("bob")
        Membership.objects.create(collection=campaign.collection, user=bob, role="viewer")
        client.force_login(bob)

    page = text_of(client.get(PAGE))

    assert ("secret step" in page) == (person == "viewer")
    assert ("Status.</strong> Tasks are offered" in page) == (person == "viewer")
    assert "/steps/pause/" not in page


@pytest.mark.parametrize("address", ["/", "/campaigns/", "/campaigns/fair/progress"])
def test_lists_say_the_next_step_once_all_judgments_are_in(fair, manager, campaign, address):
    assert "The judgments are in" not in text_of(manager.get(address))

    for name in ("A1", "A2", "A3", "A4"):
        fair.do_task(campaign, name)
    fair.collect(campaign)

    told = text_of(manager.get(address))
    assert "The judgments are in: see every query" in told
    assert "Only an owner or a maintainer of the collection can do this." in told
    Membership.objects.update(role="owner")
    row = text_of(manager.get(address))
    assert 'href="/campaigns/fair/publish/"' in row
    campaign.collection.visibility = "published"
    campaign.collection.save()
    assert "The judgments are in" not in text_of(Client().get("/campaigns/"))


def test_a_next_step_for_another_role_names_the_role(client, campaign):
    viewer = get_user_model().objects.create_user("bob")
    Membership.objects.create(collection=campaign.collection, user=viewer, role="viewer")
    client.force_login(viewer)
    campaign.state = campaign.State.PAUSED
    campaign.save()

    answer = client.get(PAGE)

    assert "/steps/resume/" not in answer.content.decode()
    assert "Only an owner or a campaign manager of the collection can do this." in text_of(answer)


def test_items_that_need_attention_are_on_top(fair, campaign, manager, settings):
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    CrowdCall.objects.create(
        campaign=campaign,
        operation="post_place",
        key="refused",
        state="failed",
        error_class="never",
        error_message="The title is too long.",
        next_step="Shorten it.",
    )
    campaign.__class__.objects.filter(pk=campaign.pk).update(budget=Decimal("3.00"))
    suspend_gold_pair(
        campaign, GoldPair.objects.filter(campaign=campaign).first(), why="4 of 5 workers failed it"
    )

    page = text_of(manager.get(PAGE))

    needs = page.index("Needs you")
    for words in (
        "The title is too long.",
        "Shorten it.",
        "The budget is low: $3.00",
        "was suspended automatically",
    ):
        assert needs < page.index(words) < page.index("Progress"), words
    assert "its budget of $3.00 does not cover all tasks" in text_of(manager.get("/"))


def test_held_money_is_not_available_for_tasks(fair, campaign, manager):
    submission = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    whole = quote_tasks(campaign, campaign.tasks.count()).total
    campaign.__class__.objects.filter(pk=campaign.pk).update(budget=whole)
    low = "does not cover all tasks"
    assert low not in text_of(manager.get("/"))

    submission.payments.create(kind="top_up", cause="late", amount=Decimal("1.00"), fee=0, state="held")

    assert low in text_of(manager.get("/"))
    assert "The budget is low" in text_of(manager.get(PAGE))


def test_a_used_up_budget_is_reported_once(fair, campaign, manager):
    campaign.__class__.objects.filter(pk=campaign.pk).update(budget=Decimal("9.60"))
    fair.do_task(campaign, "ABADWORKER", pass_gold=False)
    fair.collect(campaign)

    reply = manager.get(PAGE)
    page = text_of(reply)

    assert (
        '<a class="button primary" href="/campaigns/fair/budget/">Change the budget</a>'
        in reply.content.decode()
    )
    assert "retried automatically" not in page
    assert "The budget of $9.60 is used up" in page
    assert "The budget is low" not in page


def test_stalled_work_is_named(fair, campaign, manager):
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    with clock.shifted(timedelta(hours=3)):
        fair.open_task(campaign, "A2")
    with clock.shifted(timedelta(hours=9)):
        page = text_of(manager.get(PAGE))

    assert "1 task held past the deadline, stalled" in page


def test_refused_calls_are_asked_again(campaign, manager):
    CrowdCall.objects.create(campaign=campaign, operation="post_place", key="refused", state="failed")

    manager.post(f"{PAGE}ask-again")

    assert CrowdCall.objects.get(key="refused").state == "intended"
    assert CampaignChange.objects.get(what="retried: 1 call").who == "ada"


def test_a_pause_shows_its_effects_and_is_recorded_with_who_and_why(fair, campaign, manager):
    fair.open_task(campaign, "A1")
    page = text_of(manager.get(f"{PAGE}steps/pause/"))
    assert "1 holds a task. They can finish it" in page
    assert "3 are withdrawn from the crowd" in page

    reply = manager.post(f"{PAGE}steps/pause/", {"why": f"lunch {SCRIPT}"}, follow=True)

    campaign.refresh_from_db()
    assert campaign.state == "paused"
    change = CampaignChange.objects.get(what="paused")
    assert (change.who, change.why) == ("ada", f"lunch {SCRIPT}")
    assert Job.objects.filter(kind="judging.close_places").exists()
    assert SCRIPT not in reply.content.decode()


def test_a_resumption_names_the_amount_on_the_button(campaign, manager):
    pause(campaign)

    page = text_of(manager.get(f"{PAGE}steps/resume/"))
    manager.post(f"{PAGE}steps/resume/", {"why": ""})

    assert "Resume fair and spend up to $9.60" in page
    campaign.refresh_from_db()
    assert campaign.state == "open"


def test_closing_takes_the_name_typed(campaign, manager):
    assert "This cannot be undone." in text_of(manager.get(f"{PAGE}steps/close/"))
    assert "Type fair to close it." in text_of(manager.post(f"{PAGE}steps/close/", {"sure": "Fair"}), 400)

    manager.post(f"{PAGE}steps/close/", {"sure": "fair", "why": "enough"})

    campaign.refresh_from_db()
    assert campaign.state == "closing"


def test_a_step_that_is_not_possible_changes_nothing(campaign, manager):
    assert "there is nothing to resume" in text_of(manager.get(f"{PAGE}steps/resume/"))

    reply = manager.post(f"{PAGE}steps/resume/", follow=True)

    assert "it cannot become open" in text_of(reply)
    assert manager.get(f"{PAGE}steps/dance/").status_code == 404


def test_a_budget_that_would_be_refused_is_refused_before_it_is_confirmed(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)

    page = text_of(manager.post(f"{PAGE}budget/", {"amount": "0.01"}), 400)

    assert "$0.01 is less than the" in page
    assert "Let fair spend" not in page


def test_a_budget_is_previewed_and_then_confirmed(campaign, manager):
    page = text_of(manager.post(f"{PAGE}budget/", {"amount": "1,200.5", "why": "more"}))
    assert "Let fair spend up to $1,200.50" in page
    campaign.refresh_from_db()
    assert campaign.budget == PLENTY

    manager.post(f"{PAGE}budget/", {"amount": "1200.5", "why": "more", "confirm": "1"})

    campaign.refresh_from_db()
    assert campaign.budget == Decimal("1200.50")
    assert CampaignChange.objects.get(what="budget $1,200.50").why == "more"


@pytest.mark.parametrize("amount", ["", "x", "-1", "0", "1.234", "NaN", "Infinity", "1e30", "9" * 400, "²"])
def test_an_invalid_amount_is_refused(campaign, manager, amount):
    reply = manager.post(f"{PAGE}budget/", {"amount": amount, "confirm": "1"})

    assert reply.status_code == 400
    campaign.refresh_from_db()
    assert campaign.budget == PLENTY


def test_the_log_says_in_words_how_the_state_changed(campaign, manager):
    CampaignChange.objects.all().delete()
    for state in ("open", "paused"):
        log_change(campaign, state, who="eve")

    pages = [text_of(manager.get(page)) for page in (PAGE, f"{PAGE}activity/")]

    assert "opened for work by eve" in pages[0]
    assert "paused by eve" in pages[0]
    assert "<td>opened for work</td>" in pages[1]


def test_the_log_is_searched_and_cut_into_pages(campaign, manager):
    for number in range(60):
        log_change(campaign, f"step {number}", why=SCRIPT if number == 3 else "", who="eve")

    first, searched = manager.get(f"{PAGE}activity/"), manager.get(f"{PAGE}activity/?q=alert")

    assert len(first.context["page"].object_list) == 50
    assert [change.what for change in searched.context["page"]] == ["step 3"]
    assert SCRIPT not in searched.content.decode()
    assert manager.get(f"{PAGE}activity/?page=99&q=step").status_code == 200


def test_the_live_part_says_when_the_campaign_is_over(campaign, manager):
    assert "data-over" not in text_of(manager.get(f"{PAGE}live"))
    campaign.__class__.objects.filter(pk=campaign.pk).update(state="closed")

    reply = manager.get(f"{PAGE}live")

    assert "data-over" in text_of(reply)
    assert "no-store" in reply["Cache-Control"]
    assert "data-live" not in text_of(manager.get(PAGE))


def test_more_work_costs_no_more_queries(fair, campaign, manager, forget_cache):
    def queries() -> int:
        manager.get(PAGE)
        forget_cache()  # recount cached figures, because their lifetime depends on the machine
        with CaptureQueriesContext(connection) as caught:
            manager.get(PAGE)
        return len(caught)

    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    few = queries()
    for name in ("A2", "A3"):
        fair.do_task(campaign, name)
    fair.collect(campaign)

    assert queries() <= few <= 60


def test_an_open_campaign_without_active_workers_does_not_say_that_workers_are_judging(
    fair, campaign, manager
):
    assert "Tasks are offered, and nobody is judging at the moment. 12 judgments" in text_of(
        manager.get(PAGE)
    )

    fair.open_task(campaign, "A1")

    assert "Workers are judging. 12 judgments are still to come." in text_of(manager.get(PAGE))


def test_a_campaign_for_simulated_workers_leads_to_them(fair, campaign, manager):
    Campaign.objects.update(placeholder_text=True)
    link = '<a class="button primary" href="/campaigns/fair/simulate/">Have simulated workers judge</a>'

    page = manager.get(PAGE).content.decode()
    start("web.simulate", key=f"web.simulate:{campaign.pk}", arguments={})

    assert (
        "Only simulated workers judge this campaign, and none is at work. 12 judgments are still to come."
        in page
    )
    assert link in page
    assert "Hourly pay" not in page
    assert link not in manager.get(PAGE).content.decode()


def test_challenges_are_listed_with_their_rule_in_words(campaign, manager):
    Challenge.objects.create(campaign=campaign, number=1, rule="single", run_tags=[])

    assert "challenge 1, one judgment per pair: open" in text_of(manager.get(PAGE))


def test_a_rehearsal_offers_neither_a_challenge_nor_a_publication(fair, campaign, manager):
    draft = fair.draft_of("spring")
    assert "New runs challenge the best answers" in text_of(manager.get(PAGE))
    assert "Publish the first version" in text_of(manager.get(PAGE))

    Campaign.objects.filter(pk=campaign.pk).update(rehearsal_of=draft)

    page = text_of(manager.get(PAGE))
    assert "New runs challenge the best answers" not in page
    assert f"{PAGE}publish/" not in page


def test_a_later_version_is_called_the_next(fair, campaign, manager):
    QrelVersion.objects.create(
        collection=campaign.collection,
        campaign=fair.draft_of("earlier"),
        number=1,
        simulated=False,
        queries_count=1,
        qrels_count=1,
        published_at=clock.now(),
    )

    page = text_of(manager.get(PAGE))

    assert "Publish the next version" in page
    assert "first version" not in page
