"""Counts within time windows, and the client networks they are counted by."""

from datetime import timedelta

import pytest
from django.test import RequestFactory

from config import clock
from config.client_address import client_network
from config.rate_limits import Limit, first_time

AWAY = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
HERE = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "counting"}


@pytest.mark.parametrize(
    ("peer", "forwarded", "proxies", "network"),
    [
        ("192.0.2.7", "", 0, "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", 0, "192.0.2.7"),
        ("127.0.0.1", "203.0.113.9, 198.51.100.1", 1, "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1", 2, ""),
        ("2001:db8:1:2:3:4:5:6", "", 0, "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "", 0, "192.0.2.7"),
        ("", "", 0, ""),
    ],
)
def test_network_is_what_the_outermost_proxy_saw(settings, peer, forwarded, proxies, network):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    headers = {"x-forwarded-for": forwarded} if forwarded else {}

    assert client_network(RequestFactory().get("/", REMOTE_ADDR=peer, headers=headers)) == network


def test_a_request_over_the_limit_gets_the_time_to_wait_until_the_next_window(settings):
    settings.CACHES = {"default": HERE}
    limit, start = Limit("tries", 2, 3600), clock.now()

    with clock.shifted(timedelta(seconds=-int(start.timestamp()) % 3600)):
        taken = [limit.take("martha") for _ in range(3)]
        assert (taken[:2], 0 < taken[2] <= 3600) == ([0, 0], True)
        assert (limit.used_up("martha"), limit.used_up("henry")) == (True, False)
        with clock.shifted(timedelta(hours=1)):
            assert limit.take("martha") == 0


def test_limits_are_not_enforced_while_redis_is_down(settings):
    settings.CACHES = {"default": AWAY}
    limit = Limit("tries", 1, 60)

    assert [limit.take("martha") for _ in range(3)] == [0, 0, 0]
    assert not limit.used_up("martha")
    assert first_time("asked", seconds=10)
