"""One rate limiter for every process that calls the same crowd.

A caller reserves the next free moment and waits for it, so calls are evenly spaced without bursts or idle time. A
"throttled" reply halves the rate and pauses all callers; the rate then grows back (additive increase, multiplicative
decrease: Chiu and Jain, 1989). Redis has the clock and the state for all machines. Without Redis, only the threads of
one process share a limiter.
"""

import functools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import redis
from django.conf import settings
from redis.exceptions import RedisError

#: Share of the allowed rate to use, which leaves room for small differences between two clocks.
USED = 0.985
#: Allowed rate, in calls a second, that is assumed once a crowd without a configured rate throttles a call.
UNSTATED = 20.0
#: The slowest rate, in calls a second.
SLOWEST = 0.2
#: Seconds in which the rate grows from zero to the allowed rate.
RECOVERY_SECONDS = 20.0
#: Seconds for which all callers pause after a throttling reply. Further such replies in this time change nothing.
PAUSE_SECONDS = 1.0


@dataclass
class Pace:
    """The state of one endpoint: the time of the next free moment, and the current rate.

    A ``rate`` of 0 means that calls are made at the allowed rate.
    """

    next_at: float = 0.0
    rate: float = 0.0
    rate_at: float = 0.0
    throttled_at: float = 0.0

    def reserve(self, now: float, allowed: float) -> float:
        """Reserve the next free moment, and return the seconds until then."""
        rate = self.current(now, allowed)
        at = max(self.next_at, now)
        self.next_at = at + (1 / rate if rate else 0)
        return at - now

    def current(self, now: float, allowed: float) -> float:
        """Return the current rate in calls a second, or 0 for no limit."""
        if not self.rate:
            return allowed * USED
        most = allowed or UNSTATED
        self.rate += (now - self.rate_at) * most / RECOVERY_SECONDS
        self.rate_at = now
        if self.rate >= most:
            self.rate = 0.0
            return allowed * USED
        return self.rate

    def throttle(self, now: float, allowed: float) -> None:
        """Halve the rate and pause. Further throttling replies during the pause change nothing."""
        if now - self.throttled_at < PAUSE_SECONDS:
            return
        before = self.current(now, allowed) or UNSTATED
        self.rate, self.rate_at, self.throttled_at = max(before / 2, SLOWEST), now, now
        self.next_at = max(self.next_at, now + PAUSE_SECONDS)


class Limiter(Protocol):
    """The interface of a rate limiter, which limits the calls to each endpoint separately."""

    def wait(self, endpoint: str) -> None:
        """Wait until the next call to the endpoint can be made."""

    def throttled(self, endpoint: str) -> None:
        """Lower the rate of calls to the endpoint, because the crowd throttled one."""


class ThreadLimiter:
    """A limiter for the threads of this process. ``now`` and ``sleep`` default to the machine's clock."""

    def __init__(
        self, *, now: Callable[[], float] | None = None, sleep: Callable[[float], None] | None = None
    ) -> None:
        self._now = now or time.monotonic
        self._sleep = sleep or time.sleep
        self._lock = threading.Lock()
        self._paces: dict[str, Pace] = {}

    def wait(self, endpoint: str) -> None:
        """Wait until the next call to the endpoint can be made."""
        with self._lock:
            seconds = self._pace(endpoint).reserve(self._now(), _allowed())
        if seconds > 0:
            self._sleep(seconds)

    def throttled(self, endpoint: str) -> None:
        """Lower the rate of calls to the endpoint, because the crowd throttled one."""
        with self._lock:
            self._pace(endpoint).throttle(self._now(), _allowed())

    def _pace(self, endpoint: str) -> Pace:
        return self._paces.setdefault(endpoint, Pace())


class RedisLimiter:
    """A limiter for all processes that use the same Redis. It computes as :class:`Pace` does, by Redis's clock."""

    def __init__(self, url: str) -> None:
        client = redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)
        self._reserve = client.register_script(_PACE + _RESERVE)
        self._throttle = client.register_script(_PACE + _THROTTLE)
        self._without = ThreadLimiter()

    def wait(self, endpoint: str) -> None:
        """Wait until the next call to the endpoint can be made."""
        try:
            microseconds = int(self._run(self._reserve, endpoint))
        except RedisError:
            self._without.wait(endpoint)  # Redis is briefly unavailable: limit this process alone
            return
        if microseconds > 0:
            time.sleep(microseconds / 1e6)

    def throttled(self, endpoint: str) -> None:
        """Lower the rate of calls to the endpoint, because the crowd throttled one."""
        try:
            self._run(self._throttle, endpoint)
        except RedisError:
            self._without.throttled(endpoint)

    def _run(self, script: redis.commands.core.Script, endpoint: str) -> int:
        numbers = [_allowed(), USED, UNSTATED, SLOWEST, RECOVERY_SECONDS, PAUSE_SECONDS]
        reply: int = script(keys=[f"preferee:pace:{endpoint}"], args=numbers)
        return reply


# Redis runs one script at a time, so reading and writing the state is one step. Script replies are whole numbers, so
# times are in microseconds.
_PACE = """
local allowed, used, unstated = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local slowest, recovery, pause = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
local kept = redis.call('HMGET', KEYS[1], 'next_at', 'rate', 'rate_at', 'throttled_at')
local next_at, rate = tonumber(kept[1] or 0), tonumber(kept[2] or 0)
local rate_at, throttled_at = tonumber(kept[3] or 0), tonumber(kept[4] or 0)
local function current()
  if rate == 0 then return allowed * used end
  local most = allowed
  if most == 0 then most = unstated end
  rate = rate + (now - rate_at) * most / recovery
  rate_at = now
  if rate >= most then
    rate = 0
    return allowed * used
  end
  return rate
end
local function keep()
  local function text(number) return string.format('%.6f', number) end
  redis.call('HSET', KEYS[1], 'next_at', text(next_at), 'rate', text(rate),
    'rate_at', text(rate_at), 'throttled_at', text(throttled_at))
  redis.call('EXPIRE', KEYS[1], 3600)
end
"""
_RESERVE = """
local at = math.max(next_at, now)
local speed = current()
next_at = at
if speed > 0 then next_at = at + 1 / speed end
keep()
return math.floor((at - now) * 1e6)
"""
_THROTTLE = """
if now - throttled_at >= pause then
  local before = current()
  if before == 0 then before = unstated end
  rate = math.max(before / 2, slowest)
  rate_at, throttled_at = now, now
  next_at = math.max(next_at, now + pause)
  keep()
end
return 0
"""


def limiter() -> Limiter:
    return _limiter(settings.REDIS_URL)


@functools.lru_cache(maxsize=4)
def _limiter(redis_url: str) -> Limiter:
    return RedisLimiter(redis_url) if redis_url else ThreadLimiter()


def _allowed() -> float:
    return float(settings.CROWD_CALLS_PER_SECOND)
