"""Compile our tables with LaTeX, if Debian's texlive-latex-recommended is installed; nothing else needs it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.http import QueryDict

from leaderboard.analyses.compare.analysis import comparison_analysis
from leaderboard.analyses.compare.comparison import Question, compare_runs, progress_over_time
from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.progress.analysis import progress_analysis
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import compute_analysis
from leaderboard.output import Analysis
from leaderboard.output.latex import latex_table
from leaderboard.scoring.labels import labels_named
from pooling.models import PoolRun, Run
from tests.leaderboard.analyses.test_noise_analyses import second_opinion

PDFLATEX = shutil.which("pdflatex")
NAMES = ("a_b%&|$ {x}^~\\ <#1>", "naïve–“q” été ± 5 °C, 3 − 2", "βeta ≥ 'x'` -- \"y\"")
#: Kinds that need private queries, or a campaign created from a run.
NEEDS_MORE = ("private_board", "better_than_perfect")


def document(analyses: list[Analysis], folder: Path) -> Path:
    tables = "\n\\clearpage\n".join(latex_table(table) for one in analyses for table in one.downloads)
    path = folder / "tables.tex"
    # As wide as acmart's sigconf, which is not installed everywhere.
    head = (
        "\\documentclass[twocolumn]{article}\n\\usepackage[textwidth=506pt,columnsep=24pt]{geometry}\n"
        "\\usepackage[T1]{fontenc}\n\\usepackage{booktabs,graphicx,longtable}\n"
    )
    path.write_text(f"{head}\\begin{{document}}\n{tables}\n\\end{{document}}\n")
    return path


@pytest.mark.skipif(PDFLATEX is None, reason="no LaTeX here")
def test_every_analysis_with_the_worst_names_is_set_by_pdflatex(valley, version, tmp_path):
    second_opinion(valley)
    for run, name in zip(valley.runs, NAMES, strict=True):
        Run.objects.filter(pk=run.pk).update(run_tag=name)
        PoolRun.objects.create(pool=valley.pool, run=run)
    runs = tuple(Run.objects.filter(collection=valley.collection).order_by("pk"))
    analyses = [
        compute_analysis(
            Asked(
                kind,
                valley.collection,
                runs,
                read_settings(kind.fields, QueryDict("trials=20&splits=2&qrels=official")),
                valley.campaign if kind.of_campaign else None,
            )
        )
        for name, kind in KINDS.items()
        if name not in NEEDS_MORE
    ]
    question = Question(labels_named(valley.collection, "official"))
    asked = {"collection": valley.collection, "runs": runs, "question": question}
    analyses.append(comparison_analysis(compare_runs(**asked)))
    analyses.append(progress_analysis(progress_over_time(**asked)))

    path = document(analyses, tmp_path)
    done = subprocess.run(
        [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", path.name],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log[log.find("\n!") :][:2000]
    assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert "Missing character" not in log
    assert [float(found) for found in re.findall(r"Overfull \\hbox \((\d+)", log) if float(found) > 15] == []


def test_names_that_pdflatex_has_no_letters_for_are_said_on_top(valley, version):
    Run.objects.filter(pk=valley.runs[0].pk).update(run_tag="检索")
    runs = tuple(Run.objects.filter(collection=valley.collection).order_by("pk"))
    question = Question(labels_named(valley.collection, "official"))

    found = progress_over_time(collection=valley.collection, runs=runs, question=question)
    # Runs without a date, such as these, have a separate table.
    text = next(text for one in progress_analysis(found).tables if "检索" in (text := latex_table(one)))

    assert text.startswith(
        "% Needs LuaLaTeX or XeLaTeX, and a font with these characters: 检索\n\\begin{table"
    )
