"""Calls to a crowd that is far away: several under way at once, since each waits for its reply most of its time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

from django.conf import settings
from django.db import connections

Item = TypeVar("Item")


def each(items: Iterable[Item], act: Callable[[Item], None]) -> Generator[Future[None]]:
    """Do ``act`` for every item, ``CROWD_CALLS_AT_ONCE`` at a time; yields each as it is over.

    Whoever stops asking for more stops it: what is under way is waited for, nothing else is begun. The rate of all
    calls is the limiter's affair, which lets one through after the other whatever their number.
    """
    if settings.CROWD_CALLS_AT_ONCE <= 1:
        yield from (_over(act, item) for item in items)
        return
    left = iter(items)
    with ThreadPoolExecutor(settings.CROWD_CALLS_AT_ONCE, thread_name_prefix="crowd") as pool:
        under_way: set[Future[None]] = set()
        while True:
            free = settings.CROWD_CALLS_AT_ONCE - len(under_way)
            under_way |= {pool.submit(_and_hang_up, act, item) for item in islice(left, free)}
            if not under_way:
                return
            over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from over


def _over(act: Callable[[Item], None], item: Item) -> Future[None]:
    """What a thread would leave, done here."""
    done: Future[None] = Future()
    try:
        act(item)
        done.set_result(None)
    except Exception as error:  # whoever asks for the result gets it
        done.set_exception(error)
    return done


def _and_hang_up(act: Callable[[Item], None], item: Item) -> None:
    """A thread's database connections are its own, and nobody else would close them."""
    try:
        act(item)
    finally:
        connections.close_all()
