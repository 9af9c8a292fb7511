"""Payouts to workers outside the marketplace: counted once, recorded once."""

import csv
import io
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.db.models import Sum

from marketplace.errors import PayoutRefused
from marketplace.models import LedgerEntry, Payout, PayoutBatch, PayoutItem, Worker
from marketplace.services.account import accounts
from marketplace.services.operator import payouts
from tests.marketplace.conftest import NOW, asker, hours, make_hit, make_type, work

pytestmark = pytest.mark.django_db


def earn(ask, hit_type, worker, at=NOW):
    """$2.00."""
    make_hit(ask, hit_type, at=at)
    ask("ApproveAssignment", AssignmentId=work(worker, hit_type, at=at), at=at)


def lines_of(made):
    return list(csv.DictReader(io.StringIO(payouts.payout_csv(made))))


def make(name, **more):
    return payouts.get_or_make_batch(name, until=NOW + hours(1), now=NOW + hours(1), **more)[0]


def record(made, state, **changes):
    rows = [{**row, "state": state, **changes} for row in lines_of(made)]
    text = io.StringIO()
    writer = csv.DictWriter(text, payouts.COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return payouts.record_csv(text.getvalue().splitlines(), NOW + hours(2))


def test_rewards_and_bonuses_are_paid_out_together(ask, hit_type, ada, grace):
    earn(ask, hit_type, ada)
    earn(ask, hit_type, ada)
    earn(ask, hit_type, grace)
    assignment = LedgerEntry.objects.filter(worker=grace).get().assignment.assignment_id
    ask("SendBonus", WorkerId=grace.worker_id, AssignmentId=assignment, BonusAmount="0.25", Reason="r")

    lines = lines_of(make("a"))

    told = [
        (line["username"], line["amount"], line["currency"], line["tasks"], line["state"]) for line in lines
    ]
    assert told == [("ada", "4.00", "USD", "2", "due"), ("grace", "2.25", "USD", "1", "due")]


def test_the_same_name_gives_the_same_file_and_the_next_batch_the_rest(ask, hit_type, ada):
    earn(ask, hit_type, ada)
    first = payouts.payout_csv(make("a"))
    earn(ask, hit_type, ada)

    assert payouts.payout_csv(make("a")) == first
    assert [line["amount"] for line in lines_of(make("b"))] == ["2.00"]
    with pytest.raises(PayoutRefused, match="nothing to pay out"):
        make("c")
    assert PayoutBatch.objects.count() == 2


def test_only_earnings_up_to_the_given_time_count(ask, hit_type, ada):
    earn(ask, hit_type, ada, at=NOW)
    earn(ask, hit_type, ada, at=NOW + hours(5))

    made, _ = payouts.get_or_make_batch("a", until=NOW + hours(1), now=NOW + hours(9))

    assert [line["amount"] for line in lines_of(made)] == ["2.00"]


def test_small_amounts_wait(ask, hit_type, ada, grace):
    earn(ask, hit_type, ada)
    earn(ask, hit_type, ada)
    earn(ask, hit_type, grace)

    assert [line["username"] for line in lines_of(make("a", least_cents=300))] == ["ada"]
    assert [line["username"] for line in lines_of(make("b"))] == ["grace"]


def test_each_requester_can_pay_for_itself(ask, hit_type, ada):
    other = asker(accounts.create_requester("other", opening_cents=10_000, now=NOW).requester)
    earn(ask, hit_type, ada)
    earn(other, make_type(other, Reward="1.00"), ada)

    assert [line["amount"] for line in lines_of(make("a", requester="other"))] == ["1.00"]
    assert [line["amount"] for line in lines_of(make("b"))] == ["2.00"]
    with pytest.raises(PayoutRefused, match="no requester"):
        make("c", requester="nobody")


def test_payments_are_recorded_once(ask, hit_type, ada):
    earn(ask, hit_type, ada)
    made = make("a")

    assert record(made, "paid", note="bank transfer 7") == payouts.Recorded(1, 0)
    assert record(made, "paid", note="again") == payouts.Recorded(0, 1)

    payout = Payout.objects.get()
    assert (payout.state, payout.note, payout.decided_at) == ("paid", "bank transfer 7", NOW + hours(2))
    with pytest.raises(PayoutRefused, match="recorded as paid"):
        record(made, "failed")
    assert payouts.payout_standing(Worker.objects.get(pk=ada.pk)) == payouts.Standing(200, 200, 0)


def test_failed_payouts_are_in_the_next_batch_once(ask, hit_type, ada):
    earn(ask, hit_type, ada)
    record(make("a"), "failed", note="no account")
    earn(ask, hit_type, ada)

    [line] = lines_of(make("b"))

    assert line["amount"] == "4.00"
    with pytest.raises(PayoutRefused, match="nothing to pay out"):
        make("c")
    ada.refresh_from_db()
    assert payouts.payout_standing(ada) == payouts.Standing(400, 0, 400)


def test_a_wrong_line_is_named_and_nothing_is_recorded(ask, hit_type, ada, grace):
    earn(ask, hit_type, ada)
    earn(ask, hit_type, grace)
    references = [line["reference"] for line in lines_of(make("a"))]

    for second, said in (
        ("PAYNONE,paid", "Line 3: there is no payout"),
        (f"{references[1]},done", "Line 3: unknown state"),
    ):
        with pytest.raises(PayoutRefused, match=said):
            payouts.record_csv(["reference,state", f"{references[0]},paid", second], NOW)
    with pytest.raises(PayoutRefused, match="Missing columns: state"):
        payouts.record_csv(["reference", references[0]], NOW)

    assert set(Payout.objects.values_list("state", flat=True)) == {"due"}


def test_no_payout_goes_to_an_address_that_nobody_confirmed(ask, hit_type, ada):
    Worker.objects.filter(pk=ada.pk).update(email="evil@example.org")
    earn(ask, hit_type, ada)
    assert lines_of(make("a"))[0]["email"] == ""

    call_command("set_worker", "ada", "--email", "ada@example.org")

    assert lines_of(make("a"))[0]["email"] == "ada@example.org"


def test_no_cell_is_a_formula(ask, hit_type):
    sly = accounts.create_worker("-1", password=None, email="=cmd@example.org", confirmed=True, now=NOW)
    earn(ask, hit_type, sly)

    [line] = lines_of(make("a"))

    assert (line["username"], line["email"]) == ("'-1", "'=cmd@example.org")


@pytest.mark.django_db(transaction=True)
def test_batches_made_at_once_never_pay_twice(ask, hit_type, ada, grace):
    for worker in (ada, grace):
        for _ in range(5):
            earn(ask, hit_type, worker)
    together = threading.Barrier(4)

    def make_one(number):
        together.wait(30)
        try:
            return payouts.get_or_make_batch(f"batch-{number % 3}", until=NOW + hours(1), now=NOW + hours(1))[
                1
            ]
        except PayoutRefused:
            return False
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make_one, range(4)))

    assert PayoutItem.objects.count() == 10
    assert Payout.objects.aggregate(total=Sum("amount_cents"))["total"] == 2000


