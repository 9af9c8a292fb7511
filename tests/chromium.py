"""Chromium for tests: one driver and one browser for each process, a window for each test."""

import asyncio
import atexit
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

from playwright.sync_api import Browser, Locator, Playwright, expect, sync_playwright

from tests import provision

#: The browser asks nobody outside for anything.
ARGUMENTS = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--no-first-run"]
#: A machine that does something else as well may take its time; no test here is about speed.
PATIENCE = 120_000  # milliseconds
expect.set_options(timeout=PATIENCE)

_shared: dict[tuple[str, ...], Browser] = {}


@contextmanager
def chromium(
    arguments: Sequence[str] = ARGUMENTS, environment: Mapping[str, str] | None = None
) -> Iterator[Browser]:
    """A Chromium of our own, ended with the block."""
    with _playwright() as playwright:
        browser = _launch(playwright, arguments, environment)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def shared_chromium(arguments: Sequence[str] = ARGUMENTS) -> Iterator[Browser]:
    """The Chromium that all tests of this process share; the windows of the block are closed with it."""
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
    """Click what leads to another page, and wait until that page is there: what is read next is read from it."""
    with step.page.expect_navigation():
        step.click()


@contextmanager
def _playwright() -> Iterator[Playwright]:
    """Playwright, whose event loop is running in this thread within the block only.

    Django refuses queries beside a running loop and keeps connections apart for it; tests without a browser
    must not notice that one with a browser came before them.
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
