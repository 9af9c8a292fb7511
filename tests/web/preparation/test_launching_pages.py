"""A campaign's last steps to its launch: rehearsal, pilot, check list, launch."""

from decimal import Decimal

import pytest
from django.urls import reverse

from config import clock
from config.background.models import Job
from config.background.services import start
from judging.campaign.rehearsal_copy import rehearsal_of
from judging.launch import launches as service
from judging.launch.launches import amount_to_confirm, launch_campaign
from judging.models import Campaign, CampaignChange, Place, Posting
from pooling.models import Membership, Passage, QrelSet
from tests.due_jobs import work_off_everything
from tests.judging.conftest import crowd as crowd
from tests.web.preparing_cast import (
    DRAFT,
    GARBAGE,
    draft as draft,
    fair as fair,
    manager as manager,
    ready as ready,
    texts,
)


def test_the_check_list_shows_every_problem_and_where_to_fix_it(manager, draft):
    page = manager.get(f"{DRAFT}check/")

    assert "2 of 13 did not pass" in texts(page)
    assert f'href="{DRAFT}gold/"' in page.content.decode()
    assert f'href="{DRAFT}texts/"' in page.content.decode()
    assert "2 of 13 checks did not pass" in texts(manager.get(f"{DRAFT}launch/"))
    refused = manager.post(f"{DRAFT}launch/", {"amount": "9.60"})
    assert refused.status_code == 422
    assert not Posting.objects.exists()


def test_passages_without_text_lead_to_the_passage_files(manager, ready):
    Campaign.objects.update(placeholder_text=False)
    Passage.objects.update(text=None)

    page = manager.get(f"{DRAFT}check/").content.decode()

    assert "passages have no text: " in page
    assert "Add passage files (only an owner or a maintainer can)" in page
    assert "Go to texts" not in page


def test_the_list_of_steps_says_what_the_check_list_says_about_gold_pairs(manager, ready):
    assert "✓ 2 of 2 accepted" in texts(manager.get(f"{DRAFT}check/"))
    Campaign.objects.update(accept_weak_screening=False)

    page = texts(manager.get(f"{DRAFT}check/"))

    assert "! 2 of 2 accepted, weak screening" in page
    assert "The gold pairs cannot screen workers reliably." in page
    asked = ready.tasks.order_by("pk").first().task_pairs.values_list("pair__query", flat=True)[0]
    ready.gold_pairs.update(query=asked)
    assert "! 2 of 2 accepted, some tasks have too few" in texts(manager.get(f"{DRAFT}check/"))
    assert "no gold pair that fits, so no worker can take" in texts(manager.get(f"{DRAFT}gold/"))


def test_advice_about_a_setting_names_its_field_and_leads_to_it(manager, ready):
    page = manager.get(f"{DRAFT}check/").content.decode()

    assert "Add gold pairs to each task: with 5 (“Gold pairs per task”)" in page
    assert f'<a href="{DRAFT}settings/">Go to settings</a>' in page


def test_the_check_says_why_workers_read_another_hourly_pay(manager, ready):
    assert "workers read, with the minutes rounded: " in texts(manager.get(f"{DRAFT}check/"))


def test_no_pilot_is_offered_for_simulated_workers(manager, ready):
    assert "Offer a pilot" in texts(manager.get(f"{DRAFT}pilot/"))
    Campaign.objects.update(placeholder_text=True)

    page = manager.get(f"{DRAFT}pilot/").content.decode()

    assert "Offer a pilot" not in page
    assert f'href="{DRAFT}rehearsal/">Rehearse it</a>' in page
    assert f'<a class="button primary" href="{DRAFT}check/">Continue to check list</a>' in page
    assert f'<a href="{DRAFT}pilot/"' not in page


@pytest.mark.parametrize(("alone", "after"), [(False, "pilot"), (True, "check")])
def test_a_rehearsal_leads_to_the_step_that_makes_sense(manager, ready, alone, after):
    Campaign.objects.update(placeholder_text=alone)
    told = {"counted": 4, "tasks": 4, "submitted": 4, "foreseen": 4, "cost": 9.6, "without_repeats": 9.6}
    counts = {"careless": 1, "workers": 5, "excluded": 1, "worked": 4, "grades_right": 9, "grades_known": 12}
    result = {**told, **counts, "gold_error": 0.0022, "error": 0.1, "truth": "official", "stopped": ""}
    Job.objects.create(kind="web.rehearse", key=f"web.rehearse:{ready.pk}", state="done", result=result)

    page = manager.get(f"{DRAFT}rehearsal/").content.decode()

    assert f'class="button primary" href="{DRAFT}{after}/">Continue to ' in page
    assert ("Pilot</span>" not in page) == alone
    assert "Cost as rehearsed $9.60 1 of 5 workers careless" in texts(manager.get(f"{DRAFT}launch/"))


