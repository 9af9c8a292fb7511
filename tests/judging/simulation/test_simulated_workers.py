"""Simulated workers take places of their own campaign only."""

from __future__ import annotations

from types import SimpleNamespace

from judging.campaign.campaigns import pause, resume
from judging.campaign.screening_forecast import slips_of
from judging.exchange.tokens import link_for
from judging.intake.places import post_places
from judging.management.commands.simulate_workers import simulation_settings, slips_told
from judging.models import Campaign, Posting
from judging.simulation import workers
from judging.simulation.workers import SimulatedWorker, SimulationSettings


def test_honest_simulated_workers_slip_as_the_forecast_expects_and_say_so(fair):
    campaign = fair.draft()
    asked = {"workers": 5, "careless": 0, "error": 0.1, "gold_error": None, "seed": 1}

    settings = simulation_settings(asked, campaign)

    assert settings.gold_error == round(slips_of(campaign).expected, 4)
    assert round(SimulationSettings().gold_error, 4) == settings.gold_error
    told = slips_told(settings, campaign)
    assert "miss 0.22% of obvious pairs; the forecast expects 0.22% (assumed; a pilot measures it)" in told


class Browsing:
    """A browser that is offered one place after another."""

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
    assert post_places(campaign) == 0  # no place was closed, so none is lacking

    assert before
    assert workers._kinds(campaign) == [before]
