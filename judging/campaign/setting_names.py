"""The names of campaign settings, as forms, sentences and the campaign's log show them."""

from collections.abc import Mapping

SETTING_NAMES = {
    "pairs_per_task": "Pairs per task",
    "gold_per_task": "Gold pairs per task",
    "repeats_per_task": "Repeated pairs per task",
    "judgments_per_pair": "Judgments per pair",
    "max_tasks_per_worker": "Maximum tasks per worker",
    "screen": "Effect of a failed gold pair",
    "slip_rate": "Slip rate of honest workers",
    "preset": "Who can take tasks",
    "refuse_excluded_elsewhere": "Refuse workers whom another campaign of this collection excluded",
    "allow_undecided": "Offer “Cannot decide”",
    "mark_query_words": "Mark the words of the question in both passages",
    "minimum_seconds": "Seconds before a pair can be answered",
    "assignment_seconds": "Minutes per task",
    "language": "Language of workers' pages",
    "minimum_age": "Minimum age",
    "withdrawal_days": "Days to withdraw judgments",
    "answer_days": "Working days to answer an appeal",
    "contact": "Contact for workers",
    "placeholder_text": "For simulated workers only",
    "seed": "Seed",
    "reward": "Dollars per whole task",
    "pay": "Payment mode",
    "base_reward": "Base reward for submitting",
    "minimum_hourly": "Minimum hourly pay",
    "hold_hours": "Hours between receiving a submission and paying it",
    "budget": "Budget",
    "content_warning": "Content warning",
    "ethics_approval": "Ethics approval",
}
#: The names that differ where workers grade single passages.
NAMES_FOR_GRADES = {
    "pairs_per_task": "Passages per task",
    "gold_per_task": "Test passages per task",
    "judgments_per_pair": "Judgments per passage",
    "screen": "Effect of a failed test passage",
    "mark_query_words": "Mark the words of the question in the passage",
    "minimum_seconds": "Seconds before a passage can be graded",
}


def setting_names(*, graded: bool) -> Mapping[str, str]:
    """Map settings to their names; with ``graded``, for campaigns whose workers grade single passages."""
    return SETTING_NAMES | NAMES_FOR_GRADES if graded else SETTING_NAMES
