"""Runs several calls to a crowd at once, because each call spends most of its time waiting for the reply."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

from django.conf import settings
from django.db import connections

Item = TypeVar("Item")


def call_each(items: Iterable[Item], act: Callable[[Item], None]) -> Generator[Future[None]]:
    """Run ``act`` for every item, ``CROWD_CALLS_AT_ONCE`` at a time. Yield the future of each call that is done.

    When the caller stops iterating, running calls are completed and no others start. The limiter still controls the
    overall rate of calls.
    """
    if settings.CROWD_CALLS_AT_ONCE <= 1:
        yield from (_call_here(act, item) for item in items)
        return
    left = iter(items)
    with ThreadPoolExecutor(settings.CROWD_CALLS_AT_ONCE, thread_name_prefix="crowd") as pool:
        under_way: set[Future[None]] = set()
        while True:
            free = settings.CROWD_CALLS_AT_ONCE - len(under_way)
            under_way |= {pool.submit(_call_in_thread, act, item) for item in islice(left, free)}
            if not under_way:
                return
            over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from over


def _call_here(act: Callable[[Item], None], item: Item) -> Future[None]:
    """Run the call in this thread and return a finished future, as a thread pool would."""
    done: Future[None] = Future()
    try:
        act(item)
        done.set_result(None)
    except Exception as error:  # raised when the caller asks for the result
        done.set_exception(error)
    return done


def _call_in_thread(act: Callable[[Item], None], item: Item) -> None:
    """Run the call in a thread, then close the thread's own database connections."""
    try:
        act(item)
    finally:
        connections.close_all()
