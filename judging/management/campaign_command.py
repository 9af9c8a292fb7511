"""Base classes for commands on a campaign, and on a graded campaign."""

from typing import Any

from config.background.followed_jobs import attend
from config.background.job_kinds import Progress
from config.background.models import Job
from config.commands.console import Command, CommandParser
from config.process import launcher
from judging.campaign.campaigns import campaign_named
from judging.grading.graded_campaigns import graded_campaign_named
from judging.jobs import post_places_key, ring_to_collect
from judging.models import Campaign
from pooling.collections.lookups import collection_named


def collect_once(campaign: Campaign, progress: Progress) -> None:
    """Run the job that collects work, with a sweep of the crowd's list, and the job that posts wanted places."""
    attend(ring_to_collect(campaign, sweep=True), progress=progress)
    for job in Job.objects.live().filter(key=post_places_key(campaign)):
        attend(job, progress=progress)


class CampaignCommand(Command):
    """A command whose first argument is a campaign. Subclasses define ``act_on`` instead of ``act``.

    ``why`` is the help text of the option ``--why``. If it is empty, the command does not have that option.
    ``why_required`` makes the option mandatory.
    """

    why = ""
    why_required = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="name of the campaign")
        super().add_arguments(parser)
        if self.why:
            given = {"required": True} if self.why_required else {"default": ""}
            parser.add_argument("--why", help=self.why, **given)

    def act(self, *, campaign: str, **options: Any) -> dict[str, Any]:
        return self.act_on(campaign_named(campaign), **options)

    def act_on(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Call the command's service with the campaign. Return the dict that ``--json`` prints."""
        raise NotImplementedError

    def collect(self, campaign: Campaign, doing: str) -> None:
        """Collect the campaign's work once, with ``doing`` as the words beside the progress."""
        with launcher.crowd_running(), self.progress(doing) as progress:
            collect_once(campaign, progress)


class GradingCommand(CampaignCommand):
    """A command whose first arguments are a collection and one of its graded campaigns."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        super().add_arguments(parser)

    def act(self, *, collection: str = "", campaign: str, **options: Any) -> dict[str, Any]:
        return self.act_on(graded_campaign_named(collection_named(collection), campaign), **options)
