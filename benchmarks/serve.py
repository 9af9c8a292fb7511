"""Measure how fast the judging pages serve many people at once, and whether acknowledged work is lost.

Simulated workers load the real pages over HTTP and save every choice: 200 on PostgreSQL and Redis with two web
processes, 20 on SQLite with the default single process, each with 20,000 tasks waiting. Everything, including the
workers, runs on this machine. It takes about twelve minutes. Limits:

- at a human pace (a choice every 5 s), every kind of page and every save under 0.3 s at the 95th percentile;
- no error at any pace, and every acknowledged choice and judgment in the database;
- at full speed, tasks per second with 20,000 waiting at least 0.8 of the rate with 200 waiting;
- on PostgreSQL, with 20,000 and 1,000 waiting: at least 20 tasks/s with every choice saved, and 32 with forms; p95
  of a save under 0.6 s (25 ms at a human pace); under 65 ms of the web processes' processor time a task.

``--waiting`` sets the number of waiting tasks, ``--on`` chooses one database; ``--json`` prints the figures as JSON;
``--check`` exits 1 if a limit is missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from _harness import ROOT, choose_services, choose_sqlite, installed_product, options_parser, report

#: The number of waiting tasks in the small campaigns of the comparison.
FEW = 200
#: The number of waiting tasks in the campaigns of the second measurement at full speed.
FEWER = 1000
PACE_SECONDS, HUMAN_SECONDS = 5.0, 90.0
#: At full speed: seconds of warm-up, then seconds measured with saves or with forms, which must not use up the
#: waiting tasks.
WARM_SECONDS, FAST_SECONDS, FORM_SECONDS = 12.0, 30.0, 15.0
#: At full speed, people arrive over about the time of one task. Since requests are answered in turn, people who
#: arrive together would stay in step, and all would ask for the expensive pages at the same time.
ARRIVAL_SECONDS = 8.0
#: The time limit of one round of the comparison.
ROUND_SECONDS = 120.0
ROUNDS = 3
PEOPLE = {"postgres": 200, "sqlite": 20}
PROCESSES = {"postgres": 2, "sqlite": 1}
PAIRS_PER_QUERY = 45  # ten passages

Figures = dict[str, Any]


def prepare(folder: Path, on: str) -> None:
    """Set the environment for the database and the ports, before Django reads its settings."""
    from tests import provision

    if on == "postgres":
        choose_services(folder, f"preferee_serve_{os.getpid()}")
    else:
        choose_sqlite(folder)
        os.environ.pop("REDIS_URL", None)
    os.environ |= {
        "PREFEREE_SPENDING_CAP": "0",
        "PREFEREE_PUBLIC_URL": f"http://127.0.0.1:{provision.free_port()}",
        "MARKETPLACE_PORT": str(provision.free_port()),
        "MARKETPLACE_OPENING_BALANCE": "1000000.00",
        "CELERY_BROKER_URL": "memory://localhost/",
    }


@contextmanager
def web_processes(processes: int) -> Iterator[tuple[str, int]]:
    """Run web processes as in production; yields their address and the id of the first process."""
    from django.conf import settings

    from config.process import launcher

    command = [sys.executable, "manage.py", "run", "--web-only", "--until-parent-exits"]
    with (settings.DATA_DIR / "web.log").open("ab") as log:
        first = subprocess.Popen([*command, "--processes", str(processes)], cwd=ROOT, stderr=log)
    try:
        launcher.wait_for(f"{settings.PUBLIC_URL}/healthz", first, "web")
        yield settings.PUBLIC_URL, first.pid
    finally:
        launcher.stop(first)


def processor_seconds(first: int) -> float:
    """Return the processor time used so far by a process and all its descendants that are alive (Linux)."""
    parents, spent = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
            parents[int(folder.name)] = int(fields[1])
            spent[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    family = {first}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(spent.get(process, 0.0) for process in family)


class Campaigned:
    """A launched campaign with at least this many waiting tasks, and with the places it posted."""

    def __init__(self, name: str, tasks: int) -> None:
        from judging.campaign.campaigns import CampaignSettings, create_campaign
        from judging.campaign.worker_texts import accept_texts
        from judging.exchange.link_tokens import link_token
        from judging.launch.launches import launch_campaign
        from judging.models import Campaign, Place, Task

        settings = CampaignSettings(max_tasks_per_worker=100)
        pool = make_pool(name, -(-tasks * 10 // PAIRS_PER_QUERY))
        campaign = create_campaign(name=name, settings=settings, pool=pool)
        make_gold_pairs(campaign, settings.gold_per_task * settings.max_tasks_per_worker)
        accept_texts(campaign)
        launch_campaign(campaign, accept_weak_screening=True)
        # The crowd site's replies to the posted places, which this benchmark makes up.
        places = list(Place.objects.filter(posting__campaign=campaign).only("pk", "number"))
        for place in places:
            place.crowd_id, place.state = f"H{campaign.pk}X{place.number}", Place.State.OPEN
        Place.objects.bulk_update(places, ["crowd_id", "state"], batch_size=2000)
        self.campaign: Campaign = Campaign.objects.get(pk=campaign.pk)
        self.link = f"/judge/{link_token(campaign.postings.get())}/"
        self.free = iter([place.crowd_id for place in places])
        self.tasks = Task.objects.filter(campaign=campaign)

    def next_place(self) -> str:
        """Return the crowd's id of a place that nobody has taken. Raises NothingLeft."""
        from _people import NothingLeft

        if place := next(self.free, None):
            return place
        raise NothingLeft

    def waiting(self) -> int:
        """Return the number of waiting tasks."""
        return int(self.tasks.filter(state="waiting").count())


