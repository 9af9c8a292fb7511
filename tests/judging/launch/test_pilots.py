from datetime import datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.urls import reverse

from config import clock
from config.background.followed_jobs import attend
from config.background.services import start
from judging.campaign.campaign_settings import check_changeable
from judging.campaign.campaigns import pause
from judging.campaign.hourly_pay import expected_pay
from judging.campaign.screening_forecast import outlook_of, slips_of
from judging.campaign.worker_texts import accept_texts, set_texts
from judging.errors import CampaignRefused, NotReady
from judging.intake.places import post_places
from judging.jobs import close_places_key, collect_key
from judging.launch.checks import check_list
from judging.launch.forecast import Pace, forecast_of
from judging.launch.launches import Terms, launch_campaign, plan_offer
from judging.launch.pilot_report import pilot_report
from judging.launch.pilots import finish_pilot, pilot_campaign
from judging.models import Campaign, Place, Posting, Submission, Task, Worker
from judging.page import session
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.rules import slips
from judging.watching.status import campaign_status
from pooling.models import Collection
from tests.judging.cast import good_side
from tests.judging.test_commands import refused, run

START = datetime.fromisoformat("2026-03-02T09:00:00+00:00")


@pytest.fixture
def timed(fair):
    """Return a function: a worker does a task in this many seconds, ``shown`` of them per pair, with a comment."""

    def work(campaign, worker, seconds, *, shown=None, pass_gold=True, comment=""):
        with time_machine.travel(START, tick=False) as now:
            submission = fair.open_task(campaign, worker)
            now.shift(timedelta(seconds=seconds))
            for slot in submission.slots.select_related("gold_pair"):
                side = good_side(slot, pass_gold)
                signals = session.Signals(seconds=shown)
                session.save_choice(submission, number=slot.number, sequence=0, side=side, signals=signals)
            session.finish(submission, comment=comment)
            fair.hand_in(submission)
        return submission

    return work


def piloted(fair, tasks=2, **options) -> Campaign:
    campaign = fair.draft()
    pilot_campaign(campaign, tasks=tasks, **options)
    post_places(campaign)
    return campaign


def collect_by_job(campaign: Campaign) -> None:
    arguments = {"campaign_id": campaign.pk}
    attend(start("judging.collect", key=collect_key(campaign), arguments=arguments | {"sweep": True}))
    attend(start("judging.close_places", key=close_places_key(campaign), arguments=arguments))
    campaign.refresh_from_db()


def test_a_pilot_offers_its_tasks_and_pauses_when_they_are_done(fair, timed):
    campaign = piloted(fair)
    assert (campaign.state, fair.crowd.open_places) == ("piloting", 2)
    assert campaign.postings.get().purpose == Posting.Purpose.PILOT

    timed(campaign, "A1", 300)
    collect_by_job(campaign)
    assert (campaign.state, fair.crowd.open_places) == ("piloting", 1)
    timed(campaign, "A2", 240)
    collect_by_job(campaign)

    assert (campaign.state, fair.crowd.open_places) == ("piloted", 0)
    assert "median 4.5 minutes a task, $26.66 an hour" in campaign.changes.get(what="piloted").why
    assert len(fair.crowd.approvals) == 2


def test_its_judgments_do_not_count_and_others_repeat_its_tasks(fair, timed):
    campaign = piloted(fair)
    for worker in ("A1", "A2"):
        timed(campaign, worker, 300)
    collect_by_job(campaign)

    assert campaign.judgments.count() == 6
    assert campaign.judgments.counted().count() == 0
    assert campaign_status(campaign)["judgments"]["pilot"] == 6
    assert campaign.tasks.filter(state=Task.State.WAITING).count() == 4

    launch_campaign(campaign)
    post_places(campaign)
    assert fair.crowd.open_places == 4
    assert [*campaign.postings.order_by("number").values_list("number", "purpose")] == [
        (1, "pilot"),
        (2, "main"),
    ]
    for worker in ("A3", "A4", "A5", "A6"):
        fair.do_task(campaign, worker)
    fair.collect(campaign)
    assert campaign.judgments.counted().count() == 12
    assert {row.pair_id for row in campaign.judgments.counted()} == set(
        campaign.pairs.values_list("pk", flat=True)
    )


def test_its_judgments_count_when_asked_and_only_the_rest_is_offered(fair, timed):
    campaign = piloted(fair, counts=True)
    for worker in ("A1", "A2"):
        timed(campaign, worker, 300)
    collect_by_job(campaign)

    assert campaign.judgments.counted().count() == 6
    launched = launch_campaign(campaign)
    assert (launched.cost.tasks, launched.places) == (2, 2)
    now = outlook_of(campaign).costs(launched.cost.total)[1]
    assert (
        campaign.confirmed_spend == Decimal("4.80") + now
    )  # two tasks paid in the pilot, two with repeats now