def test_the_commands_write_list_and_record(ask, hit_type, ada, tmp_path, capsys):
    earn(ask, hit_type, ada, at=NOW)
    out = tmp_path / "2026-03.csv"

    call_command("payouts", "2026-03", "--out", out, "--json")
    made = json.loads(capsys.readouterr().out)
    out.write_text(out.read_text().replace(",due,", ",paid,"))
    call_command("record_payouts", out)
    call_command("record_payouts", out)

    assert (made["new"], made["workers"], made["due"]) == (True, 1, "2.00")
    said = capsys.readouterr().out
    assert "1 payout recorded; 0 were recorded before." in said
    assert "0 payouts recorded; 1 was recorded before." in said
    call_command("payouts", "--json")
    [listed] = json.loads(capsys.readouterr().out)["batches"]
    assert (listed["paid"], listed["due"]) == ("2.00", "0.00")


@pytest.mark.parametrize("words", [["2026/03", "--out", "x"], ["2026-03"]])
def test_wrong_usage_is_reported(words):
    with pytest.raises(CommandError):
        call_command("payouts", *words)


def test_a_worker_sees_where_the_money_is(client, ask, hit_type, ada):
    earn(ask, hit_type, ada)
    record(make("march"), "failed", note="no account")
    earn(ask, hit_type, ada)
    make("april")
    earn(ask, hit_type, ada, at=NOW - timedelta(days=31))
    client.force_login(ada)

    page = client.get("/earnings/").content.decode()

    assert 'id="earned">$6.00<' in page
    assert 'id="paid">$0.00<' in page
    assert 'id="on-its-way">$4.00<' in page
    assert 'id="open-amount">$2.00<' in page
    assert "paid with a later payout" in page
    assert "March 2026" in page
    assert "January 2026" in page


def test_programs_are_not_paid(ask, hit_type, ada):
    program = accounts.create_worker("simulated-7f3a", password=None, program=True, now=NOW)
    person = accounts.create_worker("bob", password=None, now=NOW)
    Worker.objects.filter(pk=person.pk).update(
        username="simulated-bob"
    )  # from before such names were reserved
    for worker in (program, person, ada):
        earn(ask, hit_type, worker)

    assert [line["username"] for line in lines_of(make("a"))] == ["ada", "simulated-bob"]


def test_an_operator_marks_programs(ask, hit_type, ada, capsys):
    earn(ask, hit_type, ada)
    call_command("set_worker", "ada", "--program", "yes")
    with pytest.raises(PayoutRefused, match="nothing to pay out"):
        make("a")
    capsys.readouterr()
    call_command("workers", "--json")
    [described] = json.loads(capsys.readouterr().out)["workers"]
    assert (described["program"], described["earned"], described["unpaid"]) == (True, "2.00", "0.00")

    call_command("set_worker", "ada", "--program", "no")
    assert lines_of(make("a"))


@pytest.mark.parametrize(("separator", "amount"), [(",", "2"), (",", "2.0"), (";", "2,00"), ("\t", "2.00")])
def test_a_file_saved_by_a_spreadsheet_is_accepted(ask, hit_type, ada, separator, amount):
    earn(ask, hit_type, ada)
    [line] = lines_of(make("a"))
    line |= {"state": "paid", "amount": amount, "note": ""}
    saved = [separator.join(row) + "\r\n" for row in (line, line.values())]

    assert payouts.record_csv(saved, NOW).changed == 1


@pytest.mark.parametrize("amount", ["2.01", "NaN", "2,000", "two"])
def test_a_different_amount_is_refused(ask, hit_type, ada, amount):
    earn(ask, hit_type, ada)
    made = make("a")

    with pytest.raises(PayoutRefused, match=f"the amount is {amount}"):
        record(made, "paid", amount=amount)


def test_a_file_with_another_amount_is_refused_whole(ask, hit_type, ada):
    earn(ask, hit_type, ada)
    made = make("a")

    with pytest.raises(PayoutRefused, match=r"Line 2: the amount is 99\.00, but the payout's is 2\.00"):
        record(made, "paid", amount="99.00")
    assert Payout.objects.get().state == Payout.State.DUE
    assert record(made, "paid", amount="2.00").changed == 1
