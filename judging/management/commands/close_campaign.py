from typing import Any

from config.background.followed_jobs import attend
from config.process import launcher
from judging.jobs import ring_to_close_places
from judging.launch.closure import close, pending_work
from judging.management.campaign_command import CampaignCommand, collect_once
from judging.models import Campaign


class Command(CampaignCommand):
    help = (
        "End a campaign: nothing more is offered to workers. "
        "It closes automatically when nobody holds a task and everything is paid."
    )
    example = 'manage.py close_campaign spring --why "holiday"'
    why = "kept in the campaign's log"

    def act_on(self, found: Campaign, *, why: str, **options: Any) -> dict[str, Any]:
        launched = found.launched_at is not None
        close(found, why=why, who=self.who)
        if launched:
            job = ring_to_close_places(found)
            with launcher.crowd_running(), self.progress("Withdrawing places from the crowd") as progress:
                attend(job, progress=progress)
                collect_once(found, progress)
            found.refresh_from_db()
        closing = found.state == Campaign.State.CLOSING
        waits_for = (pending_work(found).words() or "a last check") if closing else ""
        return {"campaign": found.name, "state": found.state, "waits_for": waits_for}

    def show(self, result: dict[str, Any]) -> None:
        super().show({key: value for key, value in result.items() if value})
