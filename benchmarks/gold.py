"""Measure how well gold pairs are hidden, and how far strategies get without reading.

All proposed gold is accepted, in campaigns with the default settings over

- the demo (docs/sample): a pool of the ten runs' first passages and one known relevant passage per query, with gold
  from all grades;
- the same demo with gold from only one label per query, like sparse labels;
- with ``--texts FOLDER``, a folder of ``queries.tsv``, ``passages.tsv`` and graded ``qrels.txt``, such as MS MARCO's.
  Real texts are not part of the project. Six rankers of the sample generate the runs. Their first passages are
  pooled, with one known relevant passage per query;
- the same texts with one label per query.

Grades of 2 and more are relevant. For each campaign it prints the strategies of ``judging/rules/strategies.py``, with
the share of gold pairs that each answers right and its chance to pass 1, 5 and more tasks in a row. It also prints
their agreement with the grades on real pairs. All strategies by looks are tried (most or fewest capital letters,
digits, sentences …). It then prints how well a classifier distinguishes gold pairs from real pairs
(``judging/rules/gold_detection.py``):

- from the page alone;
- from the memory of a worker who does as many tasks as allowed: the mean and the worst of five times 40 workers. For
  comparison, also from the memory of a worker with 20 tasks;
- both measurements for five campaigns over two thirds of the queries, drawn at random.

The limits exclude sparse labels, which cannot provide gold that looks like real pairs:

- a strategy that agrees with the grades on less than 60% of real pairs passes one task with at most 20% probability,
  and five in a row with at most 1%;
- no classifier has an AUC of 0.60 or more, as the mean of the workers or of the five campaigns.

It uses a temporary database and takes about two minutes. ``--json`` prints the figures as JSON; ``--check`` exits 1
if a limit is missed.
"""

import json
import sys
import tempfile
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from statistics import mean
from typing import Any

from _harness import ROOT, choose_sqlite, options_parser, set_up_product

SAMPLE = ROOT / "docs" / "sample"
sys.path.insert(0, str(SAMPLE))

#: The number of passages per query in a run of real texts.
RANKED = 20
#: Campaigns with this prefix are reported but not checked against the limits.
SPARSE = "sparse"
#: The number of measurements of memory, the workers in each, and the number of campaigns over a part of the queries.
SEEDS, WORKERS, CAMPAIGNS = 5, 40, 5
#: The share of the queries in each of these campaigns.
PART = 2 / 3
#: The minimum number of strategies by looks to print.
EASIEST = 3

Figures = dict[str, Any]


def command(name: str, *words: str) -> None:
    """Run a command of the product without its output."""
    from django.core.management import call_command

    call_command(name, *words, stdout=StringIO())


def sample(name: str, *, gold_from: str) -> Figures:
    """Measure campaigns over the demo's texts and runs, with gold pairs from the qrel set ``gold_from``."""
    files = ("--queries", SAMPLE / "queries.tsv", "--passages", SAMPLE / "passages.tsv")
    command("import_collection", name, *map(str, files), "--qrels", str(SAMPLE / "qrels.txt"))
    command("import_qrels", name, str(SAMPLE / "grades.txt"), "--set", "truth", "--min-grade", "2")
    command("import_runs", name, *map(str, sorted((SAMPLE / "runs").glob("*.gz"))))
    return measure_campaigns(name, gold_from=gold_from)


def real_texts(folder: Path, name: str, *, gold_from: str) -> Figures:
    """Measure campaigns over the texts of a folder, ranked here, with gold pairs from the qrel set ``gold_from``."""
    files = ("--queries", folder / "queries.tsv", "--passages", folder / "passages.tsv")
    with tempfile.TemporaryDirectory() as made:
        one_label = first_labels(folder / "qrels.txt", Path(made) / "one.txt")
        command("import_collection", name, *map(str, files), "--qrels", str(one_label))
        command("import_qrels", name, str(folder / "qrels.txt"), "--set", "truth", "--min-grade", "2")
        command("import_runs", name, *(str(file) for file in rank(folder, Path(made))))
    return measure_campaigns(name, gold_from=gold_from)


def first_labels(grades: Path, out: Path) -> Path:
    """Write a label for each query's best passage (the first if several tie); returns the file."""
    best: dict[str, tuple[int, str]] = {}
    for line in grades.read_text(encoding="utf-8").splitlines():
        qid, _, pid, grade = line.split()
        if int(grade) > best.get(qid, (1, ""))[0]:
            best[qid] = (int(grade), pid)
    out.write_text("".join(f"{qid} 0 {pid} 1\n" for qid, (_, pid) in best.items()), encoding="utf-8")
    return out


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


def measure_campaigns(collection: str, *, gold_from: str) -> Figures:
    """Return the figures of one campaign over all queries and of several campaigns over a part of them."""
    from pooling.models import Collection

    queries = round(Collection.objects.get(name=collection).queries.count() * PART)
    figures = figures_of(collection, "all", gold_from=gold_from)
    parts = [
        figures_of(
            collection,
            f"part{seed}",
            "--sample",
            str(queries),
            "--seed",
            str(seed),
            gold_from=gold_from,
        )
        for seed in range(1, CAMPAIGNS + 1)
    ]
    for what in ("page", "memory"):
        found = [mean(part[what]) for part in parts]
        figures[f"{what}_of_parts"] = found
    return figures