def test_report_has_medians_pay_gold_and_comments(fair, timed):
    campaign = piloted(fair, tasks=3)
    timed(campaign, "A1", 100, shown=10.0, comment="Nice & short <b>")
    timed(campaign, "A2", 200, shown=20.0)
    timed(campaign, "A3", 600, shown=90.0, pass_gold=False)
    collect_by_job(campaign)

    report = pilot_report(campaign)

    assert (report.submitted, report.timed, report.workers, report.excluded) == (3, 2, 3, 1)
    assert (report.seconds_per_task, report.seconds_per_pair) == (150, 15)
    assert report.hourly == Decimal("48.00")
    assert report.comments == ["Nice & short <b>"]
    assert sum(row.answered for row in report.gold) == 6
    assert sum(row.passed for row in report.gold) == 4
    assert [row.rate for row in report.gold] == sorted(row.rate for row in report.gold)
    assert report.gold[0].relevant.startswith("relevant-")
    assert campaign_status(campaign)["pilot"] == report.as_dict()


def test_page_shows_a_pilots_figures_and_comments_escaped_to_members_alone(fair, timed, client, admin_client):
    campaign = piloted(fair, tasks=1)
    timed(campaign, "A1", 100, comment="<b>Nice</b>")
    collect_by_job(campaign)
    Collection.objects.update(visibility=Collection.Visibility.PUBLISHED)
    page = reverse("web:campaign", args=["fair"])

    assert client.get(page).status_code == 404
    own = admin_client.get(page).content.decode()
    Campaign.objects.update(state=Campaign.State.OPEN)
    launched = client.get(page).content.decode()

    assert "1 of 1 tasks submitted" in own
    assert "$72.00" in own
    assert not any(words in launched for words in ("tasks submitted", "$72.00", "Nice"))
    assert "&lt;b&gt;Nice&lt;/b&gt;" in own
    assert "relevant-" in own


def test_failed_gold_excludes_in_a_pilot_and_its_place_is_not_offered_again(fair, timed):
    campaign = piloted(fair)
    timed(campaign, "A1", 100, pass_gold=False)
    fair.collect(campaign)

    assert Submission.objects.get().standing == Submission.Standing.EXCLUDED
    assert fair.crowd.open_places == 1


def test_place_that_ran_out_is_offered_again(fair):
    campaign = piloted(fair)
    place = next(iter(fair.crowd.posted.values()))
    place.closed = True

    fair.collect(campaign)

    assert fair.crowd.open_places == 2
    assert Place.objects.filter(state=Place.State.GONE).count() == 1


def test_reinstated_pilot_work_still_does_not_count(fair, timed):
    campaign = piloted(fair)
    submission = timed(campaign, "A1", 100)
    fair.collect(campaign)
    exclude_worker(campaign, submission.worker, why="test")

    reinstate_worker(campaign, submission.worker, why="mistake")

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.PILOT
    assert campaign.tasks.filter(state=Task.State.WAITING).count() == 4


def test_median_time_of_the_pilot_is_what_launch_checks_the_pay_with(fair, timed):
    campaign = piloted(fair)
    for worker in ("A1", "A2"):
        timed(campaign, worker, 720)  # $2.00 in 12 minutes: $10.00 an hour
    collect_by_job(campaign)

    assert (expected_pay(campaign).hourly, expected_pay(campaign).measured) == (
        Decimal("10.00"),
        2,
    )
    with pytest.raises(
        NotReady, match=r"\$10.00 an hour \(12.0 minutes a task, the median of 2 tasks in the pilot"
    ):
        launch_campaign(campaign, minimum_hourly=Decimal("12"))
    launch_campaign(campaign, minimum_hourly=Decimal("10"))


def test_a_paused_pilot_is_over_and_texts_can_be_changed(fair):
    campaign = piloted(fair)

    pause(campaign, why="typo", who="ada")
    collect_by_job(campaign)

    assert (campaign.state, fair.crowd.open_places) == ("piloted", 0)
    set_texts(campaign, consent="Better.")
    accept_texts(campaign)
    pilot_campaign(campaign, tasks=1)
    assert campaign.state == Campaign.State.PILOTING
    assert Place.objects.filter(state=Place.State.WANTED).count() == 1


def test_two_collections_at_once_end_a_pilot_once(fair, timed):
    campaign = piloted(fair, tasks=1)
    timed(campaign, "A1", 60)
    fair.collect(campaign)

    assert [finish_pilot(campaign), finish_pilot(campaign)] == [True, False]
    assert campaign.changes.filter(what="piloted").count() == 1


