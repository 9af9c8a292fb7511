"""The workers of a campaign: the list, one worker, decisions with their cost, messages, reports, appeals."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config import clock
from judging import jobs as judging_jobs
from judging.campaign.cost import money
from judging.intake.screened_work import SUSPENSION
from judging.intake.worker_records import records_of
from judging.models import (
    Appeal,
    Campaign,
    Exclusion,
    Judgment,
    PairReport,
    Submission,
    Task,
    Worker,
    WorkerMessage,
)
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.people.impact import foresee_exclusion, foresee_reinstatement
from judging.workers.messages import write_message
from tests.due_jobs import work_off_everything
from tests.web.campaign_cast import text_of, worker
from web.workers.pages import may_undo

LIST = "/campaigns/fair/workers/"
SCRIPT = "<script>alert('x')</script>"


def at(name: str, rest: str = "") -> str:
    return f"{LIST}{worker(name).pk}/{rest}"


def test_times_of_simulated_workers_say_so(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    Worker.objects.update(simulated=True)
    Judgment.objects.update(judge_kind=Judgment.JudgeKind.SIMULATED)
    fair.collect(campaign)

    assert "simulated workers among them" in text_of(manager.get(LIST))
    assert "by a simulated worker" in text_of(manager.get(at("AGOOD")))
    assert "simulated workers’ time" in text_of(manager.get("/campaigns/fair/"))


def test_records_have_what_each_worker_did(fair, campaign):
    fair.do_task(campaign, "AGOOD")
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.open_task(campaign, "ABUSY")
    fair.collect(campaign)

    good, bad, busy = records_of(campaign).rows

    assert (good.standing, good.tasks, good.counted, good.gold_seen, good.gold_failed) == ("idle", 1, 3, 2, 0)
    assert (good.left, good.decided, good.pay) == (3, 3, Decimal("2.00"))
    assert (bad.standing, bad.tasks, bad.judgments, bad.counted, bad.gold_failed) == ("excluded", 1, 3, 0, 2)
    assert [flag.name for flag in bad.flags] == ["gold pairs"]
    assert (busy.standing, busy.held, busy.tasks, busy.pay) == ("at work", 1, 0, Decimal(0))


def test_agreement_compares_counted_judgments_of_the_same_pairs(fair, campaign):
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    for name in ("AONE", "ATWO"):
        for _ in range(2):
            fair.do_task(campaign, name)
    fair.collect(campaign)
    repeated = Judgment.objects.filter(worker=worker("ABAD"))
    by_others = {one.pair_id: one.preferred_id for one in campaign.judgments.exclude(worker=worker("ABAD"))}
    same = sum(by_others[one.pair_id] == one.preferred_id for one in repeated)

    rows = {row.worker: row for row in records_of(campaign).rows}

    assert (rows[worker("ABAD").pk].compared, rows[worker("ABAD").pk].agreeing) == (3, same)
    assert rows[worker("AONE").pk].agreement is None  # excluded judgments do not count against anybody


def test_the_list_is_sorted_filtered_and_searched_by_the_address(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    good, bad = worker("AGOOD").pk, worker("ABAD").pk

    def shown(asked: str) -> list[int]:
        return [row.worker for row in manager.get(f"{LIST}?{asked}").context["page"]]

    assert shown("") == [good, bad]
    assert shown("sort=gold") == [bad, good]
    assert shown("sort=-worker") == [bad, good]
    assert shown("show=excluded") == [bad]
    assert shown(f"q=worker+{good}") == [good]
    assert shown("q=gold+pairs") == [bad]
    assert shown("q=nobody") == []
    assert shown("sort=nonsense&show=x&page=-3") == [good, bad]


def test_no_page_names_a_crowds_id(fair, campaign, manager):
    fair.do_task(campaign, "ASECRETPERSON", pass_gold=False)
    fair.collect(campaign)
    Appeal.objects.create(campaign=campaign, worker=worker("ASECRETPERSON"), refusal="excluded", words="no")
    appeal = Appeal.objects.get().pk

    for address in (
        "/campaigns/fair/",
        LIST,
        at("ASECRETPERSON"),
        at("ASECRETPERSON", "reinstate/"),
        f"/campaigns/fair/message/?worker={worker('ASECRETPERSON').pk}",
        "/campaigns/fair/reports/",
        f"/campaigns/fair/appeals/{appeal}/",
        "/campaigns/fair/activity/",
    ):
        page = text_of(manager.get(address))
        assert "ASECRETPERSON" not in page, address
        assert "ASSIGNMENT" not in page, address


def test_a_workers_page_lists_tasks_judgments_and_others_choices(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    Submission.objects.update(comment=SCRIPT)

    reply = manager.get(at("AGOOD"))

    page = text_of(reply)
    assert len(reply.context["lines"]) == 3
    assert [one.judged for one in reply.context["tasks"]] == [3]
    assert "$2.00 paid" in page
    assert SCRIPT not in page
    assert "&lt;script&gt;" in page
    assert manager.get(f"{LIST}999999/").status_code == 404
    assert manager.get(f"{LIST}{'9' * 30}/").status_code == 404


def test_excluding_costs_what_the_preview_stated(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    fair.open_task(campaign, "AGOOD")
    foreseen = foresee_exclusion(campaign, worker("AGOOD"))
    assert (foreseen.judgments, foreseen.done, foreseen.held, foreseen.gold) == (3, 1, 1, 4)
    page = text_of(manager.get(at("AGOOD", "exclude/")))
    assert "and spend up to $4.80" in page
    assert "The $2.40 already paid or owed for this worker’s tasks stays as it is." in page
    waiting = campaign.tasks.filter(state=Task.State.WAITING).count()

    refused = manager.post(at("AGOOD", "exclude/"), {"why": "  "})
    reply = manager.post(at("AGOOD", "exclude/"), {"why": "always left"}, follow=True)

    assert "An exclusion needs a reason." in text_of(refused, 400)
    exclusion = Exclusion.objects.get()
    assert (exclusion.decided_by, exclusion.reason, exclusion.rule) == ("ada", "always left", "person")
    assert campaign.tasks.filter(state=Task.State.WAITING).count() == waiting + foreseen.repeated
    assert campaign.judgments.counted().count() == 0
    assert "Undo the exclusion" in text_of(reply)
    assert "others repeat the tasks" in text_of(reply)


def test_what_the_budget_cannot_pay_for_is_not_promised(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    committed = money(campaign)["committed"]
    Campaign.objects.filter(pk=campaign.pk).update(budget=committed)

    page = text_of(manager.get(at("AGOOD", "exclude/")))
    reply = text_of(manager.post(at("AGOOD", "exclude/"), {"why": "always left"}, follow=True))

    assert "The budget does not cover 1 repeat" in page
    assert "and spend up to" not in page
    assert "1 repeat waits until the budget is raised" in reply


def test_undoing_an_exclusion_lets_the_work_count_again(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    manager.post(at("AGOOD", "exclude/"), {"why": "a slip of the mouse"})
    foreseen = foresee_reinstatement(campaign, worker("AGOOD"))

    reply = manager.post(at("AGOOD", "reinstate/"), {"why": "taken back"}, follow=True)

    assert (foreseen.counted, foreseen.judgments, foreseen.surplus) == (1, 3, 0)
    assert campaign.judgments.counted().count() == 3
    assert "Undo the reinstatement" in text_of(reply)


@pytest.mark.parametrize(("by", "undoable"), [("ada", True), (SUSPENSION, False), ("", False)])
def test_only_a_persons_reinstatement_can_be_undone(by, undoable):
    decision = Exclusion(reversed_at=clock.now(), reversed_by=by, decided_at=clock.now(), decided_by="ada")

    assert may_undo(decision) is undoable


@pytest.mark.parametrize("repeated", [False, True])
def test_reinstating_has_the_previewed_effects(fair, campaign, repeated):
    early = fair.open_task(campaign, "ABAD")
    fair.answer(early, only=1)
    fair.send_off(early)
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    if repeated:
        for name in ("AONE", "ATWO"):
            for _ in range(2):
                fair.do_task(campaign, name)
        fair.collect(campaign)
    foreseen = foresee_reinstatement(campaign, worker("ABAD"))

    done = reinstate_worker(campaign, worker("ABAD"), why="the gold pair was ambiguous")

    assert (done.counted, done.surplus, done.other) == (foreseen.counted, foreseen.surplus, foreseen.other)
    assert foreseen.forgiven >= 2
    assert done.counted + done.surplus + done.other == 2


def test_reinstating_after_an_uncounted_pilot_counts_nothing(fair, campaign):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    campaign.postings.update(purpose="pilot")
    exclude_worker(campaign, worker("AGOOD"), why="copied")
    foreseen = foresee_reinstatement(campaign, worker("AGOOD"))

    done = reinstate_worker(campaign, worker("AGOOD"), why="not copied")

    assert (done.counted, done.surplus, done.other) == (0, 0, 1)
    assert (foreseen.counted, foreseen.surplus, foreseen.other) == (0, 0, 1)
    assert (foreseen.judgments, foreseen.saved) == (0, 0)


def test_a_decision_in_force_is_not_offered_again(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    assert "is not excluded" in text_of(manager.get(at("AGOOD", "reinstate/")))
    exclude_worker(campaign, worker("AGOOD"), why="x")

    assert "is already excluded" in text_of(manager.get(at("AGOOD", "exclude/")))
    assert manager.get(at("AGOOD", "praise/")).status_code == 404


def test_a_closed_campaign_says_that_nobody_repeats(fair, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(state="closed")

    assert "nobody repeats them anymore" in text_of(manager.get(at("AGOOD", "exclude/")))


def test_a_message_is_previewed_before_it_is_sent(fair, crowd, campaign, manager):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    key = worker("AGOOD").pk
    form = {"to": "named", "worker": str(key), "subject": "Thank you", "text": f"Well done {SCRIPT}"}

    preview = text_of(manager.post("/campaigns/fair/message/", form))
    assert f"worker {key}" in preview
    assert "Send to 1 worker<" in preview
    assert SCRIPT not in preview
    assert not WorkerMessage.objects.exists()

    manager.post("/campaigns/fair/message/", form | {"send": "1"})
    assert WorkerMessage.objects.get().sent_at is None
    work_off_everything()

    assert crowd.messages == [("AGOOD", "Thank you", f"Well done {SCRIPT}")]
    kept = WorkerMessage.objects.get()
    assert (kept.who, kept.worker_id, bool(kept.sent_at)) == ("ada", key, True)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"to": "named", "subject": "a", "text": "b"}, "Enter at least one worker number"),
        (
            {"to": "named", "worker": "999999", "subject": "a", "text": "b"},
            "Worker 999999 has submitted nothing",
        ),
        ({"to": "named", "worker": "1 abc", "subject": "a", "text": "b"}, "No worker has the number abc."),
        ({"to": "excluded", "subject": "a", "text": "b"}, "There are no workers to write to"),
        ({"to": "everybody", "subject": " ", "text": "b"}, "Enter a subject"),
        ({"to": "everybody", "subject": "a", "text": "b" * 5000}, "Enter a subject"),
    ],
)
def test_a_message_that_cannot_be_sent_says_why(fair, campaign, manager, form, words):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)

    reply = manager.post("/campaigns/fair/message/", form | {"send": "1"})

    assert words in text_of(reply, 400)
    assert not WorkerMessage.objects.exists()


def test_a_message_is_delivered_once_however_often_its_job_runs(fair, crowd, campaign):
    fair.do_task(campaign, "AGOOD")
    fair.collect(campaign)
    rows = write_message(campaign, [worker("AGOOD")], subject="a", text="b")
    arguments = {"campaign_id": campaign.pk, "message": rows[0].pk, "workers": [worker("AGOOD").pk]}

    for _ in range(2):
        assert judging_jobs.deliver_job(**arguments) == {"sent": 1, "workers": 1}

    assert crowd.messages == [("AGOOD", "a", "b")]


def report_of(submission: Submission, **details) -> PairReport:
    slot = submission.slots.exclude(pair=None).first()
    return PairReport.objects.create(submission=submission, slot=slot, kind="broken", **details)


def test_open_reports_are_listed_before_settled_ones(fair, campaign, manager):
    settled = report_of(fair.do_task(campaign, "AGOOD"), settled_at=clock.now())
    opened = report_of(fair.do_task(campaign, "AFINE"))

    listed = manager.get("/campaigns/fair/reports/?show=all").context["reports"]

    assert [line.report for line in listed] == [opened, settled]


def test_reports_show_the_displayed_pair_and_are_settled(fair, campaign, manager):
    report = report_of(fair.do_task(campaign, "AGOOD"), words=SCRIPT)
    page = text_of(manager.get("/campaigns/fair/reports/"))
    assert "This is q" in page  # the text of a passage
    assert SCRIPT not in page

    manager.post(f"/campaigns/fair/reports/{report.pk}/settle", {"why": "it is whole"})

    report.refresh_from_db()
    assert (report.settled_by, report.settled_why) == ("ada", "it is whole")
    assert "No open reports." in text_of(manager.get("/campaigns/fair/reports/"))
    assert "it is whole" in text_of(manager.get("/campaigns/fair/reports/?show=all"))


def test_an_appeal_is_answered_and_the_worker_reinstated_and_notified(fair, crowd, campaign, manager):
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    appeal = Appeal.objects.create(
        campaign=campaign, worker=worker("ABAD"), refusal="excluded", words="I read it"
    )
    address = f"/campaigns/fair/appeals/{appeal.pk}/"
    for page in (address, "/campaigns/fair/reports/"):
        assert "refused with “No further tasks for you here”" in text_of(manager.get(page))
    assert "1 task with 3 judgments will count again" in text_of(manager.get(address)).replace(
        '<span class="numbers">', ""
    ).replace("</span>", "")

    manager.post(address, {"verdict": "reinstate", "why": "You are right."})
    work_off_everything()

    appeal.refresh_from_db()
    assert (appeal.settled_by, appeal.settled_why) == ("ada", "You are right.")
    assert not Exclusion.objects.standing().exists()
    assert campaign.judgments.counted().count() == 3
    assert any("You are right." in text for _, _, text in crowd.messages)


def test_an_appeal_says_whether_its_worker_wrote_it_and_gets_the_answer(fair, campaign, manager):
    done = fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)

    said = {}
    for came_by in ("", done.assignment_id, "MADEUP1"):
        one = Appeal.objects.create(campaign=campaign, worker=done.worker, words="x", came_by=came_by)
        page = text_of(manager.get(f"/campaigns/fair/appeals/{one.pk}/"))
        said[came_by] = ("can be forged" in page, "No message is sent" in page, "The crowd delivers" in page)

    assert said[""] == said[done.assignment_id] == (False, False, True)
    assert said["MADEUP1"] == (True, True, False)


def test_an_appeal_that_cannot_be_answered_so_changes_nothing(fair, campaign, manager):
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    appeal = Appeal.objects.create(campaign=campaign, worker=worker("ABAD"), refusal="excluded", words="x")
    address = f"/campaigns/fair/appeals/{appeal.pk}/"

    nothing = manager.post(address, {"verdict": "keep", "why": " "})
    reinstate_worker(campaign, worker("ABAD"), why="by somebody else, meanwhile")
    late = manager.post(address, {"verdict": "reinstate", "why": "ambiguous"})

    assert "Write an answer. The worker will read it." in text_of(nothing, 400)
    assert "is not excluded" in text_of(late, 400)
    appeal.refresh_from_db()
    assert appeal.settled_at is None


def test_more_workers_cost_no_more_queries(fair, campaign, manager):
    def queries_once(address: str) -> list[str]:
        with CaptureQueriesContext(connection) as caught:
            assert manager.get(address).status_code == 200
        return [one["sql"] for one in caught]

    def queries(address: str) -> list[str]:
        # The first request computes figures that the others find in the cache, unless Redis has dropped them.
        return min((queries_once(address) for _ in range(3)), key=len)

    def all_pages() -> list[list[str]]:
        return [
            queries(address) for address in (LIST, at("A1"), at("A1", "exclude/"), "/campaigns/fair/reports/")
        ]

    report_of(fair.do_task(campaign, "A1"))
    fair.collect(campaign)
    few = all_pages()
    for name in ("A1", "A2", "A2", "A3"):
        if campaign.tasks.filter(state="waiting").exists():
            report_of(fair.do_task(campaign, name))
            fair.collect(campaign)

    # Flags depend on the durations of tasks, and the page queries the evidence for flagged workers once, not for each
    # worker. Four more tasks of three workers would otherwise need more queries.
    for more, before in zip(all_pages(), few, strict=True):
        assert len(more) <= len(before) + 2, "\n".join([*before, "", "and with more workers:", *more])
        assert len(before) <= 37, "\n".join(before)
