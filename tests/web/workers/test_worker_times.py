"""Times of a campaign's workers: what they measure, and that simulated workers are never too quick."""

from datetime import timedelta

from django.db.models import F

from judging.intake.raised_flags import flag_workers
from judging.intake.worker_records import records_of
from judging.models import Submission, Worker
from tests.web.campaign_cast import text_of, worker
from web.campaigns.needs import flag_needs

LIST = "/campaigns/fair/workers/"


def take(**time: int) -> None:
    """Let every task so far that has no other time take this long."""
    for one in Submission.objects.filter(state=Submission.State.FINISHED):
        Submission.objects.filter(pk=one.pk).update(opened_at=F("finished_at") - timedelta(**time))


def work(fair, campaign, name: str, **time: int) -> None:
    for _ in range(2):
        fair.do_task(campaign, name)
    take(**time)
    fair.collect(campaign)


def test_a_quick_simulated_worker_has_no_flag_and_nobody_is_asked_to_look(fair, campaign):
    work(fair, campaign, "ASLOW", minutes=10)
    work(fair, campaign, "AQUICK", seconds=60)
    quick = worker("AQUICK").pk

    def flags():
        flag_workers(campaign, [quick])
        return [flag.name for one in records_of(campaign).rows if one.worker == quick for flag in one.flags]

    assert flags() == ["quick"]
    assert "(quick)" in flag_needs(campaign)[0].what
    Worker.objects.update(simulated=True)
    assert flag_needs(campaign) == []
    assert flags() == []


def test_both_times_per_pair_say_what_they_measure(fair, campaign, manager):
    work(fair, campaign, "AGOOD", minutes=10)

    assert "s a pair from opening to submitting a task" in text_of(manager.get(LIST))
    page = text_of(manager.get(f"{LIST}{worker('AGOOD').pk}/"))
    assert "Task time per pair" in page
    assert "from opening to submitting; typical: " in page
    assert "Time on screen per pair" in text_of(manager.get("/campaigns/fair/"))
