import os
import threading
import time
import uuid

import pytest

from judging.crowds import limiter as limiting
from judging.crowds.limiter import PAUSE_SECONDS, UNSTATED, USED, Pace, RedisLimiter, ThreadLimiter

on_redis = pytest.mark.skipif(
    not os.environ.get("REDIS_URL"), reason="there is no Redis in the embedded setting"
)


def test_calls_are_spaced_evenly_at_nearly_the_allowed_rate():
    pace = Pace()

    waits = [pace.reserve(100.0, allowed=3) for _ in range(4)]

    assert waits == pytest.approx([0, 1 / (3 * USED), 2 / (3 * USED), 3 / (3 * USED)])
    assert USED >= 0.95


def test_unused_time_is_not_saved_up_for_a_burst():
    pace = Pace()
    pace.reserve(100.0, allowed=3)

    waits = [pace.reserve(200.0, allowed=3) for _ in range(2)]

    assert waits == pytest.approx([0, 1 / (3 * USED)])


def test_without_a_limit_nobody_waits():
    pace = Pace()

    assert [pace.reserve(100.0, allowed=0) for _ in range(5)] == [0] * 5


def test_a_throttling_reply_halves_the_rate_once_for_all_who_got_one():
    pace = Pace()
    for moment in (100.0, 100.1, 100.9):
        pace.throttle(moment, allowed=4)

    assert pace.rate == pytest.approx(4 * USED / 2)
    assert pace.reserve(100.2, allowed=4) == pytest.approx(PAUSE_SECONDS - 0.2)


def test_the_rate_grows_back_and_then_is_the_allowed_one():
    pace = Pace()
    pace.throttle(100.0, allowed=4)

    growing = [pace.current(moment, allowed=4) for moment in (100.0, 103.0, 106.0)]

    assert growing == sorted(set(growing))
    assert pace.current(130.0, allowed=4) == pytest.approx(4 * USED)


def test_a_crowd_without_a_stated_rate_is_slowed_all_the_same():
    pace = Pace()
    pace.throttle(100.0, allowed=0)

    assert 0 < pace.current(100.0, allowed=0) <= UNSTATED / 2
    assert pace.current(200.0, allowed=0) == 0


def test_repeated_throttling_never_stops_calls_for_good():
    pace = Pace()
    for moment in range(100, 140, 2):
        pace.throttle(float(moment), allowed=4)

    assert pace.current(138.0, allowed=4) >= limiting.SLOWEST


@pytest.fixture(params=["threads", pytest.param("redis", marks=on_redis)])
def pair(request, settings, monkeypatch):
    """Two callers of one endpoint, and the waits that they recorded instead of sleeping."""
    settings.CROWD_CALLS_PER_SECOND = 5
    slept: list[float] = []
    monkeypatch.setattr(limiting.time, "sleep", slept.append)
    if request.param == "threads":
        one = ThreadLimiter()
        return one, one, slept
    return RedisLimiter(os.environ["REDIS_URL"]), RedisLimiter(os.environ["REDIS_URL"]), slept


def test_callers_share_one_pace(pair):
    one, other, slept = pair
    endpoint = f"http://crowd-{uuid.uuid4()}"

    begun = time.monotonic()
    for _ in range(5):
        one.wait(endpoint)
        other.wait(endpoint)
    elapsed = time.monotonic() - begun

    last = 9 / (5 * USED)
    assert last - elapsed - 0.01 <= (slept[-1] if slept else 0) <= last


def test_one_caller_s_throttling_slows_the_other(pair):
    one, other, slept = pair
    endpoint = f"http://crowd-{uuid.uuid4()}"

    begun = time.monotonic()
    one.throttled(endpoint)
    for _ in range(3):
        other.wait(endpoint)
    elapsed = time.monotonic() - begun

    grown = 5 * USED / 2 + 5 * (elapsed + 0.1) / limiting.RECOVERY_SECONDS
    assert slept[0] <= PAUSE_SECONDS
    assert slept[-1] >= PAUSE_SECONDS + 2 / grown - elapsed - 0.01


def test_other_endpoints_are_not_slowed(pair):
    one, _, slept = pair
    one.throttled(f"http://crowd-{uuid.uuid4()}")

    one.wait(f"http://crowd-{uuid.uuid4()}")

    assert slept == []


def test_threads_that_wait_are_let_through_at_the_rate(settings):
    settings.CROWD_CALLS_PER_SECOND = 200
    shared, endpoint, through = ThreadLimiter(), "http://crowd", []

    def call():
        shared.wait(endpoint)
        through.append(time.monotonic())

    begun = time.monotonic()
    threads = [threading.Thread(target=call) for _ in range(21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert max(through) - begun >= 20 / 200


def test_without_its_redis_a_process_keeps_its_own_pace(settings, monkeypatch):
    settings.CROWD_CALLS_PER_SECOND = 0.1
    slept: list[float] = []
    monkeypatch.setattr(limiting.time, "sleep", slept.append)
    lonely = RedisLimiter("redis://127.0.0.1:1/0")

    lonely.wait("http://crowd")
    lonely.wait("http://crowd")

    assert 5 < slept[-1] <= 1 / (0.1 * USED)
