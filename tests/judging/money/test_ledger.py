"""The campaign's ledger compared with the crowd's."""

from decimal import Decimal

import pytest

from judging.models import Payment
from judging.money.ledger import compare_books, ledger
from judging.money.payments import pay_owed


@pytest.fixture
def paid(fair):
    """A campaign with two tasks done and paid."""
    campaign = fair.opened()
    for worker in ("A1", "A2"):
        fair.do_task(campaign, worker)
    fair.collect(campaign)
    return campaign


def test_the_ledger_has_every_kind_of_payment_and_the_sums_with_fees(fair, paid):
    books = ledger(paid)

    rows = [(row["kind"], row["state"], row["payments"], row["amount"], row["fees"]) for row in books["rows"]]
    assert rows == [
        ("bonus", "paid", 2, Decimal("3.60"), Decimal("0.72")),
        ("reward", "paid", 2, Decimal("0.40"), Decimal("0.08")),
    ]
    assert (books["spent"], books["owed"], books["promised"]) == (Decimal("4.80"), 0, Decimal("4.80"))
    assert books["committed"] == Decimal("9.60")


def test_the_books_are_equal_to_the_crowds(paid):
    compared = compare_books(paid)

    assert compared.differences == []
    assert compared.ours == compared.theirs == Decimal("4.00")
    assert compared.places == 4


def test_payments_in_only_one_of_the_books_are_named(fair, paid):
    submission = fair.do_task(paid, "A3")
    fair.crowd.approve(submission.assignment_id)  # automatically, after the crowd's delay
    fair.crowd.paid_bonuses.pop()

    differences = compare_books(paid).differences

    assert [(row.kind, row.ours, row.theirs) for row in differences] == [
        ("reward", Decimal("0.00"), Decimal("0.20")),
        ("bonus", Decimal("1.80"), Decimal("0.00")),
    ]
    assert "not recorded here" in differences[0].meaning
    assert "not in the crowd's list" in differences[1].meaning


def test_the_next_collection_records_automatic_approvals(fair, paid):
    submission = fair.do_task(paid, "A3")
    fair.crowd.approve(submission.assignment_id)

    fair.collect(paid)
    pay_owed(paid)

    assert compare_books(paid).differences == []
    assert Payment.objects.filter(state="paid").count() == 6


def test_a_repeated_row_of_the_crowds_list_counts_once(fair, paid, monkeypatch):
    for listing in ("submissions", "bonuses"):
        once = getattr(fair.crowd, listing)
        monkeypatch.setattr(fair.crowd, listing, lambda *a, once=once, **k: [*once(*a, **k)] * 2)

    compared = compare_books(paid)

    assert compared.differences == []
    assert compared.theirs == Decimal("4.00")
