"""Measure how fast runs are imported, scored and rescored, compared with pytrec_eval and ir_measures.

It uses a generated run of 6,980 queries × 1,000 passages (7 million lines; decimal pids as in MS MARCO's passages),
in TREC and MS MARCO format. If ../shared/data/dl21 exists, it also uses the 16 real runs of TREC 2021 Deep Learning,
which are decompressed and then scored without being stored.

Each measurement is a separate process, timed after its imports and one tiny run; its peak memory is its
largest resident set. Our process runs every check, hashes the content, stores the ranking and scores it; the other
libraries load and score. All must agree on the value. Limits:

- TREC format: at least 3 × faster than pytrec_eval (goal: 4 ×) and 5 × faster than ir_measures, under 1,200 MB;
- MS MARCO format: faster than TREC format;
- scoring 100 stored runs (RR@10): at least 100 × faster than importing 100 runs;
- reading the top 10 of a stored run: at most 10 ms;
- the 16 real runs with nDCG@10, AP and RR: at least 3 × faster than pytrec_eval.

The real runs take a fraction of a second, so both processes repeat them and report the median. The first round is
left out, because it also allocates memory.

``--json`` prints the figures as JSON; ``--check`` exits 1 if a limit is missed; ``--repeat`` sets the number of
measurements. The fastest counts, because other load on the machine only adds time.
"""

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from _harness import ROOT, options_parser, report

QUERIES, PASSAGES, COLLECTION = 6_980, 1_000, 8_841_823
STORED_RUNS = 100
DL21 = ROOT.parent / "shared" / "data" / "dl21"
LIMITS = {
    "trec_vs_pytrec_eval": 3.0,
    "trec_vs_ir_measures": 5.0,
    "msmarco_vs_trec": 1.0,
    "rescore_vs_import": 100.0,
    "real_vs_pytrec_eval": 3.0,
}
MOST_MB, MOST_TOP_MS = 1200, 10.0

Figures = dict[str, Any]


# The work of each process. Every function does its imports and returns the function to time, which takes a folder
# filled by ``generate``.

Work = Callable[[Path], float]


def ours(run: str) -> Work:
    """Check, hash, store and score (RR) one run."""
    from leaderboard.scoring.measure_names import parse_measure
    from leaderboard.scoring.measures import RankedLabels
    from pooling.files.formats import Content
    from pooling.files.ranking import write_ranking
    from pooling.files.trec import read_qrel_file, read_run_file
    from pooling.files.wanted_ranks import Wanted, find_wanted

    measure = parse_measure("RR")

    def work(folder: Path) -> float:
        qrels = read_qrel_file(Content(folder / "qrels"))
        file = read_run_file(Content(folder / run), known_qids=set(qrels.qids))
        write_ranking(file.ranking, folder / f"{run}.parquet")
        found = find_wanted(file.ranking, Wanted(qrels.qids, qrels.query, qrels.pids))
        return measure.mean(
            measure.values(RankedLabels(len(qrels.qids), qrels.query, qrels.grade, found.rank))
        )

    return work


def pytrec_eval_one(run: str) -> Work:
    """Load and score (RR) one run with pytrec_eval."""
    import pytrec_eval

    def work(folder: Path) -> float:
        with (folder / "qrels").open() as qrels_file, (folder / run).open() as run_file:
            qrels, rankings = pytrec_eval.parse_qrel(qrels_file), pytrec_eval.parse_run(run_file)
        values = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(rankings)
        return statistics.fmean(value["recip_rank"] for value in values.values())

    return work


def ir_measures_one(run: str) -> Work:
    """Load and score (RR) one run with ir_measures."""
    import ir_measures

    def work(folder: Path) -> float:
        qrels = ir_measures.read_trec_qrels(str(folder / "qrels"))
        rankings = ir_measures.read_trec_run(str(folder / run))
        return ir_measures.calc_aggregate([ir_measures.RR], qrels, rankings)[ir_measures.RR]

    return work


def rescore(run: str) -> Work:
    """Score (RR@10) stored runs again, each from its own file."""
    from leaderboard.scoring.measure_names import parse_measure
    from leaderboard.scoring.measures import RankedLabels
    from pooling.files.formats import Content
    from pooling.files.ranking import read_ranking
    from pooling.files.trec import read_qrel_file
    from pooling.files.wanted_ranks import Wanted, find_wanted

    measure = parse_measure("RR@10")

    def work(folder: Path) -> float:
        qrels = read_qrel_file(Content(folder / "qrels"))
        wanted = Wanted(qrels.qids, qrels.query, qrels.pids)
        means = []
        for stored in sorted((folder / "stored").iterdir()):
            rank = find_wanted(read_ranking(stored, depth=10), wanted).rank
            means.append(
                measure.mean(measure.values(RankedLabels(len(qrels.qids), qrels.query, qrels.grade, rank)))
            )
        assert len(set(means)) == 1
        return means[0]

    return work