def make_pool(name: str, count: int, *, sides: str = "abcdefghij") -> Any:
    """Build a pool of this many queries, with one passage of realistic length for each letter in ``sides``."""
    from pooling.models import Collection, Passage, Pool, PooledPassage, Query

    collection = Collection.objects.create(name=name)
    made = Pool.objects.create(collection=collection, name=name)
    queries = Query.objects.bulk_create(
        [
            Query(collection=collection, qid=str(number), text=f"what is number {number}", position=number)
            for number in range(count)
        ],
        batch_size=2000,
    )
    passages = Passage.objects.bulk_create(
        [
            Passage(
                collection=collection, pid=f"{query.qid}-{side}", class_key="", text=text_of(query.qid, side)
            )
            for query in queries
            for side in sides
        ],
        batch_size=2000,
    )
    PooledPassage.objects.bulk_create(
        [
            PooledPassage(pool=made, query=queries[index // len(sides)], passage=passage)
            for index, passage in enumerate(passages)
        ],
        batch_size=2000,
    )
    return made


def text_of(qid: str, side: str) -> str:
    """Return a text of about fifty words."""
    return " ".join(f"Passage {side} says of number {qid} what it knows in its own words." for _ in range(4))


def make_gold_pairs(campaign: Any, number: int) -> None:
    """Create accepted gold pairs, enough for a worker at the task limit."""
    from judging.models import GoldPair
    from pooling.models import Passage, Query

    last = Query.objects.filter(collection=campaign.collection).count()
    texts = {"good": text_of("0", "good"), "off": "This one is off the topic altogether."}
    for index in range(number):
        sides = [
            Passage.objects.create(collection=campaign.collection, pid=f"{kind}-{index}", text=words)
            for kind, words in texts.items()
        ]
        # Each gold pair has its own query, because no task repeats a query.
        query = Query.objects.create(
            collection=campaign.collection,
            qid=f"gold-{index}",
            text=f"What of {index}?",
            position=last + index,
        )
        GoldPair.objects.create(
            campaign=campaign, query=query, relevant=sides[0], off_topic=sides[1], state="accepted"
        )


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Return p50, p95 and p99 in seconds."""
    ordered = sorted(seconds) or [0.0]
    return {
        f"p{share}": ordered[min(len(ordered) - 1, len(ordered) * share // 100)] for share in (50, 95, 99)
    }


def summary(seen: Any, seconds: float) -> Figures:
    """Return the figures of one shift, since its warm-up."""
    tasks, saves = len(seen.finished) - seen.warm.tasks, len(seen.saved) - seen.warm.saves
    return {
        "seconds": seconds,
        "tasks": tasks,
        "saves": saves,
        "tasks_per_second": tasks / seconds,
        "saves_per_second": saves / seconds,
        "requests": {kind: {"number": len(all), **percentiles(all)} for kind, all in seen.seconds.items()},
        "errors": dict(seen.errors),
        "lost": lost_work(seen),
    }


def lost_work(seen: Any) -> list[str]:
    """Return everything that the server acknowledged but the database does not have."""
    from judging.models import Choice, GoldAnswer, Judgment, Slot, Submission

    where = {"submission__assignment_id__in": {assignment for assignment, _ in seen.saved}}
    slots = Slot.objects.filter(**where).values_list(
        "submission__assignment_id", "number", "pk", "left_id", "right_id"
    )
    choices = dict(Choice.objects.filter(slot__in=[row[2] for row in slots]).values_list("slot_id", "side"))
    answers: dict[int, int | None] = {}
    for model in (Judgment, GoldAnswer):
        answers |= dict(model.objects.filter(**where).values_list("slot_id", "preferred_id"))
    missing = []
    for assignment, number, slot, left, right in slots:
        side = seen.saved.get((assignment, number))
        if side and choices.get(slot) != side:
            missing.append(f"choice of {assignment}, slot {number}")
        if assignment in seen.finished and answers.get(slot) != {"left": left, "right": right}[str(side)]:
            missing.append(f"judgment of {assignment}, slot {number}")
    known = {(assignment, number) for assignment, number, *_ in slots}
    missing += [
        f"slot {number} of {assignment}"
        for assignment, number in seen.saved
        if (assignment, number) not in known
    ]
    done = Submission.objects.filter(assignment_id__in=seen.finished, state="finished").count()
    if done != len(seen.finished):
        missing.append(f"{len(seen.finished) - done} submitted tasks")
    return missing


def compare_queues(on: str, site: str, large: Campaigned) -> Figures:
    """Measure tasks per second with few and with many waiting tasks in turn. Each person does one task."""
    from _people import Seen, Shift, work

    found: dict[str, list[float]] = {"few": [], "many": []}
    taking: dict[str, list[float]] = {"few": [], "many": []}
    errors: list[str] = []
    for number in range(ROUNDS):
        small = Campaigned(f"few-{on}-{number}", FEW + PEOPLE[on])
        for which, campaigned in (("few", small), ("many", large)):
            shift = Shift(site, campaigned.link, PEOPLE[on], tasks_each=1, seconds=ROUND_SECONDS)
            seen: Seen
            seen, seconds = work(shift, f"C{which.upper()}{number}", campaigned.next_place)
            found[which].append(len(seen.finished) / seconds)
            taking[which] += seen.seconds["take"]
            errors += [*seen.errors, *lost_work(seen)]
    few, many = statistics.median(found["few"]), statistics.median(found["many"])
    return {
        "few_waiting": FEW,
        "many_waiting": large.waiting(),
        "tasks_per_second": {"few": few, "many": many},
        "rounds": found,
        "take": {which: percentiles(seconds) for which, seconds in taking.items()},
        "ratio": many / few if few else 0.0,
        "errors": errors,
    }


def measure(on: str, waiting: int) -> Figures:
    """Measure one database: at a human pace, at full speed, and with few and many tasks waiting."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), on)
        with installed_product():
            from config.process import launcher

            with launcher.crowd_running():
                large = Campaigned(f"many-{on}", waiting)
                with web_processes(PROCESSES[on]) as (site, process):
                    return at_every_pace(on, site, process, large)


def at_every_pace(on: str, site: str, process: int, large: Campaigned) -> Figures:
    """Measure the running pages, first at a human pace, which warms them up."""
    from _people import Shift
    from _rows import gather_statistics

    def shift(name: str, campaigned: Campaigned, **how: Any) -> Figures:
        gather_statistics()
        print_progress(f"{on}, {name}: {campaigned.waiting():,} tasks waiting, {people} people")
        return shift_figures(
            Shift(site, campaigned.link, people, **how), name[:2].upper(), campaigned, process
        )

    people = PEOPLE[on]
    pace = {"pause": PACE_SECONDS, "arrive_over": 4 * PACE_SECONDS, "seconds": HUMAN_SECONDS}
    warm: dict[str, Any] = {"arrive_over": ARRIVAL_SECONDS, "warm_up": WARM_SECONDS}
    saves = warm | {"seconds": WARM_SECONDS + FAST_SECONDS}
    forms = warm | {"seconds": WARM_SECONDS + FORM_SECONDS, "forms": True}
    found: Figures = {"people": people, "human": shift("human", large, **pace)}
    found["fast"] = shift("fast", large, **saves)
    found["form"] = shift("form", large, **forms)
    found["fast, few"] = shift("sparse", Campaigned(f"saves-{on}", FEWER), **saves)
    found["form, few"] = shift("brief", Campaigned(f"forms-{on}", FEWER), **forms)
    print_progress(f"{on}: with {FEW} and with {large.waiting():,} waiting")
    found["compared"] = compare_queues(on, site, large)
    return found


def shift_figures(shift: Any, name: str, campaigned: Campaigned, process: int) -> Figures:
    """Let people work; return the figures of the shift, with the processor time that the web processes used."""
    from _people import work

    shift = replace(shift, processor=lambda: processor_seconds(process))
    seen, seconds = work(shift, name, campaigned.next_place)
    figures, spent = summary(seen, seconds), processor_seconds(process) - seen.warm.processor
    return figures | {"processor_ms_a_task": 1000 * spent / max(1, figures["tasks"])}


def print_progress(words: str) -> None:
    print(f"  {time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    parser = options_parser(__doc__)
    parser.add_argument(
        "--waiting", type=int, default=20_000, help="number of waiting tasks (default: 20,000)"
    )
    parser.add_argument("--on", choices=list(PEOPLE), help="one database only")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    from _serving_limits import missed, show

    if options.alone:
        print(json.dumps(measure(options.on, options.waiting)))
        return 0
    found: dict[str, Figures] = {}
    for on in [options.on] if options.on else list(PEOPLE):
        # A separate process for each, because Django reads its settings once.
        command = [sys.executable, __file__, "--alone", "--on", on, "--waiting", str(options.waiting)]
        found[on] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        if not options.json:
            show(on, found[on])
            sys.stdout.flush()
    return report(options, found, [miss for on, figures in found.items() for miss in missed(on, figures)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
