"""How well gold pairs hide, and how far strategies get that do not read.

Gold is proposed and accepted as it comes, for a campaign with the default settings over each of

- the demo: docs/sample, the ten runs' first passages and one known relevant passage a query; gold from all grades;
- the sample with one known relevant passage a query as the only label, as sparse labels have it;
- with ``--texts FOLDER``, a folder of ``queries.tsv``, ``passages.tsv`` and graded ``qrels.txt``, such as MS MARCO's.
  Real texts are not part of the project. Six rankers of the sample make the runs; their first passages are pooled.

Of grades, 2 and more are relevant. The limits hold for all but sparse labels, from which gold that looks like
real pairs cannot be had. For each campaign it prints the strategies of ``judging/strategies.py``: the share
of gold they answer right, their chance to pass 1, 5 and 20 tasks in a row (or as many as the gold is enough for), and
their agreement with the grades on real pairs. Then how well the classifier of the tests
(``tests/judging/classifier.py``) tells gold from real pairs: by what the page shows, and by what a worker remembers
who does 5 tasks, as many as make the share of the campaign's pairs that the check list accepts, and 20. Limits:

- no strategy that agrees with the grades on less than 60% of real pairs passes one task with more than 20%, or five
  in a row with more than 1%;
- no classifier has an AUC of 0.60 or more, unless the worker judges more than that share: the check
  list says then to lower ``--max-tasks-per-worker``.

It works in a database of its own, which is deleted at the end, and takes about a minute. ``--json`` prints the
figures as JSON; ``--check`` exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "docs" / "sample"
sys.path[:0] = [str(ROOT), str(SAMPLE)]

#: Passages that a run of real texts names for a query.
RANKED = 20
MOST_AUC = 0.60
#: The campaign whose figures are told and not held to the limits.
SPARSE = "sparse labels"
#: The tasks of the workers whose memory is tried, besides the most that the check list accepts; how many workers; how
#: often it is measured.
MEMORIES, WORKERS, SPLITS = (5, 20), 20, 5

Figures = dict[str, Any]


def command(name: str, *words: str) -> None:
    """Run a command of the product, without its words."""
    from django.core.management import call_command

    call_command(name, *words, stdout=StringIO())


def sample(name: str, *, gold_from: str) -> Figures:
    """The demo's collection and pool, with gold from these labels."""
    files = ("--queries", SAMPLE / "queries.tsv", "--passages", SAMPLE / "passages.tsv")
    command("import_collection", name, *map(str, files), "--qrels", str(SAMPLE / "qrels.txt"))
    command("import_qrels", name, str(SAMPLE / "grades.txt"), "--set", "truth", "--min-grade", "2")
    command("import_runs", name, *map(str, sorted((SAMPLE / "runs").glob("*.gz"))))
    return figures_of(name, gold_from=gold_from, truth="truth")


def real_texts(folder: Path) -> Figures:
    """A campaign over texts of a folder, ranked here."""
    files = ("--queries", folder / "queries.tsv", "--passages", folder / "passages.tsv")
    grades = ("--qrels", str(folder / "qrels.txt"), "--min-grade", "2")
    command("import_collection", "texts", *map(str, files), *grades)
    with tempfile.TemporaryDirectory() as runs:
        command("import_runs", "texts", *(str(file) for file in rank(folder, Path(runs))))
    return figures_of("texts", gold_from="official", truth="official")


def rank(folder: Path, out: Path) -> list[Path]:
    """Rank the folder's passages for its queries; returns the run files."""
    import rankers
    from make_runs import ranking, read_tsv

    passages, queries = read_tsv(folder / "passages.tsv"), read_tsv(folder / "queries.tsv")
    pids = list(passages)
    made = {
        "bm25": (rankers.bm25(), rankers.stems),
        "bm25_unstemmed": (rankers.bm25(k1=1.6, b=0.9), rankers.words),
        "bm25_lead": (rankers.bm25(), rankers.lead_stems),
        "dirichlet": (rankers.lm_dirichlet(), rankers.stems),
        "lsa": (rankers.lsa(), rankers.stems),
        "tfidf": (rankers.tfidf_cosine, rankers.stems),
    }
    files = []
    for tag, (ranker, analyse) in made.items():
        index = rankers.Index(passages.values(), analyse)
        lines = [
            f"{qid} Q0 {pid} {place} {score} {tag}\n"
            for qid, text in queries.items()
            for place, (pid, score) in enumerate(
                ranking(ranker(index, text), pids, index.matching(text))[:RANKED], 1
            )
        ]
        files.append(out / f"{tag}.txt")
        files[-1].write_text("".join(lines), encoding="utf-8")
    return files