def read_tops(run: str) -> Work:
    """Read the top 10 of every stored run."""
    from pooling.files.ranking import read_ranking

    def work(folder: Path) -> float:
        stored = sorted((folder / "stored").iterdir())
        return statistics.fmean(len(read_ranking(path, depth=10).passages) for path in stored)

    return work


def ours_real(run: str) -> Work:
    """Check, hash and score (nDCG@10, AP, RR) the real runs."""
    import numpy as np

    from leaderboard.scoring.measure_names import parse_measures
    from leaderboard.scoring.measures import RankedLabels
    from pooling.files.formats import Content
    from pooling.files.trec import read_qrel_file, read_runs
    from pooling.files.wanted_ranks import Wanted, find_wanted

    measures = parse_measures("nDCG@10 AP RR")

    def work(folder: Path) -> float:
        files = read_runs([Content(path) for path in sorted((folder / "real").iterdir())])
        qrels = read_qrel_file(Content(DL21 / "qrels.txt"))
        wanted = Wanted(qrels.qids, qrels.query, qrels.pids)
        labels = RankedLabels(len(qrels.qids), qrels.query, qrels.grade, np.zeros(len(qrels), np.int64))
        total = 0.0
        for file in files:
            judged = replace(labels, rank=find_wanted(file.ranking, wanted).rank)
            total += sum(measure.mean(measure.values(judged)) for measure in measures)
        return total

    return work


def pytrec_eval_real(run: str) -> Work:
    """Load and score (nDCG@10, AP, RR) the real runs with pytrec_eval."""
    import pytrec_eval

    names = {"ndcg_cut.10": "ndcg_cut_10", "map": "map", "recip_rank": "recip_rank"}

    def work(folder: Path) -> float:
        with (DL21 / "qrels.txt").open() as file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(names))
        total = 0.0
        for path in sorted((folder / "real").iterdir()):
            with path.open() as file:
                values = evaluator.evaluate(pytrec_eval.parse_run(file))
            total += sum(statistics.fmean(v[name] for v in values.values()) for name in names.values())
        return total

    return work


def generate(folder: Path, queries: int, passages: int) -> None:
    """Write the run in both formats, and one relevant passage per query, which is usually retrieved."""
    import numpy as np
    import polars as pl

    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(20260101)
    pids = np.stack([rng.choice(COLLECTION, passages, replace=False) for _ in range(queries)])
    scores = -np.sort(-rng.normal(10, 3, (queries, passages)), axis=1)
    scores[::10] = scores[::10].round(2)  # every tenth query has ties
    qids = np.arange(queries) * 151 + 2
    lines = pl.DataFrame(
        {
            "qid": np.repeat(qids, passages),
            "q0": pl.repeat("Q0", queries * passages, eager=True),
            "pid": pids.ravel(),
            "rank": np.tile(np.arange(1, passages + 1), queries),
            "score": scores.ravel(),
            "tag": pl.repeat("generated", queries * passages, eager=True),
        }
    )
    lines.write_csv(folder / "trec", separator=" ", include_header=False, float_precision=6)
    lines.select("qid", "pid", "rank").write_csv(folder / "msmarco", separator="\t", include_header=False)
    ranks = np.minimum(rng.geometric(0.05, queries), passages) - 1
    relevant = np.where(rng.random(queries) < 0.9, pids[np.arange(queries), ranks], COLLECTION + 1)
    qrels = "".join(f"{qid} 0 {pid} 1\n" for qid, pid in zip(qids, relevant, strict=True))
    (folder / "qrels").write_text(qrels)


