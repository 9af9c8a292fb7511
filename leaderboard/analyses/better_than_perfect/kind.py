from leaderboard.analyses.better_than_perfect.analysis import analyse_better_than_perfect
from leaderboard.analyses.fields import Choice
from leaderboard.analyses.kinds import Asked, Kind
from leaderboard.analyses.shared.proportions import Interval
from leaderboard.errors import LeaderboardError, MembersOnly
from leaderboard.output import Analysis
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress
from pooling.models import PoolRun


def make(asked: Asked, _: Progress | None) -> Analysis:
    tag, official = asked.text("reference"), asked.text("official")
    run = next((run for run in asked.runs if run.run_tag == tag), None)
    if tag and run is None:
        raise LeaderboardError(f"{asked.collection.name} has no run {tag}.", "Choose a run from the list.")
    if run is None:
        _refuse_unreleased_run(asked)
    return analyse_better_than_perfect(
        campaign=asked.judged,
        run=run,
        qrel_set=official_set(asked.collection, official) if official or asked.judged.pool is None else None,
        interval=Interval(asked.text("interval")),
    )


def _refuse_unreleased_run(asked: Asked) -> None:
    """Raise MembersOnly for non-members if a run that the campaign was created from is not released."""
    own = set(PoolRun.objects.filter(pool=asked.judged.pool_id).values_list("run_id", flat=True))
    if asked.released and not own <= {run.pk for run in asked.runs}:
        raise MembersOnly("A run of this campaign is not released.", "Choose a released run.")


KIND = Kind(
    "better_than_perfect",
    "Better than perfect?",
    "Whether people prefer a run's passages to the known relevant ones.",
    "a judged campaign, ideally one that asks only these pairs",
    make,
    (
        Choice(
            "reference",
            "Run",
            of="runs",
            help="tag of the run (default: the run that the campaign was created from)",
            option="--run",
        ),
        Choice(
            "official",
            "Qrel set",
            of="sets",
            help="the qrel set (default: the set that the campaign was created from)",
        ),
        Choice(
            "interval",
            "Intervals",
            (("wilson", "Wilson"), ("exact", "exact (Clopper-Pearson)")),
            help="intervals of shares: Wilson's score interval, or the exact one of Clopper and Pearson",
        ),
    ),
    of_campaign=True,
    without_runs=True,
    help="Compare one run's passages with the known relevant passages (qrels). Category A: the qrel is the run's top "
    "passage and is compared with its second. Category B: the qrel ranks lower or is not found, and is compared with "
    "the top. Count the preferences in the judgments of a campaign created with manage.py ask_better_than_perfect, "
    "or of any other campaign if the run and the qrel set are passed.",
    example="vs-qrels --figure preferred.svg",
)
