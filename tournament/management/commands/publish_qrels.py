from typing import Any

from config.commands.console import CommandParser
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign
from tournament import services


class Command(CampaignCommand):
    help = (
        "Publish the best answers of a campaign's settled queries as the next version of its collection, with the "
        "parameters of its latest resolve. Queries that the campaign does not cover are carried over."
    )
    example = "manage.py publish_qrels spring"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--allow-open",
            action="store_true",
            help="also publish open queries with their best answers so far",
        )
        parser.add_argument("--by", default="", help="name of the publisher (default: your login name)")

    def act_on(self, found: Campaign, *, allow_open: bool, by: str, **options: Any) -> dict[str, Any]:
        publication = services.publish_qrels(
            campaign=found, allow_open=allow_open, published_by=by or self.who
        )
        version = publication.version
        if not publication.new:
            self.note(f"Nothing has changed since version {version.number}, so no new version was published.")
        for redecided in services.redecided_by(version) if publication.new else []:
            self.note(f"Note: {redecided.words}")
        if version.simulated:
            self.note("Some of its judgments are by simulated workers.")
        return {
            "collection": version.collection.name,
            "version": version.number,
            "new": publication.new,
            "queries": version.queries_count,
            "qrels": version.qrels_count,
            "carried": version.queries.filter(carried=True).count(),
            "open": version.queries.filter(status="open").count(),
            "simulated": version.simulated,
            "manifest_sha256": version.manifest_sha256,
            "qrels_sha256": version.qrels_sha256,
        }