def figures_of(collection: str, name: str, *pooled: str, gold_from: str) -> Figures:
    """Pool the runs' first passages, propose and accept gold for them, and try strategies that do not read."""
    from judging.campaign.campaigns import campaign_named
    from judging.campaign.strategy_figures import setting_of
    from judging.rules.strategies import by_looks, try_strategies
    from pooling.models import QrelSet

    pool, name = f"{collection}-{name}", f"{collection}-{name}"
    command("build_pool", collection, "--pool", pool, "--all-runs", "--qrels", "official", *pooled)
    command("create_campaign", name, "--pool", pool)
    command("propose_gold", name, "--qrels", gold_from)
    command("accept_gold", name, "--all")
    campaign = campaign_named(name)
    setting = setting_of(campaign, QrelSet.objects.get(collection=campaign.collection, name="truth"))
    outcomes = try_strategies(setting)
    looks = sorted(by_looks(setting, outcomes.tasks), key=lambda row: row.passes, reverse=True)
    all_looks = replace(outcomes, rows=tuple(looks))
    return {
        "pairs": campaign.pairs.count(),
        "tasks_in_all": campaign.tasks.count(),
        "limit": campaign.max_tasks_per_worker,
        "gold": outcomes.gold,
        "labeled": outcomes.labeled,
        "tasks": outcomes.tasks,
        "strategies": [asdict(row) for row in outcomes.rows],
        "looks": [asdict(row) for row in looks],
        "over_the_bar": [row.name for row in (*outcomes.over_the_bar(), *all_looks.over_the_bar())],
        "page": [outcomes.page.auc if outcomes.page else 0.5],
        "memory": by_memory(setting, campaign.max_tasks_per_worker),
        "memory_of_20": by_memory(setting, 20),
    }


def by_memory(setting: Any, done: int) -> list[float]:
    """Return, for each seed, how well (AUC) workers who did ``done`` tasks recognize gold pairs from memory."""
    import numpy as np

    from judging.rules.gold_choice import Real, Triple
    from judging.rules.gold_detection import cross_validated
    from tests.judging.classifier import remembered

    real = Real(sorted({tuple(pair) for task in setting.tasks for pair in task}))
    gold = [Triple(*pair) for pair in setting.gold]
    tries = [
        remembered(real, gold, np.random.default_rng(seed), done=done, workers=WORKERS)
        for seed in range(SEEDS)
    ]
    return [cross_validated(*one) for one in tries]


#: The labels of the figures that have a limit.
HELD = {
    "page": "what the page shows",
    "memory": "memory",
    "page_of_parts": "what the page shows, over parts of the queries",
    "memory_of_parts": "memory, over parts of the queries",
}


def limits_missed(figures: Figures) -> list[str]:
    from judging.rules.gold_detection import TOLD

    return [what for what in HELD if mean(figures[what]) >= TOLD]


def show(name: str, figures: Figures) -> None:
    """Print a table of the strategies and the classifier's figures."""
    print(f"\n{name}: {figures['gold']} gold pairs, {figures['pairs']} real pairs")
    heads = [f"passes {count}" for count in figures["tasks"]]
    print(f"{'strategy':<24}{'right on gold':>14}{''.join(f'{head:>11}' for head in heads)}{'agrees':>9}")
    known = {row["name"] for row in figures["strategies"]}
    looks = [row for row in figures["looks"] if row["name"] not in known]
    shown = [
        row for place, row in enumerate(looks) if place < EASIEST or row["name"] in figures["over_the_bar"]
    ]
    for row in [*figures["strategies"], *shown]:
        passes = "".join(f"{chance:>11.1%}" for chance in row["passes"])
        agrees = "–" if row["agrees"] is None else f"{row['agrees']:.0%}"
        mark = "  over the limit" if row["name"] in figures["over_the_bar"] else ""
        print(f"{row['name']:<24}{row['right']:>14.1%}{passes}{agrees:>9}{mark}")
    print(
        f"of {len(figures['looks'])} strategies by looks, those over the limit and the {EASIEST} easiest are shown"
    )
    print(f"a worker can do at most {figures['limit']} of {figures['tasks_in_all']} tasks")
    for what, words in {**HELD, "memory_of_20": "memory of 20 tasks (over the task limit)"}.items():
        note = "  over the limit" if what in limits_missed(figures) else ""
        print(f"AUC, {words}: mean {mean(figures[what]):.3f}, worst {max(figures[what]):.3f}{note}")


def main() -> int:
    """Measure and print; with --check, return 1 if a limit is missed."""
    parser = options_parser(__doc__)
    parser.add_argument(
        "--texts", type=Path, metavar="FOLDER", help="folder of real texts to measure in addition"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        choose_sqlite(folder)
        set_up_product()
        found = {
            "demo": sample("demo", gold_from="truth"),
            f"{SPARSE} demo": sample("sparse", gold_from="official"),
        }
        if options.texts:
            found["texts"] = real_texts(options.texts, "texts", gold_from="truth")
            found[f"{SPARSE} texts"] = real_texts(options.texts, "sparse-texts", gold_from="official")
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        for name, figures in found.items():
            show(name, figures)
    missed = any(
        one["over_the_bar"] or limits_missed(one)
        for name, one in found.items()
        if not name.startswith(SPARSE)
    )
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
