"""Every analysis by name: what it says, what it needs and what may be set."""

from __future__ import annotations

from leaderboard.services.analysis_makers import (
    Kind,
    bias_of,
    boards_of,
    comparison_of,
    halves_of,
    judges_of,
    noise_of,
    perfect_of,
    private_of,
    progress_of,
    ratios_of,
    replicates_of,
    stability_of,
)
from leaderboard.services.boards import SEED
from leaderboard.settings_asked import SPLITS, TRIALS, Choice, Number
from leaderboard.verdicts import Deciding

SEED_FIELD = Number("seed", "Seed", SEED, 0, 2**32 - 1)
ALPHA = Number("alpha", "Level α", 0.05, 0.0001, 0.5)
LABELS = Choice("qrels", "Labels", of="labels")
ONE_LABELS = Choice("qrels", "Labels", of="one labels or order")
MEASURE = Choice(
    "measure",
    "Measure",
    tuple(
        (name, name) for name in ("RR@10", "RR@100", "AP", "nDCG@10", "P@10", "Success@10", "Compat(p=0.95)")
    ),
)
QUERIES = Choice(
    "queries",
    "Queries",
    (
        ("", "all, or public and private apart"),
        ("all", "all"),
        ("public", "public"),
        ("private", "private"),
    ),
)
OFFICIAL = Choice("official", "Qrel set", of="sets")

QUESTION = (
    Choice("qrels", "Labels", of="one labels"),
    Choice("measure", "Measure", tuple((name, name) for name in ("RR@10", "RR@100", "RR@1000"))),
    Choice("test", "Test where both answer", tuple((one.value, one.words) for one in Deciding)),
    Choice("single", "Queries with several answers", (("", "included"), ("1", "left out"))),
    ALPHA,
)

KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "stability",
            "Stability of ranks",
            "How firm each rank is when the queries are drawn again: expected ranks, the top five, and a figure.",
            "runs and labels",
            stability_of,
            (LABELS, MEASURE, QUERIES, TRIALS, SEED_FIELD),
            by_query_set=True,
            works="Scoring runs",
        ),
        Kind(
            "split_halves",
            "Split halves",
            "How often random halves of the queries tell the same of two runs, test by test.",
            "two runs or more, and labels of four queries or more",
            halves_of,
            (LABELS, MEASURE, QUERIES, SPLITS, ALPHA, SEED_FIELD),
            by_query_set=True,
            works="Splitting queries",
        ),
        Kind(
            "compare",
            "Comparisons of many runs",
            "Is a run better than another? Every run against the first in order of time, the last against the two "
            "before it: what may be claimed, and on what it rests.",
            "two runs or more, and labels",
            comparison_of,
            QUESTION,
            by_query_set=True,
            works="Scoring runs",
        ),
        Kind(
            "progress",
            "The leaderboard over time",
            "Which runs were the state of the art when they came, and which of these steps were significant.",
            "runs and labels",
            progress_of,
            QUESTION,
            by_query_set=True,
            works="Scoring runs",
        ),
        Kind(
            "private_board",
            "Private board",
            "Runs on public and on private queries, and where a team's runs gain on the public ones alone.",
            "private queries",
            private_of,
            (ONE_LABELS, MEASURE),
            members_only=True,
            of_private=True,
            works="Scoring runs",
        ),
        Kind(
            "board_agreement",
            "Board agreement",
            "The board under official and under preference qrels side by side, and how far the two agree.",
            "a published version and a qrel set",
            boards_of,
            (Choice("version", "Version", of="versions"), OFFICIAL, SEED_FIELD),
            works="Scoring runs",
        ),
        Kind(
            "win_ratios",
            "Win ratios",
            "How often one run's top passage was preferred to another's, for every two runs of a pool.",
            "a judged campaign and a qrel set",
            ratios_of,
            (OFFICIAL, ALPHA),
            of_campaign=True,
        ),
        Kind(
            "better_than_perfect",
            "Better than perfect?",
            "Whether people prefer a run's passages to the known relevant ones.",
            "a judged campaign, best one that asks these pairs alone",
            perfect_of,
            (
                Choice("reference", "Run", of="runs"),
                Choice("official", "Qrel set", of="sets"),
                Choice("interval", "Intervals", (("wilson", "Wilson"), ("exact", "exact (Clopper-Pearson)"))),
            ),
            of_campaign=True,
        ),
        Kind(
            "pool_bias",
            "Pool bias",
            "Where a run stands when the pool had been made without it, or without its team.",
            "a judged campaign",
            bias_of,
            (Choice("by", "Left out at a time", (("run", "a run"), ("team", "a team"))),),
            of_campaign=True,
            works="Leaving out",
        ),
        Kind(
            "label_noise",
            "Label noise",
            "How much of the board rests on who happened to judge, beside which queries were asked.",
            "a judged campaign",
            noise_of,
            (
                Choice("reference", "Differences from", of="runs"),
                Choice("official", "Perfect run of", of="sets"),
                Number("error", "Chance of a wrong judgment", None, 0, 0.4999),
                TRIALS,
                SEED_FIELD,
            ),
            of_campaign=True,
            works="Resampling judgments",
        ),
        Kind(
            "judge_agreement",
            "Judges' agreement",
            "How far judges agree where a pair was judged more than once, and whether they prefer a side.",
            "a judged campaign",
            judges_of,
            (SEED_FIELD,),
            of_campaign=True,
            members_only=True,
            of_runs=False,
        ),
        Kind(
            "replicate_boards",
            "Replicates",
            "What the board would have been under each of several complete sets of judgments.",
            "a campaign that was judged in two phases or more",
            replicates_of,
            (
                Choice(
                    "ties",
                    "Ties",
                    (("", "as resolved last"), ("recount", "recount"), ("keep", "keep")),
                ),
            ),
            of_campaign=True,
        ),
    )
}