def test_a_wrong_amount_launches_nothing(manager, ready):
    for amount in ("", "9.59", "9.61", "0", "x", "nan", "-9.60", "9" * 400, "9.600"):
        reply = manager.post(f"{DRAFT}launch/", {"amount": amount})

        assert reply.status_code == 422, amount
    ready.refresh_from_db()
    assert ready.state == "draft"
    assert not Place.objects.exists()


def test_a_launch_that_is_sent_twice_launches_and_offers_once(manager, ready, crowd):
    page = manager.get(f"{DRAFT}launch/")
    amount = amount_to_confirm(ready)
    assert amount > Decimal("9.60")  # the cost without repeats
    assert f"With expected repeats ${amount}" in texts(page)
    assert f"Launch fair and spend up to ${amount}" in texts(page)
    assert "2 checks need your attention" in texts(page)
    assert "random 50.0% 50.0% 25.0% –" in texts(page)

    first = manager.post(f"{DRAFT}launch/", {"amount": f"${amount}"})
    second = manager.post(f"{DRAFT}launch/", {"amount": f"${amount}"})
    said = texts(manager.get("/campaigns/fair/"))
    assert f"Campaign fair is already open, launched with ${amount} confirmed. Nothing changed." in said
    for other in ("1", "not a number"):
        third = manager.post(f"{DRAFT}launch/", {"amount": other})
        said = texts(manager.get("/campaigns/fair/"))
        assert f"Campaign fair is already open, launched with ${amount} confirmed. Nothing changed." in said
    work_off_everything()

    assert first["Location"] == second["Location"] == third["Location"] == "/campaigns/fair/"
    ready.refresh_from_db()
    assert (ready.state, ready.budget, ready.confirmed_spend) == ("open", amount, amount)
    assert CampaignChange.objects.filter(what="open").values_list("who", flat=True).get() == "mia"
    assert Posting.objects.count() == 1
    assert Place.objects.count() == len(crowd.posted) == 4


def test_the_loser_of_a_race_is_redirected_to_the_launched_campaign(manager, ready, monkeypatch):
    def overtaken(campaign, **given):
        launch_campaign(Campaign.objects.get(pk=campaign.pk))
        return real(campaign, **given)

    real = service.launch_campaign
    monkeypatch.setattr(service, "launch_campaign", overtaken)

    reply = manager.post(f"{DRAFT}launch/", {"amount": str(amount_to_confirm(ready))})

    assert reply["Location"] == "/campaigns/fair/"
    assert Posting.objects.count() == 1


def test_a_budget_is_what_a_launch_is_confirmed_by(manager, ready):
    Campaign.objects.update(budget=Decimal("50.00"))

    assert manager.post(f"{DRAFT}launch/", {"amount": "9.60"}).status_code == 422
    assert manager.post(f"{DRAFT}launch/", {"amount": "50"}).status_code == 302


def test_a_pilot_is_offered_once_and_ended(manager, ready, crowd):
    assert "Offer 2 tasks and spend up to $4.80" in texts(manager.get(f"{DRAFT}pilot/?tasks=2"))
    for sent in (
        {"tasks": "2", "amount": "4.79"},
        {"tasks": "99", "amount": "1"},
        {"tasks": "x", "amount": "x"},
    ):
        assert manager.post(f"{DRAFT}pilot/", sent).status_code == 422

    for _ in range(2):
        manager.post(f"{DRAFT}pilot/", {"tasks": "2", "amount": "4.80"})
    assert "This pilot of fair is already running. Nothing changed." in texts(manager.get(f"{DRAFT}pilot/"))
    assert manager.post(f"{DRAFT}pilot/", {"tasks": "1", "amount": "2.40"}).status_code == 422
    work_off_everything()

    ready.refresh_from_db()
    assert ready.state == "piloting"
    assert Place.objects.count() == len(crowd.posted) == 2
    assert "The pilot is running" in texts(manager.get(f"{DRAFT}pilot/"))
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}pilot/"
    manager.post(f"{DRAFT}pilot/end")
    ready.refresh_from_db()
    assert ready.state == "piloted"
    assert "with the $4.80 already committed, it becomes the budget" in texts(manager.get(f"{DRAFT}launch/"))


