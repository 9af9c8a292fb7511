from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from judging.grading.assignments import topic_named
from judging.grading.graded_campaigns import graded_campaign_named
from judging.grading.grades import REVERSED, TAKEN_AWAY, carry_out_decision
from judging.grading.topic_states import states_of
from judging.models import TopicDecision
from pooling.services.finding import collection_named


class Command(BaseCommand):
    help = (
        "Decide a topic by hand with a reason: eliminate it before it is judged, end it, reverse its decision, or "
        "take it from its assessor."
    )
    example = 'manage.py decide_topic mine graded 2082 eliminated --why "a question about the weather today"'

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="name of the collection")
        parser.add_argument("campaign", metavar="NAME", help="name of the graded campaign")
        parser.add_argument("qid", help="query of the topic")
        parser.add_argument(
            "decision", choices=[*TopicDecision.Verdict.values, REVERSED, TAKEN_AWAY], help="what to do"
        )
        parser.add_argument("--why", required=True, help="kept with the decision")

    def act(
        self, *, collection: str, campaign: str, qid: str, decision: str, why: str, **options: Any
    ) -> dict[str, Any]:
        found = graded_campaign_named(collection_named(collection), campaign)
        topic = topic_named(found, qid)
        carry_out_decision(topic, decision, why=why, who=self.who)
        return next(one.as_dict() for one in states_of(found) if one.topic.pk == topic.pk)
