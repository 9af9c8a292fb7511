"""A campaign at the panel, and its scheduled jobs."""

from decimal import Decimal

import pytest

from config.background.followed_jobs import attend
from config.background.services import start
from judging import crowds
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.gold_pairs import import_gold
from judging.campaign.worker_texts import accept_texts, set_texts
from judging.jobs import close_places_key, collect_key, post_places_key
from judging.launch.launches import launch_campaign
from judging.models import Campaign
from tests.judging.cast import Fair
from tests.panel.module import PanelCrowd
from tests.panel.panel import SITE, Panel
from tests.panel.participant import Participant

ENDPOINT = "http://127.0.0.1:8499"


@pytest.fixture
def panel(monkeypatch, settings) -> Panel:
    """The panel, used by campaigns whose ``crowd`` is "panel"."""
    settings.CROWD_ENDPOINT = ENDPOINT
    settings.CROWD_HOSTS = [SITE]
    panel = Panel()
    monkeypatch.setitem(crowds.FACTORIES, "panel", lambda endpoint: PanelCrowd(panel))
    return panel


class Effort:
    """A campaign of twelve pairs (four queries of three passages) in four tasks of three pairs and two gold pairs."""

    def __init__(self, panel: Panel, folder) -> None:
        self.panel = panel
        world = Fair(panel, name="effort")
        lines = []
        for number in range(4):
            pids = f"relevant-{number}", f"off-topic-{number}"
            for pid in pids:
                world.passage(pid)
            lines.append(f"{world.query(f'gold-{number}').qid} {pids[0]} {pids[1]}\n")
        values = {"pairs_per_task": 3, "gold_per_task": 2, "max_tasks_per_worker": 2}
        settings = CampaignSettings(reward=Decimal("2.00"), base_reward=Decimal("0.20"), **values)
        self.campaign = create_campaign(name="effort", settings=settings, pool=world.pool)
        Campaign.objects.filter(pk=self.campaign.pk).update(crowd="panel", accept_weak_screening=True)
        self.campaign.refresh_from_db()
        file = folder / "gold.txt"
        file.write_text("".join(lines))
        import_gold(self.campaign, file)
        set_texts(self.campaign, instructions="Choose the passage that answers the question better.")
        accept_texts(self.campaign, who="ada")

    def launch(self, **terms) -> list[str]:
        """Launch and offer the places; returns the check list."""
        passed: list[str] = []
        agreed = {"endpoint": ENDPOINT, "confirm_spend": Decimal("30.00")} | terms
        launch_campaign(self.campaign, **agreed, who="ada", tell=lambda check: passed.append(str(check)))
        self.offer()
        return passed

    def offer(self) -> None:
        """Run the job that offers places."""
        self._job("judging.post_places", post_places_key(self.campaign))

    def collect(self) -> None:
        """Run the job that collects, screens and pays, and any jobs that it starts."""
        self._job("judging.collect", collect_key(self.campaign), sweep=True)
        self.offer()

    def close_places(self) -> None:
        """Run the job that closes places at the crowd."""
        self._job("judging.close_places", close_places_key(self.campaign))

    def _job(self, kind: str, key: str, **further) -> None:
        attend(start(kind, key=key, arguments={"campaign_id": self.campaign.pk} | further))
        self.campaign.refresh_from_db()

    @property
    def study(self) -> str:
        """Return the latest published study."""
        return [*self.panel.studies][-1]

    def takes(self, name: str) -> Participant:
        """Let a participant take a place."""
        return Participant(self.panel, name, self.study)


@pytest.fixture
def effort(panel, tmp_path, db) -> Effort:
    return Effort(panel, tmp_path)
