"""The demo: every step from import to second version, on the bundled sample, as commands that a person types."""

import io
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from config.errors import Refusal
from config.plurals import many
from config.process import launcher
from pooling.collections.name_rules import free_name
from pooling.models import Collection

SAMPLE = Path("docs/sample")
SEED = 2022
#: Dollars for the tasks, the repeats of careless workers' tasks, and a challenge.
BUDGET = "250"


@dataclass
class Demo:
    """One run of the demo; ``say`` prints a line, and ``name`` is the demo's collection."""

    say: Callable[[str], None]
    name: str = ""

    def command(self, *words: str) -> dict[str, Any]:
        """Run a management command as typed, and return what its ``--json`` prints."""
        shown = [word for word in words if word != "--json"]
        self.say(f"  $ manage.py {shell_command(shown)}")
        out = io.StringIO()
        try:
            call_command(*words, "--json", stdout=out)
        except SystemExit as stop:
            if stop.code:
                raise Refusal(f"The step `{words[0]}` failed.", "See its output above.") from None
        return dict(json.loads(out.getvalue()))

    def run(self) -> dict[str, Any]:
        """Import runs, judge a campaign, publish version 1, add runs, publish version 2.

        Return both leaderboards, the challenge, and the tags of the added runs.
        """
        sample = settings.BASE_DIR / SAMPLE
        self.name = free_name("sample", Collection.objects.all())
        self.import_sample(sample)
        with launcher.crowd_running(), launcher.judging_pages_running():
            self.judge()
            self.say("\n3. Resolve every query's tournament, publish a version, score every run")
            first = self.publish()
            moved = self.challenge(sample)
        return {"collection": self.name, "version_1": first, **moved}

    def import_sample(self, sample: Path) -> None:
        """Import queries, passages, labels and the first runs, and pool them."""
        self.say("\n1. Import queries, passages, labels and ten runs; pool every run's top passage")
        queries, passages = str(sample / "queries.tsv"), str(sample / "passages.tsv")
        qrels = str(sample / "qrels.txt")
        self.command(
            "import_collection", self.name, "--queries", queries, "--passages", passages, "--qrels", qrels
        )
        self.command("share_collection", self.name, "--with", "everybody")
        self.command(
            "import_qrels", self.name, str(sample / "grades.txt"), "--set", "truth", "--min-grade", "2"
        )
        self.command("import_runs", self.name, *run_files(sample / "runs"), "--release", "public")
        self.command("build_pool", self.name, "--pool", self.pool, "--all-runs", "--qrels", "official")
        stats = self.command("pool_stats", self.pool)
        self.say(
            f"  {many(stats['queries'], 'query', 'queries')}, {stats['mean']:.1f} passages each; "
            f"{many(stats['pairs'], 'pair')} in {many(stats['tasks'], 'task')}"
        )

    @property
    def pool(self) -> str:
        return f"{self.name}-tops"

    @property
    def campaign(self) -> str:
        return f"{self.name}-first"

    def judge(self) -> None:
        """Create a campaign and have simulated workers judge it, four of them carelessly."""
        self.say(
            "\n2. A campaign: gold pairs, texts, launch; simulated workers judge (four of them carelessly)"
        )
        self.command(
            "create_campaign", self.campaign, "--pool", self.pool, "--budget", BUDGET, "--seed", str(SEED)
        )
        self.command("propose_gold", self.campaign, "--qrels", "truth")
        self.command("accept_gold", self.campaign, "--all")
        self.command("set_texts", self.campaign, "--accept")
        self.command("launch_campaign", self.campaign)
        self.simulate()
        status = self.command("campaign_status", self.campaign)
        judgments, tasks = status["judgments"], status["tasks"]
        self.say(
            f"  {judgments['counted']} of {judgments['wanted']} judgments counted, "
            f"{judgments['excluded']} of excluded workers repeated by others; tasks: {tasks}"
        )

    def simulate(self) -> None:
        """Have 25 simulated workers judge; one answer in ten contradicts the grades."""
        words = "--workers 25 --careless 4 --truth truth --error 0.1 --gold-error 0"
        self.command("simulate_workers", self.campaign, *words.split(), "--seed", str(SEED))

    def publish(self) -> dict[str, Any]:
        """Resolve the tournaments, publish a version, and return the leaderboard under it."""
        resolved = self.command("resolve", self.campaign)
        self.say(
            f"  {many(resolved['closed'], 'query', 'queries')} closed ({resolved['tied']} tied, "
            f"{many(resolved['cycles'], 'cycle')} among them), "
            f"{resolved['open']} open, {many(resolved['singletons'], 'singleton')}"
        )
        version = self.command("publish_qrels", self.campaign)["version"]
        return self.command("leaderboard", self.name, "--version", str(version), "--official", "official")

    def challenge(self, sample: Path) -> dict[str, Any]:
        """Add new runs, judge only their unseen top passages, and publish version 2."""
        self.say("\n4. New runs arrive: only their unseen top passages are compared with the best answers")
        self.command("import_runs", self.name, *run_files(sample / "later"), "--release", "public")
        tags = later_tags(self.name, len(run_files(sample / "later")))
        asked = self.command("challenge", self.campaign, "--runs", *tags)
        self.simulate()
        self.say("\n5. Resolve again, publish the next version, score every run under it")
        second = self.publish()
        return {"challenge": asked, "version_2": second, "later_runs": tags}


def run_files(folder: Path) -> list[str]:
    """Return the run files of a folder, sorted by name."""
    return [str(path) for path in sorted(folder.iterdir()) if path.name.endswith(".txt.gz")]


def later_tags(collection: str, count: int) -> list[str]:
    """Return the tags of the last ``count`` imported runs."""
    runs = Collection.objects.get(name=collection).runs.order_by("-pk")[:count]
    return sorted(run.run_tag for run in runs)


def moved_runs(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each run's preference value and rank on both boards, for the runs ranked on the second board.

    The earlier value and rank are None for a run that is not on the first board.
    """
    before = {row["run"]: row for row in first["rows"]}
    return [
        {
            "run": row["run"],
            "value_before": before.get(row["run"], {}).get("preference"),
            "value": row["preference"],
            "rank_before": before.get(row["run"], {}).get("rank_preference"),
            "rank": row["rank_preference"],
            "rank_official": row["rank_official"],
        }
        for row in second["rows"]
        if row["rank_preference"] is not None
    ]


def shell_command(words: list[str]) -> str:
    """Return the command as typed in the project's folder, quoted for a shell.

    A pattern replaces two or more run files. It is not quoted, so that the shell expands it.
    """
    base = f"{settings.BASE_DIR}/"
    words = [word.removeprefix(base) for word in words]
    files = [word for word in words if word.endswith(".txt.gz")]
    if len(files) < 2:
        return shlex.join(words)
    folder = shlex.quote(str(Path(files[0]).parent))
    return f"{shlex.join(word for word in words if word not in files)} {folder}/*.txt.gz"