def prepare(folder: Path) -> None:
    """Fill a folder, and a tiny subfolder for the warm-up."""
    generate(folder, QUERIES, PASSAGES)
    generate(folder / "tiny", 20, 10)
    if not DL21.exists():
        return
    for place in (folder, folder / "tiny"):
        (place / "real").mkdir()
    for path in (DL21 / "runs").iterdir():
        (folder / "real" / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    lines = (folder / "real" / "p_bm25.txt").read_text().splitlines(keepends=True)
    (folder / "tiny" / "real" / "p_bm25.txt").write_text("".join(lines[:300]))


def store(folder: Path) -> None:
    """Link the stored run under as many names as there are runs to rescore."""
    for place, names in ((folder, STORED_RUNS), (folder / "tiny", 1)):
        (place / "stored").mkdir()
        for number in range(names):
            os.link(place / "trec.parquet", place / "stored" / f"{number}.parquet")


MEASURED: dict[str, Callable[[str], Work]] = {
    function.__name__: function
    for function in (ours, pytrec_eval_one, ir_measures_one, rescore, read_tops, ours_real, pytrec_eval_real)
}

SHORT, ROUNDS = {"ours_real", "pytrec_eval_real"}, 8


def timed(work: Work, folder: Path, rounds: int) -> Figures:
    """Return the seconds, peak memory and value of ``work`` after a warm-up.

    With several rounds, the seconds are the median without the first.
    """
    work(folder / "tiny")
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        value = work(folder)
        taken.append(time.perf_counter() - begun)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": statistics.median(taken[1:] or taken), "peak_mb": peak_mb, "value": value}


def measure(what: Callable[[str], Work], folder: Path, run: str, repeat: int) -> Figures:
    """Return the shortest time of several processes and the largest of their memory peaks."""
    command = [sys.executable, __file__, "--measure", what.__name__, str(folder), run]
    taken: list[Figures] = []
    for _ in range(repeat):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        taken.append(json.loads(done.stdout))
        print(f"  {what.__name__} {run}: {taken[-1]['seconds']:.2f} s", file=sys.stderr)
    fastest = min(taken, key=lambda figures: figures["seconds"])
    return fastest | {"peak_mb": max(figures["peak_mb"] for figures in taken)}


def figures_of(folder: Path, repeat: int) -> Figures:
    print("generating 7 million lines", file=sys.stderr)
    # In a separate process, because a child's largest resident set starts with its parent's.
    subprocess.run([sys.executable, __file__, "--prepare", str(folder)], check=True)
    found: Figures = {
        "ours_trec": measure(ours, folder, "trec", repeat),
        "pytrec_eval": measure(pytrec_eval_one, folder, "trec", repeat),
        "ir_measures": measure(ir_measures_one, folder, "trec", 1),
        "ours_msmarco": measure(ours, folder, "msmarco", repeat),
    }
    store(folder)
    found["rescore"] = measure(rescore, folder, "trec", repeat)
    found["read_tops"] = measure(read_tops, folder, "trec", repeat)
    if DL21.exists():
        found["ours_real"] = measure(ours_real, folder, "real", repeat)
        found["pytrec_eval_real"] = measure(pytrec_eval_real, folder, "real", repeat)
    return found


def ratios_of(found: Figures) -> dict[str, float]:
    """Return the ratios of times that have limits (:data:`LIMITS`), by name."""

    def seconds(name: str) -> float:
        return found[name]["seconds"]

    ratios = {
        "trec_vs_pytrec_eval": seconds("pytrec_eval") / seconds("ours_trec"),
        "trec_vs_ir_measures": seconds("ir_measures") / seconds("ours_trec"),
        "msmarco_vs_trec": seconds("ours_trec") / seconds("ours_msmarco"),
        "rescore_vs_import": STORED_RUNS * seconds("ours_trec") / seconds("rescore"),
    }
    if "ours_real" in found:
        ratios["real_vs_pytrec_eval"] = seconds("pytrec_eval_real") / seconds("ours_real")
    return ratios


def top_ms(found: Figures) -> float:
    """Return how long it takes to read the top 10 of one stored run, in milliseconds."""
    return found["read_tops"]["seconds"] * 1000 / STORED_RUNS


def missed_limits(found: Figures, ratios: dict[str, float]) -> list[str]:
    """Return the missed limits (see the module's docstring) as text."""
    missed = [
        f"{name}: {ratio:.2f} × (limit: at least {LIMITS[name]:g} ×)"
        for name, ratio in ratios.items()
        if ratio < LIMITS[name]
    ]
    if found["ours_trec"]["peak_mb"] >= MOST_MB:
        missed.append(f"peak memory: {found['ours_trec']['peak_mb']:.0f} MB (limit: under {MOST_MB} MB)")
    if top_ms(found) > MOST_TOP_MS:
        missed.append(f"top 10 of a stored run: {top_ms(found):.1f} ms (limit: at most {MOST_TOP_MS:g} ms)")
    for ours_name, peer in (
        ("ours_trec", "pytrec_eval"),
        ("ours_trec", "ir_measures"),
        ("ours_real", "pytrec_eval_real"),
    ):
        if ours_name in found and abs(found[ours_name]["value"] - found[peer]["value"]) > 1e-9:
            missed.append(f"{ours_name} and {peer} disagree on the value")
    return missed


def main(arguments: Sequence[str]) -> int:
    parser = options_parser(__doc__)
    parser.add_argument(
        "--repeat",
        type=int,
        default=3,
        help="number of measurements of each kind (default: 3); the fastest counts",
    )
    parser.add_argument("--measure", nargs=3, metavar=("WHAT", "FOLDER", "RUN"), help=argparse.SUPPRESS)
    parser.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.prepare:
        prepare(options.prepare)
        return 0
    if options.measure:
        what, folder, run = options.measure
        rounds = ROUNDS if what in SHORT else 1
        print(json.dumps(timed(MEASURED[what](run), Path(folder), rounds)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = figures_of(Path(folder), options.repeat)
    ratios = ratios_of(found)
    return report(options, found, missed_limits(found, ratios), lambda: show(found, ratios), ratios=ratios)


def show(found: Figures, ratios: dict[str, float]) -> None:
    for name, figures in found.items():
        print(f"{name:18} {figures['seconds']:8.2f} s {figures['peak_mb']:8.0f} MB")
    for name, ratio in ratios.items():
        print(f"{name:22} {ratio:8.1f} ×  (limit {LIMITS[name]:g} ×)")
    print(f"top 10 of a stored run {top_ms(found):6.1f} ms (limit {MOST_TOP_MS:g} ms)")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
