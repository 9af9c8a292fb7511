"""Every analysis by name. To add one, create a package with a ``KIND`` in ``kind.py`` and add its name here."""

from importlib import import_module

from leaderboard.analyses.kinds import Kind

#: The names of the analyses' packages, in the order shown on pages.
PACKAGES = (
    "stability",
    "split_halves",
    "power",
    "compare",
    "harmless_order",
    "progress",
    "private_board",
    "board_agreement",
    "two_boards",
    "query_spread",
    "win_ratios",
    "better_than_perfect",
    "pool_bias",
    "pool_sizes",
    "label_disagreement",
    "assessor_agreement",
    "preference_grades",
    "label_noise",
    "near_duplicates",
    "reusability",
    "judge_agreement",
    "replicates",
    "track_statistics",
    "run_types",
    "track_results",
)
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (import_module(f"leaderboard.analyses.{package}.kind").KIND for package in PACKAGES)
}
