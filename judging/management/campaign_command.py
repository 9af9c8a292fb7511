"""Base classes for commands on a campaign, and on a graded campaign."""

from typing import Any

from config.commands.console import Command, CommandParser
from judging.campaign.campaigns import campaign_named
from judging.grading.graded_campaigns import graded_campaign_named
from pooling.services.lookups import collection_named


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


class GradingCommand(CampaignCommand):
    """A command whose first arguments are a collection and one of its graded campaigns."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        super().add_arguments(parser)

    def act(self, *, collection: str = "", campaign: str, **options: Any) -> dict[str, Any]:
        return self.act_on(graded_campaign_named(collection_named(collection), campaign), **options)
