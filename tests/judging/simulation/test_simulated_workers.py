"""Simulated workers take only places of their own campaign."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from judging.campaign.campaigns import pause, resume
from judging.campaign.screening_forecast import slips_of
from judging.errors import CampaignRefused, JudgingError
from judging.exchange.link_tokens import link_for
from judging.intake.collection import Collected
from judging.intake.places import post_places
from judging.management.commands.simulate_workers import simulation_settings, slips_told
from judging.models import Campaign, Posting
from judging.simulation import simulated_workers
from judging.simulation.simulated_workers import SimulatedWorker, SimulationSettings
from pooling.models import QrelSet


def test_honest_simulated_workers_slip_as_the_forecast_expects_and_say_so(fair):
    campaign = fair.draft()
    asked = {"workers": 5, "careless": 0, "error": 0.1, "gold_error": None, "seed": 1}

    settings = simulation_settings(asked, campaign)

    assert settings.gold_error == round(slips_of(campaign).expected, 4)
    assert round(SimulationSettings().gold_error, 4) == settings.gold_error
    told = slips_told(settings, campaign)
    assert "miss 0.22% of obvious pairs; the forecast expects 0.22% (assumed; a pilot measures it)" in told


def test_slips_in_graded_campaigns_are_grades_on_the_wrong_side(fair):
    campaign = fair.draft()
    campaign.grades = 4

    told = slips_told(SimulationSettings(gold_error=0.05), campaign)

    assert "give 5% of passages a grade on the wrong side of the lowest relevant grade; the forecast" in told
    assert "pair" not in told


def test_a_draft_is_refused_because_it_is_not_launched_yet(fair):
    campaign = fair.draft()

    with pytest.raises(CampaignRefused) as refused:
        simulated_workers.simulate_workers(campaign, QrelSet(), SimulationSettings())

    assert refused.value.message == f"The campaign {campaign.name} has not been launched yet."
    assert str(refused.value.next_step) == f"Launch it first: manage.py launch_campaign {campaign.name}"


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
    assert simulated_workers._offered_kinds(campaign) == [before]


@pytest.fixture
def crowd_of_refused(fair, monkeypatch):
    """A launched campaign whose first three workers can do nothing more; those who come later do all of it."""
    crew_sizes = []

    def everybody(campaign, crew, pool, tell):
        crew_sizes.append(len(crew))
        return int(len(crew) > 3)

    monkeypatch.setattr(simulated_workers, "_work_one_round", everybody)
    monkeypatch.setattr(simulated_workers, "_all_done", lambda campaign: max(crew_sizes, default=0) > 3)
    monkeypatch.setattr(
        simulated_workers,
        "_sign_up",
        lambda campaign, settings, truth, numbers, *told: [SimpleNamespace(stopped="") for _ in numbers],
    )
    monkeypatch.setattr(simulated_workers, "_collect_and_wait", lambda *given, **options: None)
    monkeypatch.setattr(simulated_workers, "Truth", lambda *given: None)
    monkeypatch.setattr(simulated_workers.time, "sleep", lambda seconds: None)
    return fair.opened(), crew_sizes


def test_new_workers_come_for_what_the_first_ones_cannot_do(crowd_of_refused):
    campaign, crew_sizes = crowd_of_refused

    done = simulated_workers._simulate(campaign, None, SimulationSettings(workers=3), None)

    assert crew_sizes == [3] * simulated_workers.IDLE_ROUNDS + [6]
    assert (done.tasks, done.recruited) == (1, 3)


def test_there_is_an_end_to_new_workers(crowd_of_refused, monkeypatch):
    campaign, _ = crowd_of_refused
    monkeypatch.setattr(simulated_workers, "MOST_WORKERS", 3)

    with pytest.raises(JudgingError, match="left and none of 3 simulated workers can do"):
        simulated_workers._simulate(campaign, None, SimulationSettings(workers=3), None)


def test_nobody_is_recruited_for_tasks_that_no_gold_pair_fits(crowd_of_refused):
    campaign, crew_sizes = crowd_of_refused
    asked = campaign.pairs.order_by("pk").values_list("query", flat=True)[0]
    campaign.tasks.exclude(task_pairs__pair__query=asked).delete()
    campaign.gold_pairs.update(query=asked)

    with pytest.raises(JudgingError, match="fit, so no worker can take"):
        simulated_workers._simulate(campaign, None, SimulationSettings(workers=3), None)

    assert set(crew_sizes) == {3}


def test_progress_never_runs_backwards(crowd_of_refused, monkeypatch):
    campaign, _ = crowd_of_refused
    states = [(2, 10), (5, 10), (4, 10), (5, 20), (20, 20)]
    told, left = [], iter(states)
    monkeypatch.setattr(simulated_workers, "_work_one_round", lambda *given: 1)
    monkeypatch.setattr(simulated_workers, "_tasks_done", lambda campaign: next(left))
    monkeypatch.setattr(simulated_workers, "_all_done", lambda campaign: len(told) == len(states))

    simulated_workers._simulate(
        campaign, None, SimulationSettings(workers=3), lambda done, total, words: told.append(done / total)
    )

    assert told == [0.2, 0.5, 0.5, 0.5, 1.0]


def test_progress_is_reported_during_a_round(fair, monkeypatch):
    campaign = fair.opened()
    told, working = [], threading.Event()
    monkeypatch.setattr(simulated_workers, "_tasks_done", lambda campaign: (1, 4))
    monkeypatch.setattr(simulated_workers, "_collect_and_wait", lambda *given, **options: None)

    class Slow:
        def work(self, kinds):
            return int(working.wait(10))

    def progress(done, total, words):
        told.append((done, total, words))
        working.set()

    with ThreadPoolExecutor(1) as pool:
        tell = simulated_workers._progress_reporter(campaign, progress)
        done = simulated_workers._work_one_round(campaign, [Slow()], pool, tell)

    assert (done, told[0]) == (1, (1, 4, "Tasks judged"))


def test_progress_says_that_work_is_collected_and_paid(fair, monkeypatch):
    campaign, heard = fair.opened(), []
    monkeypatch.setattr(simulated_workers, "_tasks_done", lambda campaign: (3, 4))
    monkeypatch.setattr(
        "judging.intake.collection.collect", lambda campaign, progress, sweep: Collected(0, 0)
    )

    def pay(campaign, progress):
        for paid in (1, 2):
            progress(paid, 2, "Paying")
        return 2

    monkeypatch.setattr("judging.money.payments.pay_owed", pay)
    tell = simulated_workers._progress_reporter(campaign, lambda *given: heard.append(given))

    simulated_workers._work_one_round(campaign, [], None, tell)

    assert list(dict.fromkeys(heard)) == [
        (3, 4, "Paying 1 of 2. Tasks judged"),
        (3, 4, "Paying 2 of 2. Tasks judged"),
    ]


def test_a_rehearsal_that_cannot_go_on_ends_and_says_why(crowd_of_refused, monkeypatch):
    campaign, crew_sizes = crowd_of_refused
    monkeypatch.setattr(simulated_workers, "MOST_WORKERS", 3)
    campaign.rehearsal_of = campaign
    campaign.save(update_fields=["rehearsal_of"])
    monkeypatch.setattr(simulated_workers, "_is_enough_to_forecast", lambda campaign: True)

    done = simulated_workers._simulate(campaign, None, SimulationSettings(workers=3), None)

    assert "left and none of 3 simulated workers can do" in done.stopped
    assert crew_sizes == [3] * simulated_workers.IDLE_ROUNDS


def test_a_rehearsal_in_which_nothing_was_done_forecasts_nothing(crowd_of_refused, monkeypatch):
    campaign, _ = crowd_of_refused
    monkeypatch.setattr(simulated_workers, "MOST_WORKERS", 3)
    campaign.rehearsal_of = campaign
    campaign.save(update_fields=["rehearsal_of"])

    with pytest.raises(JudgingError, match="left and none of 3"):
        simulated_workers._simulate(campaign, None, SimulationSettings(workers=3), None)
