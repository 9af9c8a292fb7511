"""Simulated people for benchmarks/serve.py. Many work at once over HTTP/1.1 on one event loop, with little CPU time.

Each person keeps one connection open like a browser, loads the real pages, follows their redirects and posts their
forms. Every unexpected response and everything that the server acknowledges is recorded.
"""

from __future__ import annotations

import asyncio
import html
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from config import clock
from config.process import launcher
from judging.crowds.arrival import SIGNATURE
from marketplace.protocol.arrival_signature import sign

SLOTS = re.compile(r'data-slot="(\d+)"')
SIDES = re.compile(r'<div class="passage"[^>]*>(.*?)</div>', re.S)
SAVE = re.compile(r'data-save="([^"]+)"')
FINISH = re.compile(r'id="task" method="post" action="([^"]+)"')
CONSENT = re.compile(r'<form method="post" action="([^"]+/consent)"')
OFF_TOPIC = "off the topic"
#: Time limit for one response.
ANSWER_SECONDS = 60.0


@dataclass
class Seen:
    """The observations of all people: seconds by kind of request, number of each error, and acknowledged work."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    #: (assignment, slot) → side, as acknowledged by the server.
    saved: dict[tuple[str, int], str] = field(default_factory=dict)
    #: Assignment → time at which the server acknowledged its submission.
    finished: dict[str, float] = field(default_factory=dict)
    taken: int = 0
    #: None until the warm-up is over.
    warm: Warm | None = None


@dataclass(frozen=True)
class Warm:
    """The state at the end of the warm-up: the time, tasks and choices until then, and the processor time used."""

    at: float
    tasks: int
    saves: int
    processor: float


def arrival(assignment: str, place: str, worker: str) -> dict[str, str]:
    """Return the parameters with which the marketplace sends a worker, signed by this installation's requester."""
    _, secret_key = launcher.crowd_keys()
    ids = {"assignment_id": assignment, "hit_id": place, "worker_id": worker}
    signature = sign([secret_key], taken_at=clock.now(), **ids)
    return {"assignmentId": assignment, "hitId": place, "workerId": worker, SIGNATURE: signature}


class Failed(Exception):
    """An unexpected response."""


class GoneHome(Exception):
    """The person has reached the task limit."""


class NothingLeft(Exception):
    """Every place of the campaign is taken."""


class Line:
    """One persistent connection to the server."""

    def __init__(self, site: str) -> None:
        self.place = urlsplit(site)
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Return (status, location, body); reopen the connection once if the server has closed it."""
        body = urlencode(form or {}).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.place.netloc}\r\nContent-Length: {len(body)}\r\n"
        if form is not None:
            head += "Content-Type: application/x-www-form-urlencoded\r\n"
        for attempt in range(2):
            fresh = self.streams is None
            try:
                reader, writer = self.streams or await asyncio.open_connection(
                    self.place.hostname, self.place.port
                )
                self.streams = reader, writer
                writer.write(head.encode() + b"\r\n" + body)
                # Python 3.11's wait_for() swallows a cancellation that arrives together with the response. The person
                # would then continue forever after the end of the shift.
                async with asyncio.timeout(ANSWER_SECONDS):
                    return await self._answer(reader)
            except (OSError, asyncio.IncompleteReadError):
                await self.close()
                if fresh or attempt:
                    raise
        raise AssertionError

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[int, str, str]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])
        }
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        if fields.get("connection", "").lower() == "close":
            await self.close()
        return int(head[0].split()[1]), fields.get("location", ""), body.decode()

    async def close(self) -> None:
        if self.streams:
            self.streams[1].close()
        self.streams = None


class Person:
    """A worker who takes tasks and judges them, with ``pause`` seconds between any two requests."""

    def __init__(self, name: str, site: str, seen: Seen, *, pause: float, rng: random.Random) -> None:
        self.name, self.seen, self.pause, self.rng = name, seen, pause, rng
        self.line = Line(site)

    async def request(
        self, kind: str, method: str, path: str, form: dict[str, str] | None = None, *, expect: int = 200
    ) -> tuple[str, str]:
        """Return (location, body) of a response with the expected status; records its time under ``kind``."""
        started = time.perf_counter()
        status, location, body = await self.line.send(method, path, form)
        self.seen.seconds[kind].append(time.perf_counter() - started)
        if status != expect:
            reason = re.search(r'data-reason="([^"]+)"', body)
            if reason and reason.group(1) == "enough-tasks":
                raise GoneHome
            raise Failed(f"{kind}: HTTP {status} {reason.group(1) if reason else ''}".strip())
        return location, body

    async def think(self) -> None:
        """Wait for the person's reading time."""
        if self.pause:
            await asyncio.sleep(self.pause * self.rng.uniform(0.8, 1.2))

    async def open(self, link: str, assignment: str, place: str) -> str:
        """Take the task of an assignment and accept the consent text; returns the page with the pairs."""
        who = arrival(assignment, place, self.name)
        location, _ = await self.request("take", "GET", f"{link}?{urlencode(who)}", expect=302)
        self.seen.taken += 1
        _, body = await self.request("page", "GET", location)
        await self.think()
        if form := CONSENT.search(body):
            location, _ = await self.request("consent", "POST", form.group(1), {}, expect=302)
            _, body = await self.request("page", "GET", location)
        return body

    async def do_task(self, link: str, assignment: str, place: str, *, forms: bool = False) -> None:
        """Do a whole task, from the first page to the last; with ``forms``, all choices are sent at the end."""
        body = await self.open(link, assignment, place)
        save, finish = SAVE.search(body), FINISH.search(body)
        if not (save and finish):
            raise Failed("the page shows no task")
        sides = [html.unescape(text) for text in SIDES.findall(body)]
        numbers = [int(number) for number in SLOTS.findall(body)]
        chosen: dict[str, str] = {}
        for number, left, right in zip(numbers, sides[::2], sides[1::2], strict=True):
            await self.think()
            side = self.choose(left, right)
            chosen[f"choice-{number}"] = side
            if forms:
                continue
            form = {"slot": str(number), "sequence": "0", "side": side, "seconds": "5.00"}
            _, reply = await self.request("save", "POST", save.group(1), form)
            if '"saved": true' not in reply:
                raise Failed(f"save: {reply[:60]}")
            self.seen.saved[assignment, number] = side
        await self.think()
        form = {"comment": "", **(chosen if forms else {})}
        location, _ = await self.request("finish", "POST", finish.group(1), form, expect=302)
        self.seen.saved |= {(assignment, number): chosen[f"choice-{number}"] for number in numbers}
        self.seen.finished[assignment] = time.perf_counter()
        await self.request("page", "GET", location)

    def choose(self, left: str, right: str) -> str:
        """Choose a random side, but never a passage that is clearly off topic."""
        if OFF_TOPIC in left or OFF_TOPIC in right:
            return "left" if OFF_TOPIC in right else "right"
        return self.rng.choice(["left", "right"])


