"""Receipts, earnings by task, messages, and tasks that are offered again."""

import re

import pytest

from marketplace import clock
from marketplace.models import Worker, WorkerMessage
from marketplace.services import messages
from marketplace.services.operator import payouts
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import hours, make_hit, make_type, make_worker, work
from tests.marketplace.rules.test_offers import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
URL = "http://127.0.0.1:9/judge/task/abc/"


@pytest.fixture
def worker(client, ada):
    client.force_login(ada)
    return ada


@pytest.fixture
def kind(ask):
    kind = make_type(ask, Reward="0.20", Keywords="bonus:1.80, minutes:12")
    make_hit(ask, kind, at=clock.now())
    return kind


def submit(worker, kind, **fields):
    row = taking.take_task(worker, kind, clock.now())
    taking.hand_in(row.assignment_id, [("choice", "left"), *fields.items()], clock.now())
    return row.assignment_id


def pay(ask, worker, done):
    ask("ApproveAssignment", AssignmentId=done, at=clock.now())
    bonus = {"WorkerId": worker.worker_id, "BonusAmount": "1.80", "Reason": "13 of 13 pairs"}
    ask("SendBonus", AssignmentId=done, at=clock.now(), **bonus)


def test_a_receipt_lists_payments_and_expected_pay(client, worker, ask, kind):
    done = submit(worker, kind)
    before = text_of(client.get(f"/done/{done}/"))
    pay(ask, worker, done)
    payouts.get_or_make_batch("2026-11", until=clock.now() + hours(1), now=clock.now() + hours(1))

    page = client.get(f"/done/{done}/")

    assert "Nothing yet." in before
    assert "To come: up to $2.00" in before
    assert "You earn $0.20 when your work is approved, by" in before
    assert "A bonus of up to $1.80 follows when the requester has reviewed your work." in before
    assert re.findall(r'data-kind="(\w+)"', page.content.decode()) == ["reward", "bonus"]
    said = text_of(page)
    for words in (done, "“13 of 13 pairs”", "2026-11: on its way", "Total $2.00"):
        assert words in said
    assert "To come" not in said


def test_earnings_and_done_say_each_task_s_reward_bonus_and_sum(client, worker, ask, kind):
    done = submit(worker, kind)
    told = "in review $0.20 when approved up to $1.80 not paid yet $0.00 up to $2.00 to come"
    assert told in text_of(client.get("/done/"))

    pay(ask, worker, done)

    for address in ("/done/", "/earnings/"):
        page = client.get(address)
        assert "$0.20 $1.80 $2.00" in text_of(page)
        assert f'href="/done/{done}/"' in page.content.decode()


def page_texts(client, done):
    """Return each page's text about one finished task."""
    pages = ("/tasks/{}/", "/done/{}/", "/done/", "/earnings/", "/")
    return [text_of(client.get(page.format(done))) for page in pages]


def test_every_page_tells_the_amount_that_the_requester_s_page_promised(client, worker, ask, kind):
    done = submit(worker, kind, pay_promised="1.04")

    task, receipt, *tables, home = page_texts(client, done)
    for page in (task, receipt):
        assert "The requester's page promises $1.04 in all: $0.20 when your work is approved, by" in page
        assert "UTC at the latest, and $0.84 as a bonus after that." in page
    for page in tables:
        assert "$0.20 when approved $0.84 not paid yet $0.00 $1.04 to come" in page
    assert "In review 1 $1.04" in home
    assert "in review $1.04 to come" in home

    ask("ApproveAssignment", AssignmentId=done, at=clock.now())
    task, receipt, *tables, home = page_texts(client, done)
    assert "It was approved, and you earned $0.20." in task
    for page in (task, receipt):
        assert "promises $1.04 in all: $0.84 is still to come as a bonus." in page
    assert all("$0.84 to come" in page for page in (*tables, home))

    bonus = {"WorkerId": worker.worker_id, "BonusAmount": "0.84", "Reason": "6 of 13 pairs"}
    ask("SendBonus", AssignmentId=done, at=clock.now(), **bonus)
    for page in page_texts(client, done):
        assert "$1.04" in page
        assert "to come" not in page.lower()
        assert "up to" not in page


def test_every_page_tells_the_bonus_that_the_requester_decides_about(client, worker, ask, kind):
    done = submit(worker, kind, pay_promised="0.20+1.80")

    task, receipt, *tables, home = page_texts(client, done)
    for page in (task, receipt):
        assert "You earn $0.20 when your work is approved, by" in page
        assert "The requester reviews your work and decides about a bonus of $1.80." in page
    for page in tables:
        assert "$0.20 when approved $1.80 if the requester decides to pay $0.00 up to $2.00 to come" in page
    assert "In review 1 up to $2.00" in home

    ask("ApproveAssignment", AssignmentId=done, at=clock.now())
    task, receipt, *tables, home = page_texts(client, done)
    for page in (task, receipt):
        assert "The requester reviews your work and decides about a bonus of $1.80." in page
    assert all("up to $1.80 to come" in page for page in (*tables, home))

    bonus = {"WorkerId": worker.worker_id, "BonusAmount": "1.00", "Reason": "Part of the bonus."}
    ask("SendBonus", AssignmentId=done, at=clock.now(), **bonus)
    assert all("to come" not in page.lower() for page in page_texts(client, done))


