"""A small test collection whose topics a crowd grades: rehearsed, launched, judged over HTTP, published as labels."""

import pytest

from config.settings import BASE_DIR
from judging.models import Campaign, GoldAnswer, GradedItem, Judgment, Payment, Submission
from pooling.models import QrelSet
from tests.journeys.conftest import typed

pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.django_db(transaction=True),
]
SAMPLE = BASE_DIR / "docs" / "sample"
RULES = {"opening": 10, "batch": 4, "accept_judged": 16, "accept_relevant": 2, "reject_judged": 30}
CREW = ("--workers", 6, "--truth", "labels", "--error", 0, "--gold-error", 0)


@pytest.fixture
def campaign(site) -> Campaign:
    files = ("--queries", SAMPLE / "queries.tsv", "--passages", SAMPLE / "passages.tsv")
    typed("import_collection", "meadow", *files, "--all-passages")
    typed("import_qrels", "meadow", SAMPLE / "grades.txt", "--set", "labels", "--min-grade", 2)
    typed("import_runs", "meadow", *sorted((SAMPLE / "runs").iterdir())[:4])
    typed("build_pool", "meadow", "--pool", "ten", "--all-runs", "--depth", 5, "--sample", 3, "--seed", 2)
    rules = [word for name, value in RULES.items() for word in ("--rule", f"{name}={value}")]
    typed("create_grading", "meadow", "ten", "--name", "graded", *rules)
    typed("create_campaign", "crowd", "--collection", "meadow", "--grading", "graded", "--budget", 500)
    typed("propose_gold", "crowd", "--qrels", "labels")
    typed("accept_gold", "crowd", "--all")
    typed("set_texts", "crowd", "--accept")
    return Campaign.objects.get(name="crowd")


def test_a_crowd_grades_topics_until_the_rules_decide_them(campaign, marketplace):
    rehearsed = typed("rehearse_campaign", "crowd", *CREW)
    assert rehearsed["state"] == "rehearsed"
    assert not GradedItem.objects.exclude(grade=None).exists()

    typed("launch_campaign", "crowd", "--accept-weak-screening")
    told = typed("simulate_workers", "crowd", *CREW)

    status = typed("grading_status", "meadow", "graded")
    assert {one["state"] for one in status["listed"]} <= {"accepted", "rejected", "discarded"}
    assert any(one["state"] == "accepted" for one in status["listed"])
    judged = Judgment.objects.filter(campaign=campaign)
    assert status["judged"] == told["judgments_counted"] == judged.count()
    assert GradedItem.objects.filter(source="cal", grade__isnull=False).exists()
    assert set(GoldAnswer.objects.values_list("passed", flat=True)) == {True}
    assert judged.values("pair").distinct().count() == judged.count()
    # Every submission is paid once, in full.
    done = Submission.objects.filter(campaign=campaign)
    paid = Payment.objects.filter(submission__in=done, state=Payment.State.PAID)
    assert sum(row.amount for row in paid) == 2 * done.count()

    typed("publish_grades", "meadow", "graded", "--set", "ours")
    ours = QrelSet.objects.get(name="ours").qrels.values_list("query__qid", "passage__pid", "grade")
    known = {
        (qid, pid): grade
        for qid, pid, grade in QrelSet.objects.get(name="labels").qrels.values_list(
            "query__qid", "passage__pid", "grade"
        )
    }
    assert all(grade == known.get((qid, pid), 0) for qid, pid, grade in ours)