def test_rehearsing_starts_one_job_and_invalid_input_none(manager, ready):
    sent = {
        "truth": "official",
        "workers": "5",
        "careless": "1",
        "error": "0.1",
        "gold_error": "0",
        "seed": "1",
    }
    for field in sent:
        for value in GARBAGE:
            assert manager.post(f"{DRAFT}rehearsal/", sent | {field: value}).status_code == 422, (
                field,
                value,
            )
    assert manager.post(f"{DRAFT}rehearsal/", sent | {"careless": "6"}).status_code == 422
    assert not Job.objects.exists()

    for _ in range(2):
        assert manager.post(f"{DRAFT}rehearsal/", sent).status_code == 302

    assert Job.objects.get().arguments["settings"]["workers"] == 5
    assert "No background worker is running." in texts(manager.get(f"{DRAFT}rehearsal/"))


@pytest.mark.parametrize("page", ["web:prepare_rehearsal", "web:simulate"])
def test_simulated_workers_follow_labels_of_passages(manager, ready, page):
    first = QrelSet.objects.create(collection=ready.collection, name="first", sha256="1")
    QrelSet.objects.create(collection=ready.collection, name="documents", sha256="2", mapped_from=first)

    form = manager.get(reverse(page, args=[ready.name])).context["form"]

    assert [name for name, _ in form.fields["truth"].choices][:1] == ["first"]


def test_a_rehearsal_that_waits_for_its_turn_can_be_stopped(manager, ready):
    waiting = start("web.rehearse", key=f"web.rehearse:{ready.pk}", arguments={})
    assert "Stop rehearsal" in texts(manager.get(f"{DRAFT}rehearsal/"))

    page = texts(manager.post(f"{DRAFT}rehearsal/", {"stop": "1"}, follow=True))

    assert "The rehearsal was stopped before it began. Rehearse again." in page
    assert "Stop rehearsal" not in page
    waiting.refresh_from_db()
    assert (waiting.state, waiting.fault) == ("failed", "refused")
    assert start("web.rehearse", key=waiting.key, arguments={}).pk != waiting.pk


def test_a_rehearsal_can_be_stopped(manager, ready):
    job = start("web.rehearse", key=f"web.rehearse:{ready.pk}", arguments={})
    Job.objects.filter(pk=job.pk).update(state="running", attempts=1)
    page = texts(manager.get(f"{DRAFT}rehearsal/"))
    assert "Stop rehearsal" in page
    assert "5 Rehearsal under way" in page
    early = manager.post(f"{DRAFT}rehearsal/", {"stop": "1"}, follow=True)
    assert "No rehearsal of fair has started judging yet" in texts(early)
    copy = rehearsal_of(ready)
    # It has been launched, so it is closing, not closed, until its last work is paid.
    Campaign.objects.filter(pk=copy.pk).update(state="open", launched_at=clock.now())

    late = manager.post(f"{DRAFT}rehearsal/", {"stop": "1"}, follow=True)

    assert "Ending … The forecast appears when the last work is collected and paid." in texts(late)
    assert "Stop rehearsal" not in texts(late)
    assert "the rehearsal continues" not in texts(late)
    copy.refresh_from_db()
    assert copy.state in Campaign.OVER
    assert f"{copy.name} {copy.label} started " in texts(late)  # the time is not that of its end
    ready.refresh_from_db()
    assert ready.state == "draft"


def test_a_partial_forecast_states_its_basis(manager, ready):
    told = {"counted": 3, "tasks": 4, "submitted": 4, "foreseen": 6, "cost": 14.4, "without_repeats": 9.6}
    rates = {"gold_error": 0.0022, "error": 0.1, "chance_alone": None, "chance_among": None}
    counts = {"careless": 1, "workers": 5, "excluded": 1, "worked": 4, "queries_right": 1, "queries_known": 1}
    result = {**told, **rates, **counts, "truth": "official", "stopped": "It was stopped."}
    Job.objects.create(kind="web.rehearse", key=f"web.rehearse:{ready.pk}", state="done", result=result)

    page = texts(manager.get(f"{DRAFT}rehearsal/"))

    assert "The rehearsal ended early: 3 of 4 tasks are done. It was stopped." in page
    assert (
        "Cost as rehearsed, extrapolated $14.40 for all 4 tasks, as if the rest went like the 3 that are done"
        in page
    )
    assert (
        "Cost as rehearsed, extrapolated $14.40 for all 4 tasks, as if the rest went like the 3 that are done; "
        "1 of 5 workers careless" in texts(manager.get(f"{DRAFT}launch/"))
    )


