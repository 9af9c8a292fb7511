"""A participant of the panel with a browser (Django's client), who follows a link and returns with a code."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

from django.test import Client

from judging.models import Slot, Submission
from judging.simulation.browser import parse_page
from tests.judging.cast import good_side
from tests.judging.visitor import text
from tests.panel.panel import Panel


def participant_id(name: str) -> str:
    """Return the panel's id of a participant."""
    return hashlib.sha256(name.encode()).hexdigest()[:24]


class Participant:
    """A person who took a place of a study, with a browser without cookies."""

    def __init__(self, panel: Panel, name: str, study: str) -> None:
        self.panel = panel
        self.id = participant_id(name)
        self.session, self.address = panel.start(self.id, study)
        self.client = Client(enforce_csrf_checks=True)
        self.page = ""

    def arrive(self):
        """Follow the study's link to the participant's own page."""
        parts = urlsplit(self.address)
        response = self.client.get(f"{parts.path}?{parts.query}")
        if response.status_code != 302:
            return response
        self.page = response["Location"]
        return self.client.get(self.page)

    def begin(self):
        """Arrive and consent; returns the page with the pairs."""
        assert "Before you begin" in text(self.arrive())
        return self.client.post(f"{self.page}consent", follow=True)

    @property
    def submission(self) -> Submission:
        return Submission.objects.get(assignment_id=self.session)

    def slots(self) -> list[Slot]:
        slots = Slot.objects.filter(submission=self.submission).select_related("gold_pair")
        return list(slots.order_by("number"))

    def judge(self, *, pass_gold: bool = True, only: int | None = None) -> None:
        """Choose in every pair (in the first ``only``); each choice is saved at once."""
        for slot in self.slots()[:only]:
            fields = {"slot": slot.number, "side": good_side(slot, pass_gold), "sequence": 0, "seconds": "4"}
            assert self.client.post(f"{self.page}save", fields).json() == {"saved": True}

    def finish(self):
        """Submit the task; returns the last page."""
        return self.client.post(f"{self.page}finish", {"comment": ""}, follow=True)

    def leave(self):
        """Stop at this pair; returns the last page."""
        assert "confirmed" in text(self.client.post(f"{self.page}leave"))
        return self.client.post(f"{self.page}leave", {"confirmed": "yes"}, follow=True)

    def come_back(self, last_page) -> str:
        """Follow the last page's link back to the panel; returns the address."""
        steps = [one for one in parse_page(text(last_page)) if one.attributes.get("id") == "crowd"]
        assert [one.tag for one in steps] == ["a"]
        address = str(steps[0].attributes["href"])
        self.panel.come_back(self.session, address)
        return address

    def do_task(self, *, pass_gold: bool = True) -> Participant:
        """Do a whole task, from arriving to returning to the panel."""
        self.begin()
        self.judge(pass_gold=pass_gold)
        self.come_back(self.finish())
        return self
