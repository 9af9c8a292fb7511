"""Rate limits, shared by all processes."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError
from django.db import connections

from marketplace.models import Bucket
from marketplace.services import rates
from tests.contract.endpoint import make_client, start_marketplace
from tests.waiting import PATIENCE_SECONDS


@pytest.mark.django_db
def test_a_second_lets_its_number_of_calls_through():
    three = rates.per_second(3)

    assert [rates.take_rate("a", three, now=1000.0) for _ in range(4)] == [True, True, True, False]
    assert [rates.take_rate("a", three, now=1000.34) for _ in range(2)] == [True, False]
    assert [rates.take_rate("a", three, now=2000.0) for _ in range(4)] == [True, True, True, False]


@pytest.mark.django_db
def test_a_slow_rate_lets_one_through_at_a_time():
    slow = rates.per_second(0.5)

    assert [rates.take_rate("a", slow, now=at) for at in (0.0, 1.9, 2.0, 3.9, 4.0)] == [
        True,
        False,
        True,
        False,
        True,
    ]


@pytest.mark.django_db
def test_names_do_not_share():
    one = rates.Rate(3600, 1)

    assert rates.take_rate("a", one)
    assert not rates.take_rate("a", one)
    assert rates.take_rate("b", one)


@pytest.mark.django_db
def test_an_undone_token_can_be_taken_again():
    one = rates.Rate(3600, 1)
    rates.take_rate("a", one)

    rates.undo_take("a", one)

    assert rates.take_rate("a", one)


@pytest.mark.django_db
def test_buckets_that_are_full_are_forgotten():
    rates.take_rate("old", rates.Rate(1, 1), now=1000.0)
    rates.take_rate("new", rates.Rate(3600 * 24, 1))

    rates.forget_full()

    assert [row.name for row in Bucket.objects.all()] == ["new"]


@pytest.mark.django_db(transaction=True)
def test_takers_at_once_never_take_the_same_one():
    """With forty tokens and no refill in time, exactly forty of 160 concurrent takers get one."""
    rate = rates.Rate(86400, 40)
    together = threading.Barrier(8)

    def take(_number):
        together.wait(30)
        try:
            return sum(rates.take_rate("shared", rate) for _ in range(20))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(take, range(8)))

    assert sum(taken) == 40


def test_processes_of_a_server_share_a_requesters_rate(tmp_path):
    """Three processes share one limit; separately, each would allow four calls a second."""
    process, _ = start_marketplace(tmp_path, MARKETPLACE_PROCESSES="3", MARKETPLACE_THROTTLE_PER_SECOND="4")
    key = json.loads((tmp_path / "marketplace-key.json").read_text())

    def calls(_number):
        client = make_client(key["endpoint"], key["access_key"], key["secret_key"])
        codes = []
        for _ in range(10):
            try:
                client.get_account_balance()
                codes.append("")
            except ClientError as error:
                codes.append(error.response["Error"]["Code"])
        client.close()
        return codes

    started = time.monotonic()
    try:
        with ThreadPoolExecutor(8) as pool:
            codes = [code for some in pool.map(calls, range(8)) for code in some]
    finally:
        took = time.monotonic() - started
        process.terminate()
        process.wait(timeout=PATIENCE_SECONDS)

    assert set(codes) <= {"", "ThrottlingException"}
    assert 4 <= codes.count("") <= 5 + 4 * took