def test_a_forecast_names_the_settings_that_have_changed(manager, ready):
    told = {"counted": 4, "tasks": 4, "submitted": 4, "foreseen": 4, "cost": 9.6, "without_repeats": 9.6}
    counts = {"careless": 1, "workers": 5, "excluded": 1, "worked": 4, "grades_right": 9, "grades_known": 12}
    result = {**told, **counts, "gold_error": 0.0022, "error": 0.1, "truth": "official", "stopped": ""}
    result["copy"] = rehearsal_of(ready).name
    Job.objects.create(kind="web.rehearse", key=f"web.rehearse:{ready.pk}", state="done", result=result)
    assert "Changed since this rehearsal" not in texts(manager.get(f"{DRAFT}rehearsal/"))

    Campaign.objects.filter(pk=ready.pk).update(gold_per_task=ready.gold_per_task + 1)

    assert "Changed since this rehearsal: Gold pairs per task." in texts(manager.get(f"{DRAFT}rehearsal/"))


def test_a_rehearsal_of_grading_shows_how_many_grades_agree_with_the_labels(manager, ready):
    told = {"counted": 4, "tasks": 4, "submitted": 4, "foreseen": 4, "cost": 9.6, "without_repeats": 9.6}
    counts = {"careless": 1, "workers": 5, "excluded": 1, "worked": 4, "grades_right": 9, "grades_known": 12}
    result = {**told, **counts, "gold_error": 0.0022, "error": 0.1, "truth": "official", "stopped": ""}
    Job.objects.create(kind="web.rehearse", key=f"web.rehearse:{ready.pk}", state="done", result=result)

    page = texts(manager.get(f"{DRAFT}rehearsal/"))

    assert "Grades that agree about relevance 9 of 12" in page
    assert "best answer" not in page


def test_a_check_list_with_open_points_does_not_report_success(manager, ready):
    page = texts(manager.get(f"{DRAFT}check/"))

    assert "All passed" not in page
    assert "Ready to launch; 2 checks need your attention." in page


def test_another_crowd_offers_no_rehearsal_and_says_why(manager, ready, settings):
    settings.CROWD_ENDPOINT = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"

    page = texts(manager.get(f"{DRAFT}rehearsal/"))

    assert "You cannot rehearse here" in page
    assert "Rehearse fair" not in page
    assert "Continue to pilot" in page
    assert manager.post(f"{DRAFT}rehearsal/", {"truth": "official"}).status_code == 422
    assert not Job.objects.filter(kind="web.rehearse").exists()


def test_a_failed_rehearsal_states_its_reason(manager, ready):
    Job.objects.create(
        kind="web.rehearse",
        key=f"web.rehearse:{ready.pk}",
        state="failed",
        failure_message="4 tasks are left.",
        next_step="Give more workers.",
    )

    assert "4 tasks are left. Give more workers." in texts(manager.get(f"{DRAFT}rehearsal/"))


def test_a_launched_campaign_is_not_prepared(manager, ready):
    launch_campaign(ready)

    for step in ("settings", "gold", "texts", "pay", "rehearsal", "pilot", "check", "launch"):
        reply = manager.get(f"{DRAFT}{step}/")
        assert (reply.status_code, reply["Location"]) == (302, "/campaigns/fair/")


def test_returning_leads_to_the_first_unfinished_step(manager, draft):
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}gold/"
    Campaign.objects.update(gold_per_task=0)
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}texts/"
    manager.post(f"{DRAFT}texts/", {"consent": "C", "instructions": "I", "accept": "1"})
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}check/"


def test_viewers_and_submitters_cannot_prepare(client, fair, draft, django_user_model):
    for role in ("viewer", "maintainer"):
        client.force_login(user := django_user_model.objects.create_user(role))
        Membership.objects.create(collection=fair.collection, user=user, role=role)

        assert client.get(f"{DRAFT}settings/").status_code == 403
        assert client.post(f"{DRAFT}launch/", {"amount": "9.60"}).status_code == 403
