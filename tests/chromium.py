"""Chromium for tests: one driver and one browser for each process, a window for each test."""

import asyncio
import atexit
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

from playwright.sync_api import Browser, Locator, Playwright, expect, sync_playwright

from tests import provision

#: The browser sends no requests to the outside.
ARGUMENTS = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--no-first-run"]
#: A busy machine may be slow, and no test here is about speed.
PATIENCE = 120_000  # milliseconds
expect.set_options(timeout=PATIENCE)

_shared: dict[tuple[str, ...], Browser] = {}


@contextmanager
def chromium(
    arguments: Sequence[str] = ARGUMENTS, environment: Mapping[str, str] | None = None
) -> Iterator[Browser]:
    """Start a separate Chromium, stopped at the end of the block."""
    with _playwright() as playwright:
        browser = _launch(playwright, arguments, environment)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def shared_chromium(arguments: Sequence[str] = ARGUMENTS) -> Iterator[Browser]:
    """Yield the Chromium that all tests of this process share; the block's windows are closed at its end."""
    with _playwright() as playwright:
        browser = _shared.get(tuple(arguments))
        if browser is None or not browser.is_connected():
            browser = _shared[tuple(arguments)] = _launch(playwright, arguments)
        try:
            yield browser
        finally:
            for window in browser.contexts:
                window.close()


def _launch(
    playwright: Playwright, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> Browser:
    return playwright.chromium.launch(
        executable_path=provision.chromium(),
        args=list(arguments),
        env={**os.environ, **(environment or {})},
    )


def follow(step: Locator) -> None:
    """Click a link or button that opens another page, and wait for that page, so that the test reads from it."""
    with step.page.expect_navigation():
        step.click()


@contextmanager
def _playwright() -> Iterator[Playwright]:
    """Yield Playwright, whose event loop runs in this thread only within the block.

    Django refuses queries while a loop is running and uses separate connections for it. A test without a browser
    must not be affected by an earlier one with a browser.
    """
    before = asyncio._get_running_loop()
    playwright, loop = _driver()
    asyncio._set_running_loop(loop)
    try:
        yield playwright
    finally:
        asyncio._set_running_loop(before)


@cache
def _driver() -> tuple[Playwright, asyncio.AbstractEventLoop]:
    playwright = sync_playwright().start()
    loop = asyncio.get_running_loop()

    def end() -> None:
        asyncio._set_running_loop(loop)
        for browser in _shared.values():
            browser.close()
        playwright.stop()
        asyncio._set_running_loop(None)

    atexit.register(end)
    return playwright, loop
