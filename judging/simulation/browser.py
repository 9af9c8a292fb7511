"""The browser of a simulated worker, which reads pages, submits forms, and sends cookies only to the crowd's site."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

import urllib3
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from judging.errors import JudgingError

_POOL = urllib3.PoolManager(
    maxsize=64, retries=urllib3.Retry(connect=3, read=False, redirect=0, backoff_factor=0.2), timeout=30
)

#: The number of tries for each request. Both sites handle a repeated request like a single one.
_TRIES = 3


def hang_up() -> None:
    """Close the connections that all browsers share. Call it when no browser is in use anymore."""
    _POOL.clear()


class BrowsingFailed(JudgingError):
    """An error for a page that did not respond as expected."""


@dataclass
class Element:
    """An HTML element with the text inside it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


class _Reader(HTMLParser):
    """A parser that collects a page's elements in document order, each with the text inside it."""

    VOID = frozenset({"input", "meta", "link", "br", "img", "hr"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in self.VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data


def parse_page(html: str) -> list[Element]:
    """Return the elements of a page, in document order."""
    reader = _Reader()
    reader.feed(html)
    return reader.elements


@dataclass
class Page:
    """One pair as the page shows it. In a graded campaign, the single passage is on both sides."""

    number: int
    question: str = ""
    left: str = ""
    right: str = ""
    chosen: bool = False


@dataclass
class TaskPage:
    """The judging page of a task: its pairs and the URLs to save and finish, or the reason for a refusal."""

    refusal: str = ""
    save: str = ""
    finish: str = ""
    pairs: list[Page] = field(default_factory=list)


@dataclass(frozen=True)
class Taken:
    """A place that the worker took: the URL of the crowd's page about it, and the URL in that page's frame."""

    address: str
    frame_address: str


class Browser:
    """The browser of one simulated worker, who is signed in at the crowd's site and anonymous everywhere else."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.cookies: dict[str, str] = {}

    def sign_up(self, name: str, password: str, *, program: bool = False) -> str:
        """Create an account at the crowd's site and return its worker id.

        With ``program``, the account is declared as a program's, which is never paid.
        """
        page = self._get(f"{self.site}/signup/")
        if page.status == 403:
            raise BrowsingFailed(
                f"Sign-up is closed at {self.site}, so simulated workers cannot sign up.",
                "Set MARKETPLACE_OPEN_SIGNUP=yes there during the simulation, or simulate elsewhere.",
            )
        form = self._form(page, "signup-form")
        filled = {key: password if "password" in key else value for key, value in form.items()}
        filled["username"] = name
        if program:
            filled["program"] = "yes"
        home = self._post(f"{self.site}/signup/", filled)
        ids = [
            element.text.strip() for element in home.elements if element.attributes.get("id") == "worker-id"
        ]
        if not ids:
            raise BrowsingFailed(
                "The marketplace rejected a simulated worker's sign-up.", "Check that sign-up is open there."
            )
        return ids[0]

    def take(self, kind_id: str) -> Taken | None:
        """Take an open place in this group of tasks at the crowd's site. Returns None if there is none."""
        page = self._post(f"{self.site}/groups/{kind_id}/take/", self._proof())
        for element in page.elements:
            if element.attributes.get("id") == "task-frame":
                return Taken(page.address, element.attributes["src"])
        return None

    def give_back(self, task: Taken) -> None:
        self._post(f"{task.address.rstrip('/')}/return/", self._proof() | {"confirmed": "yes"})

    def open_task(self, frame_address: str) -> TaskPage:
        """Load the judging page, and agree to the consent text if it is shown."""
        page = self._get(frame_address)
        if form := [element for element in page.elements if element.tag == "form"]:
            action = urljoin(page.address, form[0].attributes.get("action", ""))
            if action.endswith("/consent"):
                ticked = [one.attributes for one in page.elements if one.attributes.get("type") == "checkbox"]
                page = self._post(action, {one["name"]: one["value"] for one in ticked})
        return _task_page(page)

    def choose(self, task: TaskPage, number: int, side: str) -> None:
        """Save one choice, as the page's script does."""
        fields = {"slot": str(number), "sequence": "0", "side": side, "seconds": "10.0"}
        page = self._post(task.save, fields)
        if page.status != 200:
            raise BrowsingFailed(f"A choice was not saved: {page.html[:200]}")

    def send_off(self, task: TaskPage, sides: dict[int, str]) -> None:
        """Finish the task, with ``sides`` for choices not saved yet, and submit the crowd's form."""
        choices = {f"choice-{number}": side for number, side in sides.items()}
        page = self._post(task.finish, {"comment": "", **choices})
        form = next((one for one in page.elements if one.attributes.get("id") == "crowd"), None)
        if form is None:
            raise BrowsingFailed(f"The task could not be submitted (HTTP {page.status}).")
        fields = {
            one.attributes["name"]: one.attributes.get("value", "")
            for one in page.elements
            if one.tag == "input" and one.attributes.get("type") == "hidden"
        }
        answer = self._post(form.attributes["action"], fields, signed_in=False)
        if answer.status != 200:
            raise BrowsingFailed(f"The crowd did not accept a task (HTTP {answer.status}).")

    def _proof(self) -> dict[str, str]:
        """Return the field that proves that a form comes from the crowd site's own page."""
        return {
            "csrfmiddlewaretoken": next((value for name, value in self.cookies.items() if "csrf" in name), "")
        }

    def _form(self, page: _Fetched, form_id: str) -> dict[str, str]:
        """Return names and values of the page's input fields. Raises BrowsingFailed if it does not have this form."""
        if not any(element.attributes.get("id") == form_id for element in page.elements):
            raise BrowsingFailed(f"The page {page.address} has no form {form_id}.")
        return {
            element.attributes["name"]: element.attributes.get("value", "")
            for element in page.elements
            if element.tag == "input" and element.attributes.get("name")
        }

    def _get(self, address: str) -> _Fetched:
        return self._fetch("GET", address, None, True)

    def _post(self, address: str, fields: dict[str, str], *, signed_in: bool = True) -> _Fetched:
        return self._fetch("POST", address, urlencode(fields), signed_in)

    def _fetch(self, method: str, address: str, body: str | None, signed_in: bool) -> _Fetched:
        """Send a request and follow its redirects. Cookies are sent only to the crowd's site."""
        for _ in range(6):
            at_crowd = address.startswith(f"{self.site}/")
            headers = {}
            if at_crowd and signed_in:
                headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
                headers["Referer"] = f"{self.site}/"
            if body is not None:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
            reply = _send_request(method, address, body, headers)
            if at_crowd and signed_in:
                self._keep_cookies(reply.headers.getlist("Set-Cookie"))
            if reply.status not in (301, 302, 303):
                return _Fetched(address, reply.status, reply.data.decode("utf-8", "replace"))
            address, method, body = urljoin(address, reply.headers["Location"]), "GET", None
        raise BrowsingFailed(f"{urlsplit(address).path} redirects too often.")

    def _keep_cookies(self, lines: list[str]) -> None:
        for line in lines:
            if found := re.match(r"([^=;,\s]+)=([^;]*)", line):
                self.cookies[found.group(1)] = found.group(2)


@dataclass(frozen=True)
class _Fetched:
    """A fetched page, which is parsed when its elements are requested."""

    address: str
    status: int
    html: str

    @property
    def elements(self) -> list[Element]:
        return parse_page(self.html)


def _send_request(
    method: str, address: str, body: str | None, headers: dict[str, str]
) -> urllib3.BaseHTTPResponse:
    """Send one request. As a browser does, try again if the connection was closed or no response came."""
    for _ in range(_TRIES - 1):
        with suppress(ProtocolError, ReadTimeoutError):
            return _POOL.request(method, address, body=body, headers=headers, redirect=False)
    return _POOL.request(method, address, body=body, headers=headers, redirect=False)


def _task_page(page: _Fetched) -> TaskPage:
    task = TaskPage()
    for element in page.elements:
        attributes, classes = element.attributes, element.attributes.get("class", "").split()
        if attributes.get("data-reason"):
            task.refusal = attributes["data-reason"]
        if attributes.get("id") == "task":
            task.save = urljoin(page.address, attributes["data-save"])
            task.finish = urljoin(page.address, attributes["action"])
        if element.tag == "section" and attributes.get("data-slot"):
            task.pairs.append(Page(int(attributes["data-slot"])))
        elif task.pairs and "question" in classes:
            task.pairs[-1].question = element.text
        elif task.pairs and "passage" in classes:
            pair = task.pairs[-1]
            pair.left, pair.right = pair.left or element.text, element.text
        elif task.pairs and "checked" in attributes and attributes.get("name", "").startswith("choice-"):
            task.pairs[-1].chosen = True
    if not task.pairs and not task.refusal:
        task.refusal = f"http-{page.status}"
    return task
