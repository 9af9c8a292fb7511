"""Failed jobs: shown on the campaign's page, hidden, and retried where that is safe."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model

from config import clock
from config.background.models import Job
from judging.models import CampaignChange
from pooling.models import Membership
from tests.due_jobs import work_off_everything
from tests.web.campaign_cast import text_of

PAGE = "/campaigns/fair/"
NAMED = "<strong>Collecting work failed: The key is wrong.</strong> Set another key."


@pytest.fixture
def failed(campaign):
    """A collection job that failed permanently, after an older one with the same key."""
    arguments = {"campaign_id": campaign.pk, "sweep": True}
    rows = [
        Job.objects.create(
            kind="judging.collect",
            key="judging.collect:1",
            arguments=arguments,
            state="failed",
            failure_message="The key is wrong.",
            next_step="Set another key.",
            finished_at=clock.now() - timedelta(hours=hours),
        )
        for hours in (5, 1)
    ]
    return rows[-1]


def test_failed_work_is_hidden_with_a_log_entry_and_shown_again_if_it_fails_again(failed, campaign, manager):
    page = text_of(manager.get(PAGE))
    assert NAMED in page
    assert page.count("Hide failed job") == 1

    done = text_of(manager.post(f"{PAGE}failed/{failed.pk}/away", follow=True))

    assert NAMED not in done
    assert "Needs you" not in done
    change = CampaignChange.objects.get(what__startswith="hidden")
    assert (change.what, change.why, change.who) == (
        "hidden: collecting work failed", "The key is wrong.", "ada",
    )  # fmt: skip
    assert Job.objects.filter(kind="judging.watchdog", state="waiting").exists()
    later = Job.objects.create(
        kind=failed.kind,
        key=failed.key,
        arguments=failed.arguments,
        state="failed",
        failure_message="The key is wrong.",
        next_step="Set another key.",
        finished_at=clock.now(),
    )
    assert f"failed/{later.pk}/away" in text_of(manager.get(PAGE))


@pytest.mark.parametrize("kind", ["web.rehearse", "web.simulate"])
def test_failed_work_of_a_step_that_is_over_hides_no_next_step(kind, failed, campaign, manager):
    Job.objects.update(kind=kind)
    campaign.tasks.all().delete()

    page = text_of(manager.get(PAGE))

    assert "The key is wrong." not in page
    assert "Check the problems above" not in page


@pytest.mark.parametrize(
    ("kind", "fault", "told"),
    [
        ("web.challenge", "refused", False),
        ("judging.propose_gold", "refused", False),
        ("leaderboard.analyse", "refused", False),
        ("web.challenge", "software", True),
        ("web.challenge", "outside", True),
        ("judging.collect", "refused", True),
    ],
)
def test_a_refused_request_raises_no_alarm(kind, fault, told, failed, campaign, manager):
    Job.objects.update(kind=kind, fault=fault)

    assert ("Hide failed job" in text_of(manager.get(PAGE))) == told


def test_a_refused_request_is_explained_on_its_own_page(failed, campaign, manager):
    asked = {**failed.arguments, "runs": [], "rule": "lead2"}
    Job.objects.update(kind="web.challenge", fault="refused", arguments=asked)

    page = text_of(manager.get(f"{PAGE}challenge/"))

    assert "The key is wrong. Set another key." in page


def test_jobs_that_spend_nothing_can_be_retried(failed, campaign, manager):
    said = text_of(manager.post(f"{PAGE}failed/{failed.pk}/again", follow=True))
    assert "Trying again" in said
    assert NAMED not in said
    work_off_everything()

    assert Job.objects.filter(key=failed.key).order_by("-pk").first().state == "done"
    assert CampaignChange.objects.filter(what="retried: collecting work", who="ada").exists()


def test_a_challenge_cannot_be_retried_by_a_button(failed, campaign, manager):
    Job.objects.filter(pk=failed.pk).update(kind="web.challenge")

    assert "Retry" not in text_of(manager.get(PAGE))
    said = text_of(manager.post(f"{PAGE}failed/{failed.pk}/again", follow=True))

    assert "cannot be retried here" in said
    assert Job.objects.filter(kind="web.challenge").count() == 1


def test_hidden_jobs_and_other_campaigns_jobs_are_refused_with_a_reason(failed, campaign, manager):
    manager.post(f"{PAGE}failed/{failed.pk}/away")
    other = Job.objects.create(
        kind="judging.collect", key="x", arguments={"campaign_id": campaign.pk + 1}, state="failed"
    )

    for key in (failed.pk, other.pk, 2**62):
        said = text_of(manager.post(f"{PAGE}failed/{key}/away", follow=True))
        assert "already hidden, or the work is running" in said
    assert CampaignChange.objects.filter(what__startswith="hidden").count() == 1
    assert manager.post(f"{PAGE}failed/{failed.pk}/nonsense").status_code == 404


def test_work_that_waits_for_the_crowd_is_named_with_its_next_try_and_tried_now_by_a_button(
    failed, campaign, manager
):
    Job.objects.all().delete()
    waiting = Job.objects.create(
        kind="judging.post_places",
        key="judging.post_places:1",
        arguments={"campaign_id": campaign.pk},
        run_after=clock.now() + timedelta(minutes=5),
        put_off=4,
        progress_message="The crowd does not answer.",
    )

    page = text_of(manager.get(PAGE))
    assert "Offering places was put off 4 times in a row: The crowd does not answer." in page
    manager.post(f"{PAGE}ask-again")

    waiting.refresh_from_db()
    assert waiting.run_after <= clock.now()


def test_viewers_have_no_button(failed, campaign, client):
    bob = get_user_model().objects.create_user("bob")
    Membership.objects.create(collection=campaign.collection, user=bob, role="viewer")
    client.force_login(bob)

    page = text_of(client.get(PAGE))

    assert NAMED in page
    assert "Hide failed job" not in page
    assert client.post(f"{PAGE}failed/{failed.pk}/away").status_code == 403
