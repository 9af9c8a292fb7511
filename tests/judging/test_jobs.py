import pytest

from config import clock
from config.background.followed_jobs import attend
from config.background.models import Job
from config.background.services import run_job, start
from judging.errors import CrowdConfiguration, CrowdLater, CrowdMoney
from judging.jobs import collect_key, post_places_key
from judging.launch.launches import launch_campaign
from judging.models import Place, Submission
from judging.watching.status import campaign_status
from tests.due_jobs import work_off_everything


def ring(kind, key, campaign):
    return start(kind, key=key, arguments={"campaign_id": campaign.pk})


@pytest.fixture
def launched(fair):
    campaign = fair.draft()
    launch_campaign(campaign)
    return campaign


def test_posting_reports_its_progress_and_result(launched):
    seen = []
    job = ring("judging.post_places", post_places_key(launched), launched)

    attend(job, progress=lambda done, total, message="": seen.append((done, total)))

    assert job.state == Job.State.DONE
    assert job.result == {"posted": 4}
    assert (4, 4) in seen


def test_one_live_job_posts_for_a_campaign(launched):
    first = ring("judging.post_places", post_places_key(launched), launched)

    assert ring("judging.post_places", post_places_key(launched), launched) == first


@pytest.mark.parametrize("error", [CrowdLater("throttled"), CrowdMoney("no money", "Put some there.")])
def test_temporary_errors_are_retried_without_using_up_attempts(launched, fair, error):
    fair.crowd.fail("post_place", error)
    job = ring("judging.post_places", post_places_key(launched), launched)

    run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.WAITING, 0)
    assert error.message in job.progress_message
    Job.objects.update(run_after=job.created_at)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE
    assert len(fair.crowd.posted) == 4


def test_while_the_crowd_is_away_the_waits_grow_and_the_campaign_says_so(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.crowd.fail("submissions", *[CrowdLater("The crowd does not answer.")] * 3)
    job = ring("judging.collect", collect_key(campaign), campaign)

    waits = []
    for _ in range(3):
        Job.objects.update(run_after=clock.now())
        run_job(job.pk)
        job.refresh_from_db()
        waits.append((job.run_after - clock.now()).total_seconds())

    assert 0 < waits[0] <= 6.25 < waits[1] <= 12.5 < waits[2] <= 25
    assert campaign_status(campaign)["problems"] == [
        "Collecting work was put off 3 times in a row: The crowd does not answer. "
        f"Next retry: {job.run_after:%Y-%m-%d %H:%M} UTC."
    ]
    attend(job)
    assert campaign_status(campaign)["problems"] == []
    assert Submission.objects.get().standing == "counted"


def test_a_successful_call_resets_the_waits(launched, fair):
    job = ring("judging.post_places", post_places_key(launched), launched)
    Job.objects.filter(pk=job.pk).update(put_off=7)
    fair.crowd.fail("post_place", CrowdLater("a fault"))  # one of four

    run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.put_off, len(fair.crowd.posted)) == (Job.State.WAITING, 1, 3)


def test_wrong_keys_are_a_named_failure_with_what_to_do(launched, fair):
    fair.crowd.fail("post_place", CrowdConfiguration("the key is wrong", "Check the keys."))
    job = ring("judging.post_places", post_places_key(launched), launched)

    run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.failure) == (Job.State.FAILED, "CrowdConfiguration")
    assert (job.failure_message, job.next_step) == ("the key is wrong", "Check the keys.")


def test_scheduled_collection_counts_pays_and_offers_what_is_missing(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.do_task(campaign, "A2", pass_gold=False)

    start("judging.collect_open_campaigns")
    work_off_everything()

    assert set(Submission.objects.values_list("standing", flat=True)) == {"counted", "excluded"}
    assert len(fair.crowd.approvals) == 2
    assert fair.crowd.open_places == 3
    assert not Place.objects.filter(state=Place.State.WANTED).exists()
    assert not Job.objects.exclude(state=Job.State.DONE).exists()


def test_collection_that_the_crowd_breaks_off_goes_on_later_and_loses_nothing(fair):
    campaign = fair.opened()
    for worker in ("A1", "A2"):
        fair.do_task(campaign, worker)
    fair.crowd.fail("submissions", CrowdLater("throttled"))
    job = ring("judging.collect", collect_key(campaign), campaign)

    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.WAITING
    Job.objects.update(run_after=job.created_at)
    run_job(job.pk)

    assert Submission.objects.filter(standing="counted").count() == 2
    assert len(fair.crowd.approvals) == 2
