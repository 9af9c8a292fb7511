"""Measure continuous active learning: its speed on many passages, and its recall compared with a random order.

**Speed.** The passages are synthetic: 56 words drawn by Zipf's law, one in five nearly repeats the previous passage.
Limits for the default of 10,000,000 passages, on 2 cores:

- features computed in 900 s of processor time, without generating the texts, with at most 4 GB at the peak;
- one iteration (learning from 150 judgments, ranking every passage, selecting 25) in 60 s with at most 4 GB.

**Finding.** A simulated assessor has the grades of the sample's passages and of those in ``--texts FOLDER``. That
folder has ``queries.tsv``, ``passages.tsv`` and ``qrels.txt``, for instance MS MARCO's. Grades from 2 are relevant.
Each query is judged in batches of 5, once in the order of active learning and once in random order, with five seeds.
Limit: after 25 judgments for each query, active learning has found at least 1.5 times as many relevant passages. This
must be true at the lower end of the 95% interval over the seeds.

It uses temporary folders and a temporary database. ``--passages`` sets the number; ``--figure FILE`` draws the shares
found; ``--json`` prints the figures as JSON; ``--check`` exits 1 if a limit is missed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _harness import ROOT, choose_sqlite, options_parser, set_up_product
from near_duplicates import clock, passages, timed

FEATURES_SECONDS, ITERATION_SECONDS, MOST_MB, LEAST_RATIO = 900, 60, 4096, 1.5
JUDGED, BATCH, SEEDS = 25, 5, 5
RELEVANT_FROM = 2
Figures = dict[str, Any]
Grades = dict[str, dict[str, int]]


def figures_of(spent: Any) -> Figures:
    """Return ``spent`` (wall-clock and processor time, in seconds) and the peak memory of this process."""
    seconds, processor = np.round(spent, 1).tolist()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "processor_seconds": processor, "peak_mb": round(peak)}


def make_features(count: int) -> Figures:
    """Compute the features of ``count`` synthetic passages, in a collection that has nothing else."""
    from pooling.files.feature_files import write_features
    from pooling.models import Collection
    from pooling.passages.features import folder_of, state_of

    collection, _ = Collection.objects.get_or_create(name="synthetic")
    began, making = clock(), np.zeros(2)
    texts = timed(passages(count), making)
    made = write_features(folder_of(collection) / "made", texts, state_of(collection))
    return figures_of(clock() - began - making) | {"disk_mb": round(made.size / 1e6)}


def iterate(count: int) -> Figures:
    """Run one iteration over the features of ``count`` passages."""
    from judging.grading.next_passages import next_passages
    from pooling.models import Collection

    collection = Collection.objects.get(name="synthetic")
    judged = {pid: int(number % 3 == 0) for number, (pid, _) in enumerate(passages(150))}
    began = clock()
    found = next_passages(collection, "word40 word900 word7000", judged, 1, 25, 1)
    return figures_of(clock() - began) | {"named": len(found)}


PARTS: dict[str, Callable[[int], Figures]] = {"features": make_features, "iteration": iterate}


def measure_speed(count: int) -> Figures:
    """Measure each part in a separate process, to separate their memory peaks."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PREFEREE_DATA_DIR": folder}
        return {
            part: json.loads(
                subprocess.run(
                    [sys.executable, __file__, "--part", part, "--passages", str(count)],
                    env=environment,
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout.splitlines()[-1]
            )
            for part in PARTS
        }


def measure_finding(folder: Path, grades_file: str) -> Figures:
    """Return the relevant passages found after each batch, by active learning and in random order, for each seed."""
    from pooling.intake import collections

    made = collections.import_collection(
        name=f"texts-{folder.name}", queries=folder / "queries.tsv", passage_files=[folder / "passages.tsv"]
    )
    grades: Grades = {}
    for line in (folder / grades_file).read_text(encoding="utf-8").splitlines():
        qid, _, pid, grade = line.split()
        grades.setdefault(qid, {})[pid] = int(grade)
    with (folder / "passages.tsv").open(encoding="utf-8") as lines:
        pids = [line.split("\t", 1)[0] for line in lines]
    queries = {
        query.text: grades[query.qid]
        for query in made.collection.queries.order_by("position")
        if max(grades.get(query.qid, {"": 0}).values()) >= RELEVANT_FROM
    }
    curves: dict[str, list[list[int]]] = {"active": [], "random": []}
    for seed in range(1, SEEDS + 1):
        rng = np.random.default_rng(seed)
        by_query = [
            (
                judge_in_learned_order(made.collection, text, known, seed),
                cumulative_found(rng.permutation(pids)[:JUDGED], known),
            )
            for text, known in queries.items()
        ]
        for name, curve in zip(curves, np.array(by_query).sum(axis=0).tolist(), strict=True):
            curves[name].append(curve)
    ratios = np.array(curves["active"])[:, -1] / np.maximum(1, np.array(curves["random"])[:, -1])
    return {
        "passages": len(pids),
        "queries": len(queries),
        "relevant": sum(grade >= RELEVANT_FROM for known in queries.values() for grade in known.values()),
        "judged": list(range(BATCH, JUDGED + 1, BATCH)),
        **{name: [interval(column) for column in np.array(curve).T] for name, curve in curves.items()},
        "ratio": interval(ratios),
    }


def judge_in_learned_order(collection: Any, text: str, known: dict[str, int], seed: int) -> list[int]:
    """Judge a query in the order of active learning; return the relevant passages found after each batch."""
    from judging.grading.next_passages import next_passages

    judged: dict[str, int] = {}
    while len(judged) < JUDGED:
        batch = next_passages(collection, text, judged, RELEVANT_FROM, BATCH, seed)
        judged |= {pid: known.get(pid, 0) for pid in batch}
    return cumulative_found(list(judged), known)


def cumulative_found(order: Sequence[str], known: dict[str, int]) -> list[int]:
    hits = np.cumsum([known.get(pid, 0) >= RELEVANT_FROM for pid in order])
    return hits[BATCH - 1 :: BATCH].tolist()


def interval(values: Any) -> list[float]:
    """Return the mean over seeds and the ends of its 95% interval (Student's t)."""
    from scipy.stats import t

    mean, half = np.mean(values), t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5
    return [round(float(value), 3) for value in (mean, mean - half, mean + half)]


def draw(found: dict[str, Figures], file: Path) -> None:
    """Draw the share of relevant passages found, with intervals over the seeds."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(found), figsize=(4.5 * len(found), 3.4), sharey=True, squeeze=False)
    for axis, (name, figures) in zip(axes[0], found.items(), strict=True):
        for order, label, marker in (("active", "active learning", "o"), ("random", "random order", "s")):
            mean, low, high = np.array(figures[order]).T / figures["relevant"]
            axis.fill_between(figures["judged"], low, high, alpha=0.25)
            axis.plot(figures["judged"], mean, marker=marker, label=label)
        axis.set_title(f"{name}: {figures['queries']} queries, {figures['passages']} passages", fontsize=9)
        axis.set_xlabel("judgments per query")
        axis.set_xticks(figures["judged"])
    axes[0][0].set_ylabel("share of relevant passages found")
    axes[0][0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(file)


def missed(found: Figures, count: int) -> list[str]:
    """Return the missed limits; time limits scale with the number of passages."""
    scale = max(0.25, count / 10_000_000)
    parts = found["speed"]
    held = {
        "the time of features": parts["features"]["processor_seconds"] <= FEATURES_SECONDS * scale,
        "the time of an iteration": parts["iteration"]["seconds"] <= ITERATION_SECONDS * scale,
        "memory": max(part["peak_mb"] for part in parts.values()) <= MOST_MB,
    } | {
        f"relevant passages of {name}": one["ratio"][1] >= LEAST_RATIO
        for name, one in found["finding"].items()
    }
    return [what for what, within in held.items() if not within]


def main() -> None:
    parser = options_parser(__doc__)
    parser.add_argument("--passages", type=int, default=10_000_000, help="default: %(default)s")
    parser.add_argument(
        "--texts", type=Path, metavar="FOLDER", help="folder of real texts to judge in addition"
    )
    parser.add_argument("--figure", type=Path, metavar="FILE")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        choose_sqlite(os.environ["PREFEREE_DATA_DIR"])
        set_up_product()
        print(json.dumps(PARTS[options.part](options.passages)))
        return
    with tempfile.TemporaryDirectory() as folder:
        choose_sqlite(folder)
        set_up_product()
        found: dict[str, Figures] = {"sample": measure_finding(ROOT / "docs" / "sample", "grades.txt")}
        if options.texts:
            found[options.texts.name] = measure_finding(options.texts, "qrels.txt")
    if options.figure:
        draw(found, options.figure)
    all_found = {"finding": found, "speed": measure_speed(options.passages)}
    if options.json:
        print(json.dumps(all_found, indent=1))
    else:
        show(all_found, options.passages)
    if options.check and (wrong := missed(all_found, options.passages)):
        sys.exit(f"A limit was missed: {', '.join(wrong)}.")


def show(found: Figures, count: int) -> None:
    for part, figures in found["speed"].items():
        print(
            f"{part} of {count:,} passages: {figures['seconds']} s "
            f"({figures['processor_seconds']} s of processor), peak {figures['peak_mb']:,} MB"
        )
    for name, figures in found["finding"].items():
        print(
            f"\n{name}: {figures['queries']} queries, {figures['passages']} passages, {figures['relevant']} relevant"
        )
        print("judged  active learning          random order             (mean and 95% interval over seeds)")
        for judged, active, random in zip(
            figures["judged"], figures["active"], figures["random"], strict=True
        ):
            print(f"{judged:>6}  {words_of(active):<24} {words_of(random):<24}")
        print(f"ratio after {JUDGED}: {words_of(figures['ratio'])}")


def words_of(interval: Sequence[float]) -> str:
    mean, low, high = interval
    return f"{mean:.1f} ({low:.1f} to {high:.1f})"


if __name__ == "__main__":
    main()
