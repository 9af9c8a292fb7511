"""Workers' own data: payout details, export, deleting the account."""

import csv
from datetime import date

import pytest
from django.core.checks import run_checks

from marketplace import clock
from marketplace.errors import PayoutRefused
from marketplace.models import Assignment, Outgoing, Worker
from marketplace.rules.payout_day import next_payout
from marketplace.services import expiry, messages
from marketplace.services.account import accounts
from marketplace.services.operator import payouts
from marketplace.services.worker import letters, tasks as taking
from tests.marketplace.conftest import hours, make_hit, work

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PASSWORD = "correct horse battery"
ACCOUNT = "DE02 1203 0000 0000 2020 51"


@pytest.fixture
def ada(client, settings, tmp_path):
    settings.RIGHTS_DIR = str(tmp_path)
    settings.PAYOUT_METHODS, settings.PAYOUT_DAY = ["bank transfer", "gift card"], 1
    ada = accounts.create_worker("ada", password=PASSWORD, email="ada@example.org", now=clock.now())
    client.force_login(ada)
    return ada


@pytest.fixture
def approved(ask, ada, hit_type):
    """Ada did a task for $2.00, which is approved."""
    make_hit(ask, hit_type, at=clock.now())
    done = work(ada, hit_type, at=clock.now())
    ask("ApproveAssignment", AssignmentId=done, at=clock.now())
    return done


def paid_out(state):
    made = payouts.get_or_make_batch(
        f"batch-{state}", until=clock.now() + hours(1), now=clock.now() + hours(1)
    )[0]
    if state == "paid":
        lines = ["reference,state\n", f"{made.payouts.get().reference},paid\n"]
        payouts.record_csv(lines, clock.now())
    return made


def choose_payout(client, **changes):
    fields = {"method": "bank transfer", "details": ACCOUNT, "current": PASSWORD}
    return client.post("/account/payout/", fields | changes)


@pytest.mark.parametrize(
    ("today", "day", "expected"),
    [
        (date(2026, 11, 23), 1, date(2026, 12, 1)),
        (date(2026, 12, 2), 1, date(2027, 1, 1)),
        (date(2026, 2, 28), 28, date(2026, 2, 28)),
        (date(2026, 2, 3), 0, None),
    ],
)
def test_the_next_payout_is_on_the_day_of_the_month(today, day, expected):
    assert next_payout(today, day) == expected


def test_without_a_way_to_be_paid_no_page_offers_a_choice(client, ada, settings):
    settings.PAYOUT_METHODS = []

    for page in ("/earnings/", "/account/"):
        assert "Choose how you are paid" not in client.get(page).content.decode()


def test_earnings_name_the_next_payout_and_how_it_is_paid(client, ada):
    assert "Choose how you are paid" in client.get("/earnings/").content.decode()

    assert choose_payout(client).status_code == 302

    day = next_payout(clock.now().date(), 1)
    page = " ".join(client.get("/earnings/").content.decode().split())
    assert f"<strong>{day.day} {day:%B %Y}</strong> by bank transfer" in page
    assert ACCOUNT not in page


def test_pay_out_details_change_by_the_password_only_and_the_worker_is_told(client, ada, settings):
    settings.MAIL = True
    Worker.objects.update(email_confirmed_at=clock.now())

    assert choose_payout(client, current="").status_code == 422
    assert choose_payout(client, current="wrong").status_code == 422
    assert choose_payout(client, method="cash in an envelope").status_code == 422
    assert Worker.objects.get().payout_method == ""
    choose_payout(client)

    assert Worker.objects.get().payout_details == ACCOUNT
    told = Outgoing.objects.get()
    assert told.subject == "Your payment details were changed"
    assert ACCOUNT not in told.body


def test_only_the_pay_out_file_shows_the_details(client, ada, approved):
    choose_payout(client)

    [row] = csv.DictReader(payouts.payout_csv(paid_out("due")).splitlines())

    assert (row["method"], row["details"], row["amount"]) == ("bank transfer", ACCOUNT, "2.00")


def test_the_export_contains_everything_stored_about_the_worker(client, ada, approved, requester):
    choose_payout(client)
    letters.write_letter(ada, requester, "A question", clock.now())
    messages.message_workers([ada], requester, "Thanks", "Well done", clock.now())

    answer = client.get("/account/export/")

    held = answer.json()
    assert f'filename="{ada.worker_id}.json"' in answer["Content-Disposition"]
    assert (held["account"]["email"], held["account"]["payout_details"]) == ("ada@example.org", ACCOUNT)
    assert held["account"]["earned"] == "2.00"
    assert [task["assignment_id"] for task in held["tasks"]] == [approved]
    assert "left" in held["tasks"][0]["answer"]
    assert (held["letters"][0]["text"], held["messages"][0]["text"]) == ("A question", "Well done")
    assert "password" not in held["account"]


def test_the_export_contains_every_field_of_the_account(client, ada):
    """A forgotten account is closed, so it cannot be exported."""
    account = client.get("/account/export/").json()["account"]

    stored = {field.name for field in Worker._meta.fields} - {"id", "password", "forgotten_at"}
    assert {"earned" if name == "earned_cents" else name for name in stored} == set(account)


def test_the_export_contains_bonuses_for_tasks_that_the_worker_left(client, ada, ask, hit_type):
    make_hit(ask, hit_type, at=clock.now())
    left = taking.take_task(ada, hit_type, clock.now()).assignment_id
    taking.return_task(ada, left, clock.now())
    bonus = {"WorkerId": ada.worker_id, "BonusAmount": "0.50", "Reason": "5 of 10 pairs"}
    ask("SendBonus", AssignmentId=left, at=clock.now(), **bonus)

    [task] = client.get("/account/export/").json()["tasks_left"]

    assert task["task"] == left
    assert [(one["amount"], one["reason"]) for one in task["bonuses"]] == [("0.50", "5 of 10 pairs")]


