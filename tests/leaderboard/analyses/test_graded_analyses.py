"""Agreement of assessors, and preference against grade, by hand on the valley."""

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from judging.models import Exclusion, GradedCampaign, GradedItem, Judgment, Topic, TopicAssignment, Worker
from leaderboard.analyses.preference_grades.computation import all_gaps, preference_by_gap
from pooling.models import QrelSet
from tests.factories import make_qrels, passages_of
from tests.leaderboard.analyses.test_noise_analyses import run_json


def graded_twice(valley) -> GradedCampaign:
    """Grades of q1 by an assessor and, of a sample of three, by another one; and graded labels ``graded``."""
    campaign = GradedCampaign.objects.create(
        collection=valley.collection,
        name="slope",
        pool=valley.pool,
        scale=[[name, name, ""] for name in "0123"],
        min_grade=2,
    )
    topic = Topic.objects.create(campaign=campaign, query=valley.query("q1"), order=[])
    passages = passages_of(valley.collection, ["a1", "b1", "c1", "x1"])
    for second, grades in ((False, (2, 3, 0, 1)), (True, (2, 1, 0))):
        taken = TopicAssignment.objects.create(topic=topic, second=second)
        GradedItem.objects.bulk_create(
            GradedItem(assignment=taken, passage=passage, position=place, batch=0, source="pool", grade=grade)
            for place, (passage, grade) in enumerate(zip(passages.values(), grades, strict=False))
        )
    labels = [("q1", "a1", 2), ("q1", "b1", 3), ("q1", "c1", 0), ("q2", "a2", 1), ("q2", "b2", 1)]
    make_qrels(valley.collection, "graded", labels, kind="graded", min_grade=2)
    return campaign


def test_assessors_agree_on_two_of_three_passages(valley, capsys):
    """Relevant or not: a1 yes yes, b1 yes no, c1 no no. Chance is (2·1 + 1·2) / 9, so κ = (2/3 - 4/9) / (5/9)."""
    graded_twice(valley)

    found = run_json(capsys, "assessor_agreement", "valley")

    grades, relevance = found["tables"]["agreement"]["rows"]
    assert (grades["common"], grades["observed"]) == (3, pytest.approx(2 / 3))
    assert relevance["kappa"] == pytest.approx(0.4)
    assert [row["pid"] for row in found["tables"]["passages"]["rows"]] == ["b1"]


def test_without_a_second_opinion_there_is_nothing_to_compare(valley, capsys):
    graded_twice(valley)
    GradedItem.objects.filter(assignment__second=True).update(grade=None)

    with pytest.raises(SystemExit):
        call_command("assessor_agreement", "valley")

    assert "Nobody gave a second opinion in slope." in capsys.readouterr().err


def test_grades_of_one_assessor_are_not_compared_with_each_other(valley, capsys):
    graded_twice(valley)
    TopicAssignment.objects.update(assessor=get_user_model().objects.create_user("ben"))

    with pytest.raises(SystemExit):
        call_command("assessor_agreement", "valley")

    assert "Nobody gave a second opinion in slope." in capsys.readouterr().err


def test_a_new_grade_changes_the_kept_analysis(valley, capsys):
    graded_twice(valley)
    before = run_json(capsys, "assessor_agreement", "valley")["tables"]["agreement"]["rows"][0]["observed"]
    item = GradedItem.objects.get(passage__pid="b1", assignment__second=True)
    item.grades.create(grade=3)
    GradedItem.objects.filter(pk=item.pk).update(grade=3)

    after = run_json(capsys, "assessor_agreement", "valley")["tables"]["agreement"]["rows"][0]["observed"]

    assert (before, after) == (pytest.approx(2 / 3), 1.0)


def test_the_preferred_passage_has_the_higher_grade(valley, capsys):
    """b1 beats a1 (3 to 2) and c1 (3 to 0), a1 beats c1 (2 to 0); a2 and b2 have the same grade."""
    graded_twice(valley)

    rows = run_json(capsys, "preference_grades", "spring")["tables"]["preference"]["rows"]

    higher = [row["higher"] and row["higher"]["value"] for row in rows]
    assert [(row["gap"], row["judgments"], one) for row, one in zip(rows, higher, strict=True)] == [
        (0, 1, None),
        (1, 1, 1.0),
        (2, 1, 1.0),
        (3, 1, 1.0),
    ]


def test_the_facts_are_of_counted_judgments(valley, capsys):
    graded_twice(valley)
    careless = Worker.objects.create()
    of_q2 = Judgment.objects.filter(pair__query=valley.query("q2"))
    assert of_q2.update(worker=careless, judge_kind="simulated")
    Exclusion.objects.create(campaign=valley.campaign, worker=careless, rule="gold", reason="failed")

    facts = run_json(capsys, "preference_grades", "spring")["tables"]["preference"]["facts"]

    assert (facts["queries"], facts["simulated"]) == (1, False)


def test_labels_mapped_to_documents_are_not_the_default_grades(valley, capsys):
    graded_twice(valley)
    of = QrelSet.objects.get(name="graded")
    make_qrels(valley.collection, "documents", [("q1", "d1", 3)], kind="graded", mapped_from=of)

    found = run_json(capsys, "preference_grades", "spring")["tables"]["preference"]

    assert found["facts"]["labels"] == ["graded", "spring"]


def test_judgments_against_the_grades_and_undecided_ones_are_counted():
    grades = {(1, "low"): 0, (1, "high"): 2, (1, "same"): 2}
    low, high, same, unknown = (1, "low"), (1, "high"), (1, "same"), (1, "unknown")
    judged = [
        *[(high, low, True)] * 3,
        (low, high, True),
        (low, high, False),
        (high, same, True),
        (high, unknown, True),
    ]

    rows, ungraded = preference_by_gap(judged, grades)

    assert [(row.gap, row.judgments, row.higher.count, row.undecided) for row in rows] == [
        (0, 1, 0, 0),
        (2, 5, 3, 1),
    ]
    assert (ungraded, all_gaps(rows).value) == (1, 0.75)
