"""Passages that are withdrawn from a crowd's tasks when their topic is finished, and asked again."""

from judging.grading.assignments import topic_named
from judging.grading.crowd_grading import carry_grades
from judging.grading.graded_campaigns import end_campaign, reopen_campaign
from judging.grading.grades import carry_out_decision
from judging.models import Campaign, GradedItem, Judgment, Pair, Task
from judging.people.exclusions import exclude_worker, reinstate_worker
from tests.judging.grading.reef import GRADES, told, waiting_of


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


def test_what_a_decision_withdrew_is_asked_again_when_it_is_reversed(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=1, judgments_per_pair=2)
    reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)
    carry_grades(campaign)
    topic = topic_named(campaign.grading, "q1")
    GradedItem.objects.filter(assignment__topic=topic, position=0).update(grade=0)
    before = waiting_of(campaign, "q1")
    carry_out_decision(topic, "rejected", why="unclear", who="ann")
    carry_grades(campaign)
    assert (before > 6, waiting_of(campaign, "q1")) == (True, 0)

    carry_out_decision(topic, "reversed", why="it is clear after all", who="ann")
    carry_grades(campaign)
    carry_grades(campaign)
    assert waiting_of(campaign, "q1") == before


def test_a_repeated_task_loses_the_passages_of_topics_decided_meanwhile(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=6)
    submission = reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)
    exclude_worker(campaign, submission.worker, why="copied", who="ann")
    q1, q2 = (topic_named(campaign.grading, qid) for qid in ("q1", "q2"))

    carry_out_decision(q1, "taken away", why="an assessor does it", who="ann")
    assert (waiting_of(campaign, "q1"), waiting_of(campaign, "q2")) == (0, 2)
    carry_out_decision(q2, "taken away", why="an assessor does it", who="ann")
    assert campaign.tasks.get().state == Task.State.DONE

    again = reinstate_worker(campaign, submission.worker, why="it was a mistake", who="ann")
    assert (again.counted, campaign.tasks.get().holder) == (1, submission)


def test_work_on_a_task_that_lost_passages_counts_again_after_a_reinstatement(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=6)
    submission = reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)
    exclude_worker(campaign, submission.worker, why="copied", who="ann")
    carry_out_decision(topic_named(campaign.grading, "q1"), "taken away", why="an assessor", who="ann")

    again = reinstate_worker(campaign, submission.worker, why="it was a mistake", who="ann")

    assert (again.counted, waiting_of(campaign, "q2")) == (1, 0)


def test_an_accepted_topic_gets_its_lost_grades_again_and_a_rejected_one_does_not(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=6)
    submission = reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)
    carry_grades(campaign)
    topic = topic_named(campaign.grading, "q1")
    carry_out_decision(topic, "accepted", why="few passages are enough", who="ann")

    exclude_worker(campaign, submission.worker, why="copied", who="ann")
    carry_grades(campaign)

    assert (waiting_of(campaign, "q1"), waiting_of(campaign, "q2")) == (4, 0)


def test_a_draft_loses_the_passages_of_a_topic_that_is_taken_from_it(reef_fair):
    campaign = reef_fair.draft()

    carry_out_decision(topic_named(campaign.grading, "q1"), "taken away", why="an assessor", who="ann")

    assert (waiting_of(campaign, "q1"), waiting_of(campaign, "q2")) == (0, 2)


def test_the_end_decides_no_topic_that_nobody_judged(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=1)
    submission = reef_fair.do_task(campaign, "W1", GRADES)
    reef_fair.collect(campaign)
    carry_grades(campaign)
    judged = submission.task.task_pairs.get().pair.query.qid
    other = {"q1": "q2", "q2": "q1"}[judged]

    end_campaign(campaign.grading, why="no money")

    found = told(campaign)
    assert (found[judged][0], found[other][0]) == ("rejected", "not judged")
    reopen_campaign(campaign.grading, why="more money")
    assert told(campaign)[other][0] == "being judged"


def test_what_the_end_withdrew_is_asked_again_after_reopening(reef_fair):
    campaign = reef_fair.opened(pairs_per_task=1)
    end_campaign(campaign.grading, why="a pause")
    carry_grades(Campaign.objects.get(pk=campaign.pk))
    assert not campaign.tasks.filter(state=Task.State.WAITING).exists()

    reopen_campaign(campaign.grading, why="it goes on")
    carry_grades(Campaign.objects.get(pk=campaign.pk))
    assert (waiting_of(campaign, "q1"), waiting_of(campaign, "q2")) == (4, 2)