def test_without_a_guaranteed_amount_the_requester_decides_about_reward_and_bonus(client, worker, kind):
    done = submit(worker, kind, pay_promised="0.00+0.92")

    task, receipt, *tables, home = page_texts(client, done)

    for page in (task, receipt):
        assert "The requester decides whether you are paid: $0.20 if your work is approved." in page
        assert "decides about a bonus of $0.72." in page
    for page in tables:
        assert "$0.20 if the requester decides to pay $0.72 if the requester decides to pay" in page
    assert "In review 1 up to $0.92" in home


def test_where_the_requester_decides_later_every_page_says_so(client, worker, ask):
    kind = make_type(ask, Reward="2.00")
    make_hit(ask, kind, at=clock.now())
    done = submit(worker, kind, pay_promised="undecided")

    task, receipt, *tables, home = page_texts(client, done)

    for page in (task, receipt):
        assert "The requester decides whether you are paid: $2.00 if your work is approved." in page
    assert all("$2.00 if the requester decides to pay" in page for page in tables)
    assert "In review 1 up to $2.00" in home


@pytest.mark.parametrize("said", ["", "1e9", "0.00", "99.00", "0.20+99.00"])
def test_an_answer_that_the_requester_s_page_did_not_send_promises_nothing(client, worker, ask, said):
    kind = make_type(ask, Reward="0.20", Keywords="bonus:1.80, promise:answer")
    make_hit(ask, kind, at=clock.now())
    done = submit(worker, kind, pay_promised=said)

    task, receipt, *tables, home = page_texts(client, done)

    for page in (task, receipt):
        assert "The requester decides whether you are paid: $0.20 if your work is approved." in page
    assert "unless the requester decides first" in receipt
    assert all("$0.20 if the requester decides to pay" in page for page in tables)
    for page in (task, receipt, *tables, home):
        assert "1.80" not in page


@pytest.mark.parametrize(
    "said",
    [
        "",
        "0.19",
        "1.4",
        "1,04",
        "$1.04",
        "-1.04",
        "01.04",
        "1.04 ",
        "10000.01",
        "1e9",
        "١.٠٤",
        "0.05+0.05",
        "0.10+1.90",
    ],
)
def test_an_invalid_amount_promises_nothing(client, worker, kind, said):
    done = submit(worker, kind, pay_promised=said)

    page = text_of(client.get(f"/done/{done}/"))

    assert "The requester's page promises" not in page
    assert "To come: up to $2.00" in page


def test_a_promise_pays_nothing(client, worker, ask, kind, requester):
    done = submit(worker, kind, pay_promised="10000.00")

    ask("ApproveAssignment", AssignmentId=done, at=clock.now())

    worker.refresh_from_db()
    requester.refresh_from_db()
    assert (worker.earned_cents, requester.held_cents) == (20, 0)


@pytest.mark.parametrize(("said", "told"), [("time", True), ("early", False)])
def test_a_worker_reads_that_the_time_ran_out(client, worker, kind, said, told):
    done = submit(worker, kind, ended=said)

    after, receipt = text_of(client.get(f"/tasks/{done}/")), text_of(client.get(f"/done/{done}/"))

    assert ("ran out. What you had done was submitted for you." in after) == told
    assert ("because the time ran out" in receipt) == told


def test_only_its_worker_sees_a_receipt(client, worker, kind):
    theirs = submit(make_worker("grace"), kind)

    assert client.get(f"/done/{theirs}/").status_code == 404


@pytest.mark.parametrize(
    ("address", "linked"),
    [
        (URL, True),
        ("https://elsewhere.example/judge/", False),
        ("javascript:alert(1)", False),
        ("http://127.0.0.1:9@evil.example/", False),
        ("http://127.0.0.1:9/\n<b>", False),
        ("http://[", False),
    ],
)
def test_the_requester_s_own_receipt_is_linked_on_its_own_site_only(client, worker, kind, address, linked):
    done = submit(worker, kind, receipt="17-<ABC>", receipt_address=address)

    page = client.get(f"/done/{done}/").content.decode()

    assert "17-&lt;ABC&gt;" in page
    assert ("open it" in page) is linked


def unread_counts(page):
    return re.findall(r"New messages \((\d+)\)", page)


def test_new_messages_are_on_top_until_they_are_marked_as_read(client, worker, requester):
    messages.message_workers([worker], requester, "First", "One", clock.now())
    page = client.get("/").content.decode()
    assert page.index("First") < page.index("Available tasks")
    assert unread_counts(page) == ["1"]
    shown = re.findall(r'name="message" value="(\d+)"', page)
    messages.message_workers([worker], requester, "Second", "Two", clock.now())

    client.post("/messages/read/", {"message": shown})

    page = client.get("/").content.decode()
    assert unread_counts(page) == ["1"]
    assert page.index("Second") < page.index("Available tasks") < page.index("First")