@dataclass(frozen=True)
class Shift:
    """The conditions of one measurement: the site, the campaign's link, the people, their pace and the end."""

    site: str
    link: str
    people: int
    pause: float = 0.0
    #: People arrive evenly over this many seconds.
    arrive_over: float = 0.0
    #: After this many seconds, or if no place is left, nobody sends another request; running tasks stay unfinished.
    seconds: float = 600.0
    tasks_each: int = 1000
    #: Whether all choices of a task are sent with its form, as without scripts.
    forms: bool = False
    #: The warm-up in seconds, which is not measured: after it, people are spread over all steps of a task.
    warm_up: float = 0.0
    #: A function that returns the processor time used so far, in seconds.
    processor: Callable[[], float] = float


def work(shift: Shift, name: str, next_place: Callable[[], str]) -> tuple[Seen, float]:
    """Let all people work concurrently; return their observations and the seconds since the warm-up."""
    return asyncio.run(_work(shift, name, next_place))


async def _work(shift: Shift, name: str, next_place: Callable[[], str]) -> tuple[Seen, float]:
    seen, started, over = Seen(), time.perf_counter(), asyncio.Event()

    async def one(number: int) -> None:
        person = Person(
            f"A{name}{number:04}", shift.site, seen, pause=shift.pause, rng=random.Random(f"{name}{number}")
        )
        await asyncio.sleep(shift.arrive_over * number / shift.people)
        try:
            for task in range(shift.tasks_each):
                await person.do_task(
                    shift.link, f"{name}{number:04}X{task:04}", next_place(), forms=shift.forms
                )
                await person.think()
        except GoneHome:
            pass
        except NothingLeft:
            over.set()
        except (Failed, OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            seen.errors[f"{type(error).__name__}: {error}"[:120]] += 1
        finally:
            await person.line.close()

    async def measure() -> None:
        await asyncio.sleep(shift.warm_up)
        seen.seconds.clear()
        seen.warm = Warm(time.perf_counter(), len(seen.finished), len(seen.saved), shift.processor())

    warming = asyncio.create_task(measure())
    everybody = [asyncio.create_task(one(number)) for number in range(shift.people)]
    ends = [asyncio.create_task(asyncio.wait(everybody)), asyncio.create_task(over.wait())]
    await asyncio.wait(ends, timeout=shift.seconds, return_when=asyncio.FIRST_COMPLETED)
    since = seen.warm.at if seen.warm else started
    seconds = time.perf_counter() - since
    for task in (warming, *ends, *everybody):
        task.cancel()
    await asyncio.gather(*everybody, return_exceptions=True)
    return seen, seconds
