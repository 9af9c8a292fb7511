from typing import Any

from config.commands.console import CommandParser
from judging.grading.assignments import topic_named
from judging.grading.grades import REVERSED, TAKEN_AWAY, carry_out_decision
from judging.grading.topic_states import states_of
from judging.management.campaign_command import GradingCommand
from judging.models import GradedCampaign, TopicDecision


class Command(GradingCommand):
    help = (
        "Decide a topic by hand with a reason: eliminate it before it is judged, end it, reverse its decision, or "
        "take it from its assessor."
    )
    example = 'manage.py decide_topic mine graded 2082 eliminated --why "a question about the weather today"'
    why = "kept with the decision"
    why_required = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("qid", help="query of the topic")
        parser.add_argument(
            "decision", choices=[*TopicDecision.Verdict.values, REVERSED, TAKEN_AWAY], help="what to do"
        )

    def act_on(
        self, found: GradedCampaign, *, qid: str, decision: str, why: str, **options: Any
    ) -> dict[str, Any]:
        topic = topic_named(found, qid)
        carry_out_decision(topic, decision, why=why, who=self.who)
        return next(one.as_dict() for one in states_of(found) if one.topic.pk == topic.pk)