def test_only_the_owner_can_export_the_data(client, ada):
    client.logout()

    assert client.get("/account/export/").status_code == 302


def delete(client, **fields):
    return client.post("/account/delete/", {"current": PASSWORD} | fields)


def test_an_account_with_unpaid_money_is_deleted_when_the_money_is_given_up(client, ada, approved):
    choose_payout(client)
    page = client.get("/account/delete/").content.decode()
    assert "$2.00 has not been paid out to you" in page
    assert delete(client).status_code == 422
    assert delete(client, waive="on", current="wrong").status_code == 422
    assert Worker.objects.get().username == "ada"

    answer = delete(client, waive="on")

    gone = Worker.objects.get()
    assert "Your account is deleted" in answer.content.decode()
    assert gone.username.startswith("forgotten-")
    assert (gone.email, gone.payout_method, gone.payout_details, gone.languages) == ("", "", "", "")
    assert gone.earned_cents == 200
    assert client.get("/").status_code == 302


def test_an_account_that_was_paid_out_is_deleted_by_the_password_alone(client, ada, approved):
    paid_out("paid")

    assert "Your account is deleted" in delete(client).content.decode()


def test_deleting_returns_the_task_in_hand(client, ada, ask, hit_type):
    make_hit(ask, hit_type, at=clock.now())
    client.post(f"/groups/{hit_type}/take/")
    assert (
        "You have 1 open task. It is returned and pays nothing"
        in client.get("/account/delete/").content.decode()
    )

    delete(client)

    assert Assignment.objects.get().status == "Free"
    assert ask("GetAccountBalance", at=clock.now())["AvailableBalance"] == "997.60"


def test_a_payout_on_its_way_must_be_completed_first(client, ada, approved):
    paid_out("due")

    page = client.get("/account/delete/").content.decode()

    assert 'id="must-wait"' in page
    assert "$2.00 is on its way" in page
    assert "delete-form" not in page
    assert delete(client, waive="on").status_code == 422
    assert Worker.objects.get().username == "ada"


@pytest.mark.parametrize("decided", ["ApproveAssignment", "RejectAssignment", "the clock"])
def test_an_account_with_work_in_review_is_deleted_when_its_pay_is_given_up(
    client, ada, ask, hit_type, requester, decided
):
    make_hit(ask, hit_type, at=clock.now())
    done = work(ada, hit_type, at=clock.now())
    page = client.get("/account/delete/").content.decode()
    assert "Delete now. I give up the pay for the task in review ($2.00)." in page
    assert delete(client).status_code == 422
    assert Worker.objects.get().username == "ada"

    assert "Your account is deleted" in delete(client, waive="on").content.decode()

    later = Assignment.objects.get().auto_approval_at
    if decided == "the clock":
        expiry.apply_due(later)
    else:
        why = {"RequesterFeedback": "no"} if decided == "RejectAssignment" else {}
        ask(decided, AssignmentId=done, at=clock.now(), **why)
    requester.refresh_from_db()
    paid = decided != "RejectAssignment"
    assert Assignment.objects.get().status == ("Approved" if paid else "Rejected")
    assert (Worker.objects.get().earned_cents, requester.held_cents) == (200 if paid else 0, 0)
    assert requester.balance_cents == sum(row.amount_cents + row.fee_cents for row in requester.ledger.all())
    with pytest.raises(PayoutRefused, match="nothing to pay out"):
        payouts.get_or_make_batch("later", until=later + hours(1), now=later + hours(1))


def test_a_deletion_that_cannot_be_recorded_says_that_nothing_was_deleted(client, ada, settings, tmp_path):
    settings.RIGHTS_DIR = str(tmp_path / "file")
    (tmp_path / "file").write_text("not a folder")

    answer = client.post("/account/delete/", {"current": PASSWORD}, follow=True)

    assert "Your account was not deleted." in answer.content.decode()
    assert Worker.objects.get().username == "ada"


def test_the_privacy_page_is_public(client, db, settings, tmp_path):
    settings.OPERATOR, settings.CONTACT = "Reading Lab", "help@example.org"
    settings.PRIVACY_FILE = tmp_path / "privacy.txt"
    settings.PRIVACY_FILE.write_text("Legal basis: <consent>.")

    assert 'href="/privacy/"' in client.get("/signin/").content.decode()
    page = client.get("/privacy/").content.decode()

    for word in ("Reading Lab", "mailto:help@example.org", "Legal basis: &lt;consent&gt;."):
        assert word in page


def test_a_check_names_settings_that_workers_would_miss(settings):
    settings.PRODUCTION = True
    settings.CONTACT, settings.OPERATOR = "", "Reading Lab"

    hints = " ".join(str(found.hint) for found in run_checks())

    assert "MARKETPLACE_CONTACT" in hints
    assert "MARKETPLACE_OPERATOR" not in hints


def test_how_a_worker_is_paid_has_to_be_chosen_and_the_page_says_so(client, ada):
    page = client.get("/account/payout/").content.decode()
    label = page[page.index(">Paid by") : page.index("</label>", page.index(">Paid by"))]

    refused = choose_payout(client, method="")

    assert "optional" not in label
    assert refused.status_code == 422
    assert "Choose how you are paid." in refused.content.decode()