def test_pilot_larger_than_the_campaign_or_unlike_the_first_is_refused(fair):
    campaign = fair.draft()
    for tasks in (0, 5):
        with pytest.raises(CampaignRefused, match="between 1 and 4"):
            pilot_campaign(campaign, tasks=tasks)
    pilot_campaign(campaign, tasks=1)
    assert pilot_campaign(campaign, tasks=1).already
    with pytest.raises(NotReady, match="already piloting"):
        pilot_campaign(campaign, tasks=2)
    pause(campaign)
    with pytest.raises(CampaignRefused, match="must use the same setting"):
        pilot_campaign(campaign, tasks=1, counts=True)


def test_without_measured_times_there_are_no_figures(fair):
    campaign = piloted(fair)
    report = pilot_report(campaign)

    assert (report.seconds_per_task, report.hourly, report.gold) == (None, None, [])
    assert not expected_pay(campaign).measured
    fair.name = "second"
    assert pilot_report(fair.draft()) is None


def test_times_of_simulated_workers_are_no_measurement_of_people(fair, timed):
    campaign = piloted(fair)
    for worker in ("A1", "A2"):
        timed(campaign, worker, 3, shown=1.0)
    Worker.objects.update(simulated=True)
    collect_by_job(campaign)

    report = pilot_report(campaign)

    assert report.simulated == report.submitted == 2
    assert (report.seconds_per_task, report.seconds_per_pair, report.hourly) == (None, None, None)
    assert "simulated workers" in report.words()
    assert not expected_pay(campaign).measured


def test_spending_of_a_pilot_is_confirmed_like_any_other(fair, settings, pages):
    settings.CROWD_ENDPOINT = "https://crowd.example"
    campaign = fair.draft()
    terms = {"endpoint": "https://crowd.example"}

    with pytest.raises(NotReady, match=r"costs \$4.80"):
        pilot_campaign(campaign, tasks=2, terms=Terms(**terms))
    pilot_campaign(campaign, tasks=2, terms=Terms(**terms, confirm_spend=Decimal("4.80")))

    assert campaign.confirmed_spend == Decimal("4.80")
    assert Place.objects.count() == 2


def test_the_command_offers_waits_and_reports(fair, timed):
    campaign = fair.draft()

    told = run("pilot_campaign", "fair", "--tasks", "1")
    assert (told["state"], told["places"], told["pilot"]["submitted"]) == ("piloting", 1, 0)
    assert told["cost"] == 2.4
    assert not {"cost_with_repeats", "repeated"} & told.keys()  # a pilot repeats nothing
    campaign.refresh_from_db()
    timed(campaign, "A1", 120, comment="fine")
    told = run("pilot_campaign", "fair", "--wait")

    assert told["state"] == "piloted"
    assert (told["pilot"]["seconds_per_task"], told["pilot"]["comments"]) == (120, ["fine"])
    assert clock.now() > campaign.launched_at


def test_the_command_refuses_what_it_cannot_do(fair):
    fair.draft()

    assert refused("pilot_campaign", "fair")[0] == 1
    assert refused("pilot_campaign", "fair", "--count")[0] == 2
    assert refused("pilot_campaign", "fair", "--tasks", "1", "--minimum-hourly", "much")[0] == 2


def test_the_slip_rate_that_a_pilot_measured_replaces_the_assumed_one_everywhere(fair, timed, monkeypatch):
    monkeypatch.setattr(slips, "LEAST_ANSWERS", 4)
    campaign = piloted(fair)
    assert slips_of(campaign).seen == 0
    timed(campaign, "A1", 300)
    timed(campaign, "A2", 240)
    collect_by_job(campaign)

    found = slips_of(campaign)

    assert (found.failed, found.seen, found.low) == (0, 4, 0)
    assert outlook_of(campaign).slips == forecast_of(campaign, Pace()).outlook.slips == found
    cost = next(one.words for one in check_list(plan_offer(campaign, 4, Terms())) if one.name == "cost")
    assert "measured in the pilot: 0 of 4 missed" in cost


def test_simulated_workers_measure_no_slips_of_people(fair, timed, monkeypatch):
    monkeypatch.setattr(slips, "LEAST_ANSWERS", 4)
    campaign = piloted(fair)
    timed(campaign, "A1", 300)
    timed(campaign, "A2", 240)
    collect_by_job(campaign)
    Worker.objects.update(simulated=True)

    assert slips_of(campaign).seen == 0


def test_a_campaign_for_simulated_workers_has_no_pilot(fair):
    campaign = fair.draft()
    Campaign.objects.update(placeholder_text=True)
    campaign.refresh_from_db()

    with pytest.raises(CampaignRefused, match="nobody can take the tasks of a pilot"):
        pilot_campaign(campaign, tasks=1)

    assert not Posting.objects.exists()


def test_settings_that_cannot_change_during_a_pilot_say_how_to_end_it(fair):
    campaign = piloted(fair)

    with pytest.raises(CampaignRefused, match="The pilot of fair is running") as caught:
        check_changeable(campaign)

    assert caught.value.next_step == "Wait until it ends, or manage.py pause_campaign fair."