def test_nobody_marks_another_s_messages_as_read(client, worker, requester):
    messages.message_workers([make_worker("grace")], requester, "First", "One", clock.now())

    client.post("/messages/read/", {"message": [WorkerMessage.objects.get().pk, "x", "9" * 30]})

    assert WorkerMessage.objects.get().read_at is None


@pytest.fixture
def listing(ask):
    """A list that hides one kind of task from the workers on it; yields the list and the kind."""
    made = ask(
        "CreateQualificationType", Name="No further tasks", Description="d", QualificationTypeStatus="Active"
    )
    listing = made["QualificationType"]["QualificationTypeId"]
    asked = {
        "QualificationTypeId": listing,
        "Comparator": "DoesNotExist",
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }
    kind = make_type(ask, QualificationRequirements=[asked])
    for _ in range(2):
        make_hit(ask, kind, at=clock.now())
    return listing, kind


def shut_out(ask, worker, way, listing):
    if way == "block":
        ask("CreateWorkerBlock", WorkerId=worker.worker_id, Reason="no", at=clock.now())
    else:
        who = {"WorkerId": worker.worker_id, "SendNotification": False}
        ask("AssociateQualificationWithWorker", QualificationTypeId=listing, at=clock.now(), **who)


def let_in(ask, worker, way, listing):
    if way == "block":
        ask("DeleteWorkerBlock", WorkerId=worker.worker_id, at=clock.now())
    else:
        who = {"WorkerId": worker.worker_id, "QualificationTypeId": listing}
        ask("DisassociateQualificationFromWorker", at=clock.now(), **who)


def notify(ask, worker, subject):
    said = {"Subject": subject, "MessageText": "A check pair was missed.", "WorkerIds": [worker.worker_id]}
    ask("NotifyWorkers", at=clock.now(), **said)


@pytest.mark.parametrize("way", ["block", "list"])
def test_home_says_one_thing_after_a_reinstatement(client, worker, ask, listing, way):
    listing, kind = listing
    ask("ApproveAssignment", AssignmentId=work(worker, kind, at=clock.now()), at=clock.now())
    notify(ask, worker, "Thanks for your help")
    shut_out(ask, worker, way, listing)
    notify(ask, worker, "No further tasks for you")
    page = client.get("/").content.decode()
    assert unread_counts(page) == ["2"]
    assert 'data-refused-by="lab"' in page

    let_in(ask, worker, way, listing)

    page = client.get("/").content.decode()
    top, _, rest = page.partition('id="open"')
    assert "data-refused-by" not in page
    assert f'data-hit-type="{kind}"' in rest
    assert "lab offers you tasks again" in top
    assert "Thanks for your help" in top
    assert "No further tasks for you" not in top
    assert rest.count("data-over") == 1


def test_nothing_is_announced_while_another_list_applies(client, worker, ask, listing):
    listing, kind = listing
    ask("ApproveAssignment", AssignmentId=work(worker, kind, at=clock.now()), at=clock.now())
    shut_out(ask, worker, "block", listing)
    shut_out(ask, worker, "list", listing)
    notify(ask, worker, "No further tasks for you")

    let_in(ask, worker, "block", listing)

    assert [row.subject for row in WorkerMessage.objects.all()] == ["No further tasks for you"]
    assert 'data-refused-by="lab"' in client.get("/").content.decode()
    assert Worker.objects.get().messages.get().over_at is None


def test_a_worker_is_notified_that_tasks_are_back_even_if_another_list_hides_some(
    client, worker, ask, listing
):
    """A worker is taken off a list, and has already done all tasks of another kind."""
    listing, kind = listing
    ask("ApproveAssignment", AssignmentId=work(worker, kind, at=clock.now()), at=clock.now())
    all_done = ask(
        "CreateQualificationType", Name="Done", Description="All done.", QualificationTypeStatus="Active"
    )
    limit = all_done["QualificationType"]["QualificationTypeId"]
    hides = {"Comparator": "DoesNotExist", "ActionsGuarded": "DiscoverPreviewAndAccept"}
    both = [hides | {"QualificationTypeId": one} for one in (listing, limit)]
    make_hit(ask, make_type(ask, Title="Finished", QualificationRequirements=both), at=clock.now())
    shut_out(ask, worker, "list", limit)
    shut_out(ask, worker, "list", listing)
    notify(ask, worker, "No further tasks for you")
    page = client.get("/").content.decode()
    assert page.count('data-refused-by="lab"') == 1
    assert page.count("data-notice=") == 1  # for both lists
    assert page.count("What lab says about this") == 2

    let_in(ask, worker, "list", listing)

    page = client.get("/").content.decode()
    assert "lab offers you tasks again" in page
    assert "“All done.”" in page
    assert page.count('data-refused-by="lab"') == 1

    let_in(ask, worker, "list", limit)

    page = client.get("/").content.decode()
    assert 'data-refused-by="lab"' not in page
    assert page.count("lab offers you tasks again") == 1
    assert WorkerMessage.objects.get(subject="lab offers you tasks again").over_at is None