def figures_of(collection: str, *, gold_from: str, truth: str) -> Figures:
    """Pool the runs' first passages, propose and accept gold for a campaign over them, and try to pass it."""
    from judging.services.campaigns import campaign_named
    from judging.services.strategy_figures import setting_of
    from judging.strategies import try_strategies
    from pooling.models import QrelSet

    name, pool = f"{collection}-first", f"{collection}-tops"
    command("build_pool", collection, "--pool", pool, "--all-runs", "--qrels", "official")
    command("create_campaign", name, "--pool", pool)
    command("propose_gold", name, "--qrels", gold_from)
    command("accept_gold", name, "--all")
    campaign = campaign_named(name)
    setting = setting_of(campaign, QrelSet.objects.get(collection=campaign.collection, name=truth))
    outcomes = try_strategies(setting)
    return {
        "pairs": campaign.pairs.count(),
        "gold": outcomes.gold,
        "labeled": outcomes.labeled,
        "tasks": outcomes.tasks,
        "strategies": [asdict(row) for row in outcomes.rows],
        "over_the_bar": [row.name for row in outcomes.over_the_bar()],
        **areas(setting),
    }


def areas(setting: Any) -> Figures:
    """The AUC of the classifier by the page, and by what workers remember; those that are not held to the limit."""
    import numpy as np

    from judging.gold import Real, Texts, Triple
    from judging.pair_features import read_passage, read_question, word_weights
    from judging.services.gold_checks import MOST_OF_A_CAMPAIGN
    from tests.judging.classifier import cross_validated, remembered, seen_on_a_page

    read = {key: read_passage(text) for key, text in setting.passages.items()}
    weights = word_weights(one.words for one in read.values())
    texts = Texts({key: read_question(text, weights) for key, text in setting.questions.items()}, read)
    real = Real(sorted({tuple(pair) for task in setting.tasks for pair in task}))
    gold = [Triple(*pair) for pair in setting.gold]
    table, is_gold = seen_on_a_page(real, gold, texts)
    splits = [np.random.default_rng(seed).permutation(len(table)) for seed in range(SPLITS)]
    found = {"page": sum(cross_validated(table, is_gold, split) for split in splits) / SPLITS}
    largest = int(MOST_OF_A_CAMPAIGN * len(real.pairs) / max(map(len, setting.tasks)))
    told = []
    for done in sorted({*MEMORIES, largest}):
        tries = [
            remembered(real, gold, np.random.default_rng(seed), done=done, workers=WORKERS)
            for seed in range(SPLITS)
        ]
        name = f"memory of {done} of {len(setting.tasks)} tasks"
        found[name] = sum(cross_validated(*one) for one in tries) / SPLITS
        if done > largest:
            told.append(name)
    return {"auc": found, "above_the_share": told}


def over(figures: Figures) -> list[str]:
    """The classifiers that miss the limit."""
    return [
        what
        for what, auc in figures["auc"].items()
        if auc >= MOST_AUC and what not in figures["above_the_share"]
    ]


def show(name: str, figures: Figures) -> None:
    """Print a table of the strategies, and the classifier's figures."""
    print(f"\n{name}: {figures['gold']} gold pairs, {figures['pairs']} real pairs")
    heads = [f"passes {count}" for count in figures["tasks"]]
    print(f"{'strategy':<24}{'right on gold':>14}{''.join(f'{head:>11}' for head in heads)}{'agrees':>9}")
    for row in figures["strategies"]:
        passes = "".join(f"{chance:>11.1%}" for chance in row["passes"])
        agrees = "–" if row["agrees"] is None else f"{row['agrees']:.0%}"
        mark = "  over the bar" if row["name"] in figures["over_the_bar"] else ""
        print(f"{row['name']:<24}{row['right']:>14.1%}{passes}{agrees:>9}{mark}")
    for what, auc in figures["auc"].items():
        note = "  over the limit" if what in over(figures) else ""
        print(f"AUC, {what}: {auc:.3f}{'  (not accepted)' if what in figures['above_the_share'] else note}")


def main() -> int:
    """Measure, print, check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="real texts to measure as well")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="exit 1 when a limit is missed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PREFEREE_DATA_DIR"] = folder
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/gold.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django

        django.setup()
        command("migrate")
        found = {
            "demo": sample("demo", gold_from="truth"),
            SPARSE: sample("sparse", gold_from="official"),
        }
        if options.texts:
            found["texts"] = real_texts(options.texts)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        for name, figures in found.items():
            show(name, figures)
    missed = any(one["over_the_bar"] or over(one) for name, one in found.items() if name != SPARSE)
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
