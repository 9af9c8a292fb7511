"""Signatures by the specification, and the waits between attempts."""

import random
from datetime import timedelta
from itertools import pairwise

import pytest

from web.webhooks.retries import TRIES, seconds_after
from web.webhooks.webhook_signature import headers, new_webhook_secret, signature

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_signature_is_that_of_the_specifications_libraries():
    """The value in the tests and documentation of standard-webhooks and svix-webhooks."""
    signed = signature(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')

    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_two_secrets_make_two_signatures():
    first, second = new_webhook_secret(), new_webhook_secret()

    said = headers([first, second], "msg_1", 1614265330, b"{}")

    assert said["webhook-signature"] == " ".join(
        signature(one, "msg_1", 1614265330, b"{}") for one in (first, second)
    )
    assert (said["webhook-id"], said["webhook-timestamp"]) == ("msg_1", "1614265330")


def test_waits_grow_over_about_a_day_and_end():
    for seed in range(50):
        waits = [seconds_after(tries, random.Random(seed)) for tries in range(1, TRIES + 1)]

        assert waits[-1] is None
        assert all(one < other for one, other in pairwise(waits[:7]))
        assert timedelta(hours=19) < sum(waits[:-1], timedelta(0)) < timedelta(hours=25)


def test_waits_have_random_jitter():
    assert len({seconds_after(3, random.Random(seed)) for seed in range(20)}) == 20


@pytest.mark.parametrize("wrong", ["whsec_not base64", "whsec_é"])
def test_an_invalid_secret_signs_nothing(wrong):
    with pytest.raises(ValueError):
        signature(wrong, "msg_1", 1, b"")
