"""How well gold pairs hide, and how far strategies get that do not read.

Gold is proposed and accepted as it comes, for a campaign with the default settings over each of

- the sample and the demo's pool (docs/sample: the ten runs' first passages and the known relevant one);
- with ``--texts FOLDER``, a folder of ``queries.tsv``, ``passages.tsv`` and graded ``qrels.txt``, such as MS MARCO's.
  Real texts are not part of the project. Five rankers of the sample make the runs; grades from 2 are relevant.

For each it prints the strategies of ``judging/strategies.py``: the share of gold they answer right, their chance to
pass 1, 5 and 20 tasks in a row (or as many as the gold is enough for), and their agreement with the grades on real
pairs. Then how well a classifier tells gold from real pairs (``benchmarks/_telling.py``): by what the page shows, and
by that and what a worker saw before, in the 1st, the 5th and the 20th task. Limits:

- no strategy that agrees with the grades on less than 60% of real pairs passes one task with more than 20%, or five
  in a row with more than 1%;
- no classifier has an AUC of 0.60 or more.

It works in a database of its own, which is deleted at the end, and takes about 20 seconds. ``--json`` prints the
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
sys.path[:0] = [str(ROOT), str(Path(__file__).parent), str(SAMPLE)]

#: Passages that a run of real texts names for a query, and how many of them are pooled.
RANKED, DEPTH = 20, 2
MOST_AUC = 0.60
#: A simulated worker's tasks, of which the classifier's figures are told.
TASKS = (1, 5, 20)

Figures = dict[str, Any]


def command(name: str, *words: str) -> None:
    """Run a command of the product, without its words."""
    from django.core.management import call_command

    call_command(name, *words, stdout=StringIO())


def sample() -> Figures:
    """The demo's collection, pool and campaign."""
    files = ("--queries", SAMPLE / "queries.tsv", "--passages", SAMPLE / "passages.tsv")
    command("import_collection", "sample", *map(str, files), "--qrels", str(SAMPLE / "qrels.txt"))
    command("import_qrels", "sample", str(SAMPLE / "grades.txt"), "--set", "truth")
    command("import_runs", "sample", *map(str, sorted((SAMPLE / "runs").glob("*.gz"))))
    command("build_pool", "sample", "--pool", "tops", "--all-runs", "--qrels", "official")
    return figures_of("sample", "tops", labels="truth")


def real_texts(folder: Path) -> Figures:
    """A campaign over texts of a folder, ranked here."""
    files = ("--queries", folder / "queries.tsv", "--passages", folder / "passages.tsv")
    grades = ("--qrels", str(folder / "qrels.txt"), "--min-grade", "2")
    command("import_collection", "texts", *map(str, files), *grades)
    with tempfile.TemporaryDirectory() as runs:
        command("import_runs", "texts", *(str(file) for file in rank(folder, Path(runs))))
    command(
        "build_pool", "texts", "--pool", "ranked", "--all-runs", "--depth", str(DEPTH), "--qrels", "official"
    )
    return figures_of("texts", "ranked", labels="official")


def rank(folder: Path, out: Path) -> list[Path]:
    """Rank the folder's passages for its queries; returns the run files."""
    import rankers
    from make_runs import ranking, read_tsv

    passages, queries = read_tsv(folder / "passages.tsv"), read_tsv(folder / "queries.tsv")
    pids = list(passages)
    made = {
        "bm25": (rankers.bm25(), rankers.stems),
        "unstemmed": (rankers.bm25(k1=1.6, b=0.9), rankers.words),
        "dirichlet": (rankers.lm_dirichlet(), rankers.stems),
        "lsa": (rankers.lsa(), rankers.stems),
        "trigrams": (rankers.tfidf_cosine, rankers.trigrams),
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


def figures_of(collection: str, pool: str, *, labels: str) -> Figures:
    """Propose and accept gold for a campaign over the pool, and try to pass it."""
    from _telling import auc_by_task

    from judging.services.campaigns import campaign_named
    from judging.services.strategy_figures import setting_of
    from judging.strategies import try_strategies
    from pooling.models import QrelSet

    name = f"{collection}-first"
    command("create_campaign", name, "--pool", pool)
    command("propose_gold", name)
    command("accept_gold", name, "--all")
    campaign = campaign_named(name)
    setting = setting_of(campaign, QrelSet.objects.get(collection=campaign.collection, name=labels))
    outcomes = try_strategies(setting, workers=1000)
    return {
        "pairs": campaign.pairs.count(),
        "gold": outcomes.gold,
        "labeled": outcomes.labeled,
        "tasks": outcomes.tasks,
        "strategies": [asdict(row) for row in outcomes.rows],
        "over_the_bar": [row.name for row in outcomes.over_the_bar()],
        "auc": auc_by_task(setting, TASKS),
    }


def show(name: str, figures: Figures) -> None:
    """Print a table of the strategies, and the classifier's figures."""
    print(f"\n{name}: {figures['gold']} gold pairs, {figures['pairs']} real pairs")
    heads = [f"passes {count}" for count in figures["tasks"]]
    print(f"{'strategy':<20}{'right on gold':>14}{''.join(f'{head:>11}' for head in heads)}{'agrees':>9}")
    for row in figures["strategies"]:
        passes = "".join(f"{chance:>11.1%}" for chance in row["passes"])
        agrees = "–" if row["agrees"] is None else f"{row['agrees']:.0%}"
        over = "  over the bar" if row["name"] in figures["over_the_bar"] else ""
        print(f"{row['name']:<20}{row['right']:>14.1%}{passes}{agrees:>9}{over}")
    for what, auc in figures["auc"].items():
        print(f"AUC, {what}: {auc:.3f}{'  over the limit' if auc >= MOST_AUC else ''}")


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
        found = {"sample": sample()}
        if options.texts:
            found["texts"] = real_texts(options.texts)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        for name, figures in found.items():
            show(name, figures)
    missed = any(
        one["over_the_bar"] or max(one["auc"].values(), default=0) >= MOST_AUC for one in found.values()
    )
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
