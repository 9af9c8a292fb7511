"""Whose places simulated workers take."""

from __future__ import annotations

from types import SimpleNamespace

from judging import simulation
from judging.models import Campaign, Posting
from judging.services.campaigns import pause, resume
from judging.services.places import post_places
from judging.simulation import SimulatedWorker, SimulationSettings
from judging.tokens import link_for


class Browsing:
    """A browser to which one place after the other is offered."""

    def __init__(self, *addresses: str) -> None:
        self.left = [SimpleNamespace(frame_address=address) for address in addresses]
        self.given_back: list[str] = []

    def take(self, kind_id: str) -> SimpleNamespace | None:
        return self.left.pop(0) if self.left else None

    def give_back(self, task: SimpleNamespace) -> None:
        self.given_back.append(task.frame_address)


def test_a_place_of_another_campaign_is_given_back_unopened(fair, monkeypatch):
    campaign = fair.opened()
    other = Campaign.objects.create(name="other", collection=campaign.collection, seed=1)
    ours = link_for(campaign.postings.get()) + "?assignmentId=A1"
    theirs = link_for(Posting.objects.create(campaign=other, number=1)) + "?assignmentId=A2"
    worker = SimulatedWorker(0, SimulationSettings(), campaign, truth=None)
    worker.browser = Browsing(ours, theirs, "https://elsewhere.example/judge/x:y/")
    done = []
    monkeypatch.setattr(worker, "_do", lambda address: done.append(address) or True)

    assert worker.work(["KIND"]) == 1
    assert worker.work(["KIND"]) == 0

    assert done == [ours]
    assert worker.browser.given_back == [theirs, "https://elsewhere.example/judge/x:y/"]


def test_places_of_before_a_short_pause_are_found(fair):
    campaign = fair.opened()
    before = campaign.postings.get().crowd_key
    pause(campaign)
    resume(campaign)
    assert post_places(campaign) == 0  # no place was closed meanwhile, so that none is lacking

    assert before
    assert simulation._kinds(campaign) == [before]
