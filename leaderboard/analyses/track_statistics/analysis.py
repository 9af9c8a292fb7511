from config.plurals import many
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.described_runs import described_runs
from leaderboard.analyses.track_statistics.computation import COUNTED, count_submissions
from leaderboard.output import Analysis, Column, Kind, Row, Table
from leaderboard.scoring.evaluation import Progress
from leaderboard.scoring.score_facts import scoring_facts


def analyse_submissions(asked: Asked, _: Progress | None) -> Analysis:
    """Return a table of the numbers of groups, runs, and runs of each type, by task."""
    collection, runs = asked.collection, described_runs(asked)
    found = count_submissions(runs)
    waiting = sum(not run.arrived for run in runs)
    facts = scoring_facts(collection, runs, ["descriptions of runs"], "counts", collection.queries.count())
    columns = (Column("kind", "kind"), *(Column(task, task, Kind.COUNT) for task in found))
    words = {"groups": "groups"} | {name: words for name, (words, _) in COUNTED.items()}
    rows = tuple(
        Row({"kind": said} | {task: counts[name] for task, counts in found.items()})
        for name, said in words.items()
    )
    notes = (f"{many(waiting, 'run is', 'runs are')} announced but not uploaded yet.",) if waiting else ()
    caption = (
        "Groups and runs by task, as table 1 of the overviews of TREC's Deep Learning tracks counts them."
    )
    table = Table("submissions", "Submission statistics", caption, columns, rows, facts, notes)
    return Analysis(facts, (table,), content={"tasks": found})
