"""Workers over the API: records, decisions with their cost, messages, reports, appeals."""

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model

from accounts.services.tokens import make_token
from config import clock
from config.background.models import Job
from judging.models import (
    Appeal,
    Campaign,
    CampaignChange,
    Exclusion,
    PairReport,
    Payment,
    Submission,
    WorkerMessage,
)
from judging.people.impact import foresee_exclusion
from pooling.models import SpendingGrant
from tests.due_jobs import work_off_everything
from tests.web.api_caller import problem
from tests.web.campaign_cast import worker

WORKERS = "/api/v1/campaigns/fair/workers"


class Calls:
    """API calls of the campaign's manager."""

    def __init__(self, client) -> None:
        user = get_user_model().objects.get(username="ada")
        token = make_token(user=user, name="t", scopes=["read", "campaigns"], days=1)[1]
        self.client, self.headers = client, {"Authorization": f"Bearer {token}"}

    def get(self, address):
        return self.client.get(address, headers=self.headers)

    def post(self, address, said):
        body = json.dumps(said)
        return self.client.post(address, body, content_type="application/json", headers=self.headers)


@pytest.fixture
def calls(manager):
    return Calls(manager)


@pytest.fixture
def judged(fair, campaign):
    """One good worker, and one excluded by the rule."""
    fair.do_task(campaign, "AGOOD")
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    return campaign


def test_workers_are_listed_as_on_the_page(judged, calls):
    good, bad = worker("AGOOD").pk, worker("ABAD").pk

    everybody = calls.get(f"{WORKERS}?sort=-worker").json()
    out = calls.get(f"{WORKERS}?show=excluded").json()

    assert (everybody["count"], [row["worker"] for row in everybody["workers"]]) == (2, [bad, good])
    assert [(row["worker"], row["gold_failed"]) for row in out["workers"]] == [(bad, 2)]
    assert "ABAD" not in str(everybody)
    assert [row["worker"] for row in calls.get(f"{WORKERS}?limit=1&offset=1").json()["workers"]] == [bad]
    problem(calls.get(f"{WORKERS}?sort=nonsense"), 422)


def test_an_exclusion_is_priced_then_decided_with_a_reason(judged, calls):
    one = worker("AGOOD")
    foreseen = foresee_exclusion(judged, one)

    asked = calls.post(f"{WORKERS}/{one.pk}/exclude", {"dry_run": True}).json()
    assert not Exclusion.objects.filter(worker=one).exists()
    done = calls.post(f"{WORKERS}/{one.pk}/exclude", {"why": "always left"}).json()

    assert (asked["done"], done["done"]) == (False, True)
    assert (asked["tasks_repeated"], Decimal(str(asked["cost"]))) == (foreseen.repeated, foreseen.cost)
    assert asked["tasks_repeated"] == 1
    decided = Exclusion.objects.get(worker=one)
    assert (decided.reason, decided.decided_by) == ("always left", "ada")
    assert Job.objects.filter(kind="judging.collect").exists()


def test_a_decision_without_a_reason_or_twice_is_refused_in_words(judged, calls):
    one = worker("AGOOD").pk

    said = problem(calls.post(f"{WORKERS}/{one}/exclude", {"why": "  "}), 422)
    calls.post(f"{WORKERS}/{one}/exclude", {"why": "left"})

    assert "--why" not in str(said)
    assert "already" in problem(calls.post(f"{WORKERS}/{one}/exclude", {"why": "left"}), 409)["detail"]
    problem(calls.post(f"{WORKERS}/999999/exclude", {"why": "left"}), 404)


def test_a_reinstatement_is_priced_then_decided_and_stays_on_record(judged, calls):
    one = worker("ABAD").pk

    asked = calls.post(f"{WORKERS}/{one}/reinstate", {"dry_run": True}).json()
    done = calls.post(f"{WORKERS}/{one}/reinstate", {"why": "the pair was wrong"}).json()

    assert (asked["done"], asked["counted"]) == (False, 1)
    assert done["done"]
    [decision] = calls.get(f"{WORKERS}/{one}").json()["decisions"]
    assert (decision["rule"], decision["decided_by"]) == ("reference", "")
    assert (decision["reversed_by"], decision["reversed_why"]) == ("ada", "the pair was wrong")
    assert CampaignChange.objects.filter(what=f"worker {one} reinstated", who="ada").exists()


def test_a_message_is_sent_to_the_previewed_recipients(judged, calls, crowd):
    said = {"to": "excluded", "subject": "Why", "text": "Your gold pairs."}
    bad = worker("ABAD").pk

    asked = calls.post("/api/v1/campaigns/fair/messages", said | {"dry_run": True})
    assert not WorkerMessage.objects.exists()
    sent = calls.post("/api/v1/campaigns/fair/messages", said)
    calls.post("/api/v1/campaigns/fair/messages", said)
    work_off_everything()

    assert (asked.status_code, asked.json()) == (202, {"workers": [bad], "done": False})
    assert sent.json() == {"workers": [bad], "done": True}
    assert WorkerMessage.objects.filter(subject="Why").count() == 1
    mine = calls.get(f"{WORKERS}/{bad}").json()["messages"]
    assert [(one["subject"], one["who"]) for one in mine if one["who"]] == [("Why", "ada")]
    problem(calls.post("/api/v1/campaigns/fair/messages", said | {"to": "named"}), 422)


