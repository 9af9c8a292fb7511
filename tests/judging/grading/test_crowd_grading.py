"""Topics that a crowd grades: from the opening of the pools through active learning to labels."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config import clock
from config.background.models import Job
from judging.campaign.campaign_settings import change_settings
from judging.campaign.campaigns import CampaignSettings
from judging.campaign.rehearsal_copy import rehearsal_of
from judging.campaign.worker_texts import accept_texts
from judging.errors import BadInput, CampaignRefused, NotReady
from judging.grading import crowd_grading
from judging.grading.assignments import take_topic, topic_named
from judging.grading.crowd_grading import carry_grades, create_crowd_campaign, undecided_topics
from judging.grading.graded_campaigns import end_campaign, reopen_campaign
from judging.grading.graded_labels import publish_labels
from judging.grading.grades import carry_out_decision, choose_next, choosing_key
from judging.grading.topic_states import states_of
from judging.jobs import choose_passages_job, collect_job, ring_to_choose
from judging.launch.archive import archive, restore
from judging.launch.checks import each_check
from judging.launch.forecast import later_rounds
from judging.launch.gold_checks import check_gold
from judging.launch.launches import Terms, plan_offer
from judging.models import Campaign, Exclusion, GoldAnswer, Grade, GradedItem, Judgment, Pair, Slot, Task
from judging.page import session
from judging.people.exclusions import exclude_worker
from judging.simulation.rehearsals import Rehearsed
from judging.simulation.simulated_workers import Simulated, SimulationSettings
from judging.watching.blockers import problems
from judging.watching.status import campaign_status
from tests.factories import make_qrels
from tests.judging.cast import Fair
from tournament.services.resolution import resolve
from web.preparation.rehearsal_results import rehearsal_forecast

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


@pytest.fixture
def reef_fair(crowd, make_campaign):
    return Reef(crowd, make_campaign())


def told(campaign) -> dict[str, tuple[str, int, int]]:
    return {
        one.topic.query.qid: (one.state, one.tally.judged, one.tally.relevant)
        for one in states_of(campaign.grading)
    }


def test_a_task_shows_one_passage_at_a_time_and_records_grades(reef_fair):
    campaign = reef_fair.opened()

    assert (campaign.grades, campaign.answers, campaign.tasks.count()) == (4, ("0", "1", "2", "3"), 2)
    submission = reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)

    slots = list(submission.slots.select_related("left", "gold_pair"))
    assert len(slots) == 4
    assert all(slot.left_id == slot.right_id for slot in slots)
    gold = next(slot for slot in slots if slot.gold_pair)
    assert gold.left_id in (gold.gold_pair.relevant_id, gold.gold_pair.off_topic_id)
    recorded = Judgment.objects.filter(campaign=campaign)
    assert {one.left.pid: one.grade for one in recorded} == {
        slot.left.pid: GRADES.get(slot.left.pid, 0) for slot in slots if not slot.gold_pair
    }
    assert set(recorded.values_list("kind", "preferred")) == {("grade", None)}
    assert GoldAnswer.objects.get().passed


@pytest.mark.parametrize("side", ["left", "4", "9", "-1", "10", "undecided", "٣"])
def test_only_grades_of_the_scale_are_taken(reef_fair, side):
    submission = reef_fair.open_task(reef_fair.opened(), "W1")

    with pytest.raises(session.WorkRefused):
        session.save_choice(submission, number=1, sequence=0, side=side)
    with pytest.raises(session.WorkRefused):
        session.save_form(submission, {1: side})


def test_an_empty_field_is_no_grade(reef_fair):
    submission = reef_fair.open_task(reef_fair.opened(), "W1")

    with pytest.raises(session.WorkRefused):
        session.save_choice(submission, number=1, sequence=0, side="")
    session.save_form(submission, {1: ""})

    assert session.choices_made(submission)[1] == ("", 0)


def test_grades_carry_the_topics_from_the_opening_to_labels(reef_fair):
    campaign = reef_fair.opened()

    reef_fair.work_off(campaign)
    assert carry_grades(campaign) == []
    # Neither of q2's two passages is p5, and p1 is half of its opening; q1 continues with the rest of its pool.
    assert told(campaign) == {"q1": ("being judged", 4, 1), "q2": ("discarded", 2, 1)}
    assert campaign.tasks.filter(state=Task.State.WAITING).count() == 1
    assert carry_grades(campaign) == []  # twice is as good as once
    assert campaign.tasks.filter(state=Task.State.WAITING).count() == 1

    reef_fair.collect(campaign)
    reef_fair.work_off(campaign)
    carry_grades(campaign)
    assert told(campaign)["q1"] == ("accepted", 6, 2)
    assert undecided_topics(campaign) == 0
    labels = publish_labels(campaign.grading, set_name="ours").qrel_set
    assert dict(labels.qrels.filter(grade__gt=0).values_list("passage__pid", "grade")) == GRADES
    assert "publish_grades reef graded" in campaign_status(campaign)["next"]
    with pytest.raises(CampaignRefused, match="grade single passages"):
        resolve(campaign=campaign)


def test_active_learning_asks_the_crowd_in_further_tasks(crowd, make_campaign):
    reef_fair = Reef(crowd, make_campaign(rules={"opening": 4, "batch": 3, "accept_judged": 9}))
    campaign = reef_fair.opened()
    reef_fair.work_off(campaign)
    carry_grades(campaign)  # the rest of the pool
    reef_fair.collect(campaign)
    reef_fair.work_off(campaign)

    (waiting,) = carry_grades(campaign)
    assert waiting.topic.query.qid == "q1"
    before = campaign.tasks.count()
    choose_passages_job(progress=lambda *_: None, assignment_id=waiting.pk)

    assert GradedItem.objects.filter(assignment=waiting, source="cal").count() == 3
    assert campaign.tasks.count() == before + 1
    assert Pair.objects.filter(campaign=campaign, round=2).count() == 3
    assert choose_next(waiting) == 0


def test_a_worker_who_fails_test_passages_is_excluded_and_their_grades_are_replaced(reef_fair):
    campaign = reef_fair.opened()
    wrong = dict.fromkeys(["p2", "p3", "p4", "p7"], 3)
    reef_fair.do_task(campaign, "good", wrong)
    reef_fair.collect(campaign)
    carry_grades(campaign)
    given = GradedItem.objects.filter(assignment__crowd=campaign, grade=3)
    assert given.exists()

    # The next task of the same worker fails: all of the worker's grades are withdrawn, and both tasks repeated.
    reef_fair.do_task(campaign, "good", wrong, pass_gold=False)
    reef_fair.collect(campaign)
    assert Exclusion.objects.standing().filter(campaign=campaign).count() == 1
    carry_grades(campaign)
    assert not given.exists()
    assert set(given.model.objects.values_list("grades__grade", flat=True)) >= {3, None}  # the record stays

    reef_fair.work_off(campaign)
    carry_grades(campaign)
    assert told(campaign)["q1"][1:] == (4, 1)


def test_the_median_of_several_workers_is_the_grade(reef_fair):
    campaign = reef_fair.opened(judgments_per_pair=3)
    assert campaign.tasks.count() == 6
    for worker, grade in (("W1", 0), ("W2", 3), ("W3", 1)):
        for _ in range(2):
            reef_fair.do_task(campaign, worker, dict.fromkeys([f"p{n}" for n in range(1, 21)], grade))
            reef_fair.collect(campaign)
    carry_grades(campaign)

    assert set(GradedItem.objects.filter(assignment__crowd=campaign).values_list("grade", flat=True)) == {1}


def test_a_worker_never_sees_a_passage_twice(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=1, gold_per_task=2, max_tasks_per_worker=6)
    for _ in range(5):
        reef_fair.do_task(campaign, "W1", GRADES)
        reef_fair.collect(campaign)

    shown = list(Slot.objects.filter(submission__campaign=campaign).values_list("pair__query", "left"))
    assert len(shown) == 15
    assert len(set(shown)) == 15


def test_tasks_of_a_topic_that_is_over_are_withdrawn_unless_somebody_opened_them(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=1)
    held = reef_fair.open_task(campaign, "W1")
    topic = topic_named(campaign.grading, "q1")
    carry_out_decision(topic, "taken away", why="an assessor does it", who="ann")

    carry_grades(campaign)

    left = set(Pair.objects.filter(task_pairs__task__campaign=campaign).values_list("query__qid", flat=True))
    opened = held.task.task_pairs.get().pair
    assert left == {"q2", opened.query.qid}
    assert campaign.tasks.filter(task_pairs=None).count() == 0
    assert campaign.tasks.count() in (2, 3)


def test_an_assessor_cannot_take_what_the_crowd_has_and_no_topic_goes_twice(reef_fair, people):
    campaign = reef_fair.draft()

    with pytest.raises(CampaignRefused, match="already taken"):
        take_topic(topic_named(campaign.grading, "q1"), people[0])
    with pytest.raises(CampaignRefused, match="no free topic"):
        create_crowd_campaign(campaign.grading, name="second", settings=CampaignSettings())
    assert not Campaign.objects.filter(name="second").exists()
    assert {one.assessor for one in states_of(campaign.grading)} == {"workers of crowd"}


def test_settings_for_comparing_are_refused_and_packing_keeps_the_passages(reef_fair):
    for wrong in ({"repeats_per_task": 1}, {"allow_undecided": True}):
        with pytest.raises(BadInput, match="not for grading"):
            create_crowd_campaign(
                reef_fair.grading, name="x", settings=CampaignSettings(**{**SETTINGS, **wrong})
            )
    campaign = reef_fair.draft()
    with pytest.raises(BadInput, match="not for grading"):
        change_settings(campaign, {"allow_undecided": True})
    before = set(campaign.pairs.values_list("query", "passage_a", "passage_b"))

    change_settings(campaign, {"pairs_per_task": 2})

    assert set(campaign.pairs.values_list("query", "passage_a", "passage_b")) == before
    assert campaign.tasks.count() == 3


def test_the_check_list_speaks_of_passages(reef_fair):
    campaign = reef_fair.draft()
    campaign.assignment_seconds = 60

    found = {one.name: one for one in each_check(plan_offer(campaign, 2, Terms()))}

    assert "miss 0.05 to 1% of the test passages" in found["cost"].words
    assert "2 tasks cost $4.80" in found["cost"].words
    whole = "If every topic needs its whole pool, at most 3 tasks cost $7.20 without repeats"
    assert whole in found["cost"].words
    assert (  # 6 passages of each topic
        "; if every topic is accepted as early as possible, at most 5 tasks cost $12.00 without repeats. "
        "A topic with fewer than 2 relevant passages, or with a density from 0.40 to 0.50, goes on in iterations of 2"
    ) in found["cost"].words
    assert "of the test passages" in found["screening"].words
    assert str(found["time"].next_step).endswith("or use fewer passages.")


def test_a_budget_of_passages_limits_what_later_rounds_cost(reef_fair):
    campaign = reef_fair.draft()
    grading = campaign.grading
    assert later_rounds(campaign).most is None

    grading.budget = 20
    rounds = later_rounds(campaign)
    found = [one.tasks for one in (rounds.pools, rounds.accepted, rounds.most)]
    assert found == [3, 5, 9]  # each round of a topic is packed alone
    grading.budget = 7
    assert later_rounds(campaign).most.tasks == 3
    grading.budget = 6
    assert later_rounds(campaign) is None  # the first round uses it up


def test_too_few_gold_pairs_are_refused_in_words_of_passages(reef_fair):
    campaign = reef_fair.draft()
    campaign.gold_per_task = 90

    with pytest.raises(NotReady, match="No worker sees a test passage twice"):
        check_gold(campaign)


def test_a_rehearsal_grades_the_same_passages_and_leaves_the_topics_alone(reef_fair, settings):
    settings.CROWD_ENDPOINT = settings.EMBEDDED_CROWD_ENDPOINT
    campaign = reef_fair.draft()

    copy = rehearsal_of(campaign)

    assert copy.grading == campaign.grading
    assert copy.pairs.count() == campaign.pairs.count() == 6
    assert carry_grades(copy) == []
    assert crowd_grading.undecided_topics(copy) == 0


def test_the_collection_of_work_carries_the_grades(reef_fair):
    campaign = reef_fair.opened()
    reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.do_task(campaign, "W2", GRADES)

    collect_job(progress=lambda *_: None, campaign_id=campaign.pk, sweep=True)

    assert told(campaign)["q1"] == ("being judged", 4, 1)


def test_grades_of_a_worker_excluded_after_the_decision_leave_the_labels(reef_fair):
    campaign = reef_fair.opened()
    reef_fair.work_off(campaign)
    carry_grades(campaign)
    assert told(campaign)["q2"] == ("discarded", 2, 1)
    judge = Judgment.objects.filter(campaign=campaign, pair__query__qid="q2").first().worker

    exclude_worker(campaign, judge, why="copied", who="ann")
    carry_grades(campaign)

    assert told(campaign)["q2"][0] == "discarded"
    left = GradedItem.objects.filter(assignment__topic__query__qid="q2")
    judged = Judgment.objects.filter(campaign=campaign, pair__query__qid="q2").exclude(worker=judge)
    assert left.filter(grade__isnull=False).count() == judged.count() < 2


def test_labels_record_the_grades_that_are_left_after_an_exclusion(reef_fair):
    campaign = reef_fair.opened()
    for _ in range(2):
        reef_fair.work_off(campaign)
        carry_grades(campaign)
        reef_fair.collect(campaign)
    assert told(campaign)["q1"] == ("accepted", 6, 2)
    judge = Judgment.objects.filter(campaign=campaign, pair__query__qid="q1").first().worker
    exclude_worker(campaign, judge, why="copied", who="ann")
    carry_grades(campaign)
    left = GradedItem.objects.filter(assignment__topic__query__qid="q1").exclude(grade=None).count()

    with pytest.raises(CampaignRefused, match=rf"of {6 - left} passages .* withdrawn: q1 \({6 - left}\)"):
        publish_labels(campaign.grading, set_name="ours")
    made = publish_labels(campaign.grading, set_name="ours", incomplete=True)

    assert made.qrel_set.qrels.count() == left < 6
    assert [one["judged"] for one in made.topics] == [left]


def waiting_of(campaign, qid: str) -> int:
    return Pair.objects.filter(
        campaign=campaign, query__qid=qid, task_pairs__task__state=Task.State.WAITING
    ).count()


def test_passages_withdrawn_by_a_decision_are_offered_again_after_its_reversal(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=1, judgments_per_pair=2)
    reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)
    carry_grades(campaign)
    topic = topic_named(campaign.grading, "q1")
    GradedItem.objects.filter(assignment__topic=topic, position=0).update(grade=0)
    carry_out_decision(topic, "rejected", why="unclear", who="ann")
    before = waiting_of(campaign, "q1")
    carry_grades(campaign)
    assert (before > 6, waiting_of(campaign, "q1")) == (True, 0)

    carry_out_decision(topic, "reversed", why="it is clear after all", who="ann")
    carry_grades(campaign)
    carry_grades(campaign)
    assert waiting_of(campaign, "q1") == before


def test_passages_withdrawn_at_the_end_are_offered_again_after_reopening(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=1)
    end_campaign(campaign.grading, why="a pause")
    carry_grades(Campaign.objects.get(pk=campaign.pk))
    assert not campaign.tasks.filter(state=Task.State.WAITING).exists()

    reopen_campaign(campaign.grading, why="it goes on")
    carry_grades(Campaign.objects.get(pk=campaign.pk))
    assert (waiting_of(campaign, "q1"), waiting_of(campaign, "q2")) == (4, 2)


def test_workers_are_asked_for_no_more_passages_than_the_budget_has(crowd, make_campaign):
    reef_fair = Reef(crowd, make_campaign(budget=5))
    campaign = reef_fair.opened(pairs_per_task=1)
    assert campaign.pairs.count() == 5

    reef_fair.work_off(campaign)
    carry_grades(campaign)
    assert (campaign.grading.ended_at is not None, campaign.pairs.count()) == (True, 5)
    reopen_campaign(campaign.grading, why="more money", budget=7)
    carry_grades(Campaign.objects.get(pk=campaign.pk))
    assert campaign.tasks.filter(state=Task.State.WAITING).count() == 2


def test_the_campaign_is_locked_before_open_passages_are_read(reef_fair):
    campaign = reef_fair.draft()

    with CaptureQueriesContext(connection) as queries:
        assert crowd_grading.request_judgments(campaign) == 0
    said = [one["sql"] for one in queries if not one["sql"].startswith(("SAVEPOINT", "BEGIN", "RELEASE"))]
    assert said[0].startswith('UPDATE "judging_campaign"')


def test_a_topic_taken_away_meanwhile_is_not_decided(reef_fair, monkeypatch):
    campaign = reef_fair.opened()
    reef_fair.work_off(campaign)
    stale = crowd_grading._assignments_under_way(campaign)
    for qid in ("q1", "q2"):
        carry_out_decision(
            topic_named(campaign.grading, qid), "taken away", why="an assessor does it", who="ann"
        )
    monkeypatch.setattr(crowd_grading, "_assignments_under_way", lambda _campaign: stale)

    carry_grades(campaign)

    assert told(campaign) == {"q1": ("candidate", 0, 0), "q2": ("candidate", 0, 0)}
    assert not GradedItem.objects.exclude(grade=None).exists()


def test_undecided_topics_of_a_closed_campaign_are_free_again(reef_fair, people):
    campaign = reef_fair.opened()
    reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)
    carry_grades(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.CLOSED)
    campaign = Campaign.objects.get(pk=campaign.pk)

    assert {one.state for one in states_of(campaign.grading)} == {"left undecided"}
    assert "2 topics are undecided" in campaign_status(campaign)["next"]
    mine = take_topic(topic_named(campaign.grading, "q1"), people[0])
    second = create_crowd_campaign(campaign.grading, name="second", settings=CampaignSettings(**SETTINGS))

    assert {one.assessor for one in states_of(campaign.grading)} == {"ada", "workers of second"}
    assert (mine.items.count(), second.pairs.count()) == (4, 2)
    kept = GradedItem.objects.filter(assignment__crowd=campaign).exclude(grade=None)
    assert kept.count() == 3


def test_topics_of_an_archived_draft_are_free_and_leave_it_once_others_take_them(reef_fair, people):
    campaign = reef_fair.draft()
    archive(campaign)

    assert {one.state for one in states_of(campaign.grading)} == {"left undecided"}
    take_topic(topic_named(campaign.grading, "q1"), people[0])
    restore(campaign)

    assert campaign.topic_assignments.get(over_at__isnull=False).over_why.startswith(
        "The campaign was archived"
    )
    change_settings(campaign, {"pairs_per_task": 2})
    assert (waiting_of(campaign, "q1"), waiting_of(campaign, "q2")) == (0, 2)
    with pytest.raises(CampaignRefused, match="no free topic"):
        create_crowd_campaign(campaign.grading, name="second", settings=CampaignSettings(**SETTINGS))
    archive(campaign)
    second = create_crowd_campaign(campaign.grading, name="second", settings=CampaignSettings(**SETTINGS))
    assert [one.topic.query.qid for one in second.topic_assignments.all()] == ["q2"]


def test_the_end_decides_no_topic_that_only_a_draft_holds(reef_fair, people):
    take_topic(topic_named(reef_fair.grading, "q1"), people[0])
    campaign = reef_fair.draft()
    end_campaign(campaign.grading, why="summer")

    assert told(campaign) == {"q1": ("rejected", 0, 0), "q2": ("prepared", 0, 0)}
    with pytest.raises(NotReady, match="The judging of graded has ended"):
        each_check(plan_offer(campaign, 2, Terms()))

    reopen_campaign(campaign.grading, why="autumn")
    assert each_check(plan_offer(campaign, 2, Terms()))


def test_the_end_decides_topics_of_a_draft_whose_passages_a_pilot_judged(reef_fair):
    campaign = reef_fair.draft()
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.PILOTED)
    GradedItem.objects.filter(assignment__topic__query__qid="q1", position=0).update(grade=2)

    end_campaign(campaign.grading, why="summer")

    assert told(campaign) == {"q1": ("rejected", 1, 1), "q2": ("prepared", 0, 0)}


def test_a_refused_choice_is_not_started_again_until_something_is_judged(reef_fair, monkeypatch):
    campaign = reef_fair.opened()
    topic = campaign.topic_assignments.first()
    monkeypatch.setattr(crowd_grading, "carry_grades", lambda _campaign: [topic])
    key = {"kind": "judging.choose_passages", "key": choosing_key(topic)}
    Job.objects.create(**key, state="failed", fault="refused", finished_at=clock.now())

    collect_job(progress=lambda *_: None, campaign_id=campaign.pk)
    assert Job.objects.filter(**key).count() == 1

    Grade.objects.create(item=topic.items.first(), grade=1)
    collect_job(progress=lambda *_: None, campaign_id=campaign.pk)
    assert Job.objects.get(**key, state="waiting").arguments["campaign_id"] == campaign.pk


def test_a_refused_choice_is_shown_until_the_topic_is_decided(reef_fair):
    campaign = reef_fair.opened()
    topic = campaign.topic_assignments.first()
    topic.items.update(grade=1)
    refused = ring_to_choose(topic)
    refused.state, refused.fault, refused.finished_at = "failed", "refused", clock.now() - timedelta(days=5)
    refused.failure_message, refused.next_step = "Nothing is left to judge.", "Decide the topic by hand."
    refused.save()

    assert problems(campaign) == [
        "choosing the next passages of a topic failed: Nothing is left to judge. Decide the topic by hand."
    ]
    carry_out_decision(topic.topic, "accepted", why="enough", who="ann")
    assert problems(campaign) == []


def test_a_rehearsal_says_how_many_grades_agree_with_the_labels_about_relevance(reef_fair):
    campaign = reef_fair.opened()
    reef_fair.work_off(campaign, {**GRADES, "p2": 3})
    labels = [("q1", "p1", 1), ("q2", "p1", 1), ("q1", "p5", 1)]
    rehearsed = Rehearsed(campaign, Simulated(), {"gold_failed": []})

    told = rehearsal_forecast(
        campaign, rehearsed, make_qrels(campaign.collection, "l", labels), SimulationSettings()
    )

    assert told["submitted"] == told["counted"] == 2
    assert (told["grades_known"], told["grades_right"]) == (6, 5)  # p2 is graded 3 and has no label
