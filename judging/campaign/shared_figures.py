"""Figures of a campaign that several parts of a page need, computed once per page.

For instance, a dozen launch checks need the same slip rate, the same outcomes of strategies and the same comparison
of screening rules. No campaign may change while its figures are shared.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from judging.models import Campaign

Figure = TypeVar("Figure")
_known: ContextVar[dict[tuple[str, int | None], Any] | None] = ContextVar("known_figures", default=None)


@contextmanager
def figures_read_once() -> Iterator[None]:
    """Inside the block, compute each figure decorated with :func:`kept_while_reading` at most once per campaign."""
    if _known.get() is not None:  # nested in an outer block
        yield
        return
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def kept_while_reading(figure: Callable[[Campaign], Figure]) -> Callable[[Campaign], Figure]:
    """Decorate a function that only reads, so that :func:`figures_read_once` applies to it."""
    name = f"{figure.__module__}.{figure.__qualname__}"

    @wraps(figure)
    def once(campaign: Campaign) -> Figure:
        known = _known.get()
        if known is None:
            return figure(campaign)
        key = (name, campaign.pk)
        if key not in known:
            known[key] = figure(campaign)
        found: Figure = known[key]
        return found

    return once
