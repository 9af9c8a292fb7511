"""A crowd that grades the topics of a graded campaign."""

from judging.campaign.campaigns import CampaignSettings
from judging.campaign.worker_texts import accept_texts
from judging.grading.crowd_grading import create_crowd_campaign
from judging.grading.topic_states import states_of
from judging.models import Campaign, Pair, Slot, Task
from judging.page import session
from tests.judging.cast import Fair

#: pid → grade; all other passages get 0.
GRADES = {"p1": 3, "p5": 2}
SETTINGS = {"pairs_per_task": 3, "gold_per_task": 1, "max_tasks_per_worker": 4}


class Reef(Fair):
    """The fair's workers, at a campaign that grades the topics of the graded campaign."""

    def __init__(self, crowd, grading) -> None:
        self.crowd, self.grading, self.collection, self.pool = (
            crowd,
            grading,
            grading.collection,
            grading.pool,
        )

    def draft(self, name: str = "crowd", **settings) -> Campaign:
        made = create_crowd_campaign(
            self.grading, name=name, settings=CampaignSettings(**{**SETTINGS, **settings})
        )
        Campaign.objects.filter(pk=made.pk).update(crowd="fake", accept_weak_screening=True)
        made.refresh_from_db()
        accept_texts(made)
        self.add_gold(made, 12)
        return made

    def opened(self, **settings) -> Campaign:
        return self.opened_afresh(**settings)

    def grade(self, submission, grades=None, *, pass_gold: bool = True) -> None:
        for slot in submission.slots.select_related("gold_pair", "left").order_by("number"):
            session.save_choice(
                submission, number=slot.number, sequence=0, side=str(grade_of(slot, grades or {}, pass_gold))
            )

    def do_task(self, campaign, worker, grades=None, *, pass_gold: bool = True):
        submission = self.open_task(campaign, worker)
        self.grade(submission, grades, pass_gold=pass_gold)
        self.send_off(submission)
        return submission

    def work_off(self, campaign, grades=GRADES) -> None:
        """Have a new worker do each task that waits, and collect."""
        while campaign.tasks.filter(state=Task.State.WAITING).exists():
            self.do_task(campaign, f"worker-{campaign.submissions.count()}", grades)
            self.collect(campaign)


def grade_of(slot: Slot, grades, pass_gold: bool) -> int:
    if slot.gold_pair is None:
        return grades.get(slot.left.pid, 0)
    return 3 if (slot.left_id == slot.gold_pair.relevant_id) == pass_gold else 0


def told(campaign) -> dict[str, tuple[str, int, int]]:
    return {
        one.topic.query.qid: (one.state, one.tally.judged, one.tally.relevant)
        for one in states_of(campaign.grading)
    }


def waiting_of(campaign, qid: str) -> int:
    return Pair.objects.filter(
        campaign=campaign, query__qid=qid, task_pairs__task__state=Task.State.WAITING
    ).count()