def test_appeals_are_listed_and_answered_with_a_reinstatement(judged, calls):
    one = worker("ABAD")
    appeal = Appeal.objects.create(campaign=judged, worker=one, refusal="excluded", words="I read it.")

    [waits] = calls.get("/api/v1/campaigns/fair/appeals").json()
    address = f"/api/v1/campaigns/fair/appeals/{appeal.pk}"
    problem(calls.post(address, {"why": " ", "reinstate": True}), 422)
    reply = calls.post(address, {"why": "You are right.", "reinstate": True})

    assert (waits["appeal"], waits["words"]) == (f"a{appeal.pk}", "I read it.")
    assert reply.json() == {"settled": f"a{appeal.pk}"}
    assert Exclusion.objects.get(worker=one).reversed_by == "ada"
    assert calls.get("/api/v1/campaigns/fair/appeals").json() == []
    assert calls.get("/api/v1/campaigns/fair/appeals?settled=true").json()[0]["settled"] == "You are right."
    problem(calls.post(address, {"why": "Again.", "reinstate": False}), 409)


def test_reports_are_listed_and_settled(judged, calls):
    submission = Submission.objects.filter(worker=worker("AGOOD")).get()
    slot = submission.slots.first()
    report = PairReport.objects.create(submission=submission, slot=slot, kind="broken", words="cut off")

    [waits] = calls.get("/api/v1/campaigns/fair/reports").json()
    reply = calls.post(f"/api/v1/campaigns/fair/reports/{report.pk}", {"why": "mended"})
    again = problem(calls.post(f"/api/v1/campaigns/fair/reports/{report.pk}", {"why": "mended"}), 409)

    assert (waits["report"], waits["kind"], waits["words"]) == (f"r{report.pk}", "broken", "cut off")
    assert reply.json() == {"settled": f"r{report.pk}"}
    assert calls.get("/api/v1/campaigns/fair/reports").json() == []
    assert "manage.py" not in str(again)


def test_judgments_are_withdrawn_at_the_workers_request(judged, calls):
    one = worker("AGOOD")
    address = f"{WORKERS}/{one.pk}/withdraw"

    asked = calls.post(address, {"dry_run": True}).json()
    assert not Exclusion.objects.filter(worker=one).exists()
    done = calls.post(address, {"why": "asked by mail"}).json()

    assert (asked["done"], done["done"]) == (False, True)
    assert asked["judgments"] == done["judgments"] == 3
    assert Exclusion.objects.get(worker=one).rule == Exclusion.WITHDRAWN
    assert "already" in problem(calls.post(address, {"why": "asked by mail"}), 409)["detail"]


def test_after_the_deadline_a_withdrawal_needs_late(judged, calls):
    judged.withdrawal_days = 1
    judged.save()
    Submission.objects.update(submitted_at=clock.now() - timedelta(days=2))
    address = f"{WORKERS}/{worker('AGOOD').pk}/withdraw"

    said = problem(calls.post(address, {}), 409)

    assert "late" in said["next_step"]
    assert "--" not in str(said)
    assert calls.post(address, {"late": True}).json()["done"]


def test_a_gold_pair_is_suspended_and_dependent_exclusions_are_reversed(judged, calls):
    bad = Exclusion.objects.get(worker=worker("ABAD"))
    first, second = [answer.gold_pair_id for answer in bad.gold_answers.order_by("pk")]
    address = "/api/v1/campaigns/fair/gold"

    asked = calls.post(f"{address}/{first}/suspend", {"dry_run": True}).json()
    one = calls.post(f"{address}/{first}/suspend", {"why": "both answer"}).json()
    other = calls.post(f"{address}/{second}/suspend", {"why": "neither answers"}).json()

    assert (asked["done"], asked["resting"], asked["reinstated"]) == (False, 1, 0)
    assert (one["done"], one["reinstated"]) == (True, 0)  # the worker failed the other one, too
    assert other["reinstated"] == 1
    bad.refresh_from_db()
    assert bad.reversed_at is not None
    problem(calls.post(f"{address}/{first}/suspend", {"why": "again"}), 409)
    problem(calls.post(f"{address}/999999/suspend", {"why": "x"}), 404)


def test_a_top_up_is_confirmed_and_owed_once(judged, calls):
    opened = clock.now() - timedelta(hours=1)
    Submission.objects.update(opened_at=opened, finished_at=opened + timedelta(minutes=30))
    address = "/api/v1/campaigns/fair/top-up"

    asked = calls.post(address, {"minimum_hourly": 15, "dry_run": True}).json()
    assert asked["bonuses"] > 0
    assert not Payment.objects.filter(kind=Payment.Kind.TOP_UP).exists()
    problem(calls.post(address, {"minimum_hourly": 15}), 409)
    problem(calls.post(address, {"minimum_hourly": 15, "confirm_spend": 0.01}), 409)
    done = calls.post(address, {"minimum_hourly": 15, "confirm_spend": asked["total"]}).json()
    again = calls.post(address, {"minimum_hourly": 15, "confirm_spend": asked["total"]}).json()

    assert (done["done"], done["bonuses"]) == (True, asked["bonuses"])
    assert again["bonuses"] == 0
    owed = Payment.objects.filter(kind=Payment.Kind.TOP_UP)
    assert sum(payment.amount for payment in owed) == Decimal(str(done["amount"]))


def test_a_top_up_after_the_end_needs_a_grant(judged, calls):
    opened = clock.now() - timedelta(hours=1)
    Submission.objects.update(opened_at=opened, finished_at=opened + timedelta(minutes=30))
    Campaign.objects.update(state=Campaign.State.CLOSED)
    judged.reservations.all().delete()
    SpendingGrant.objects.update(revoked_at=clock.now())
    address = "/api/v1/campaigns/fair/top-up"
    asked = calls.post(address, {"minimum_hourly": 15, "dry_run": True}).json()

    refused = calls.post(address, {"minimum_hourly": 15, "confirm_spend": asked["total"]})

    assert "spending grant" in problem(refused, 403)["next_step"]
    assert not Payment.objects.filter(kind=Payment.Kind.TOP_UP).exists()
