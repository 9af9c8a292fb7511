"""Measure how close the posting rate is to a crowd site's rate limit, with one worker process and with eight.

A marketplace process accepts 3 calls per second and answers each after 0.4 seconds, like a remote service. It runs
with PostgreSQL and Redis. One worker process posts the places of one campaign, then eight processes post the places
of eight campaigns concurrently. The rate is measured from the first to the last place. It takes about eleven minutes.
Limits:

- at least 95% of the allowed rate, with one process and with eight;
- every place is posted exactly once.

``--hits`` sets the number of places (default: 1,000), ``--latency`` the delay in seconds; ``--json`` prints the
figures as JSON; ``--check`` exits 1 if a limit is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _harness import choose_services, installed_product, options_parser, report
from serve import make_pool

PER_SECOND = 3
LEAST_SHARE = 0.95
PROCESSES = (1, 8)

Figures = dict[str, Any]


def prepare(folder: Path, endpoint: str, key: dict[str, str]) -> None:
    """Set the environment for the services and this marketplace, before Django reads its settings."""
    from tests import provision

    choose_services(folder, f"preferee_publish_{os.getpid()}")
    os.environ |= {
        "PREFEREE_PUBLIC_URL": f"http://127.0.0.1:{provision.free_port()}",
        "MARKETPLACE_PORT": endpoint.rpartition(":")[2],
        "PREFEREE_SPENDING_CAP": "0",
        "PREFEREE_CROWD_ENDPOINT": endpoint,
        "PREFEREE_CROWD_ACCESS_KEY": key["access_key"],
        "PREFEREE_CROWD_SECRET_KEY": key["secret_key"],
        "PREFEREE_CROWD_CALLS_PER_SECOND": str(PER_SECOND),
    }


def campaign(name: str, tasks: int) -> Any:
    """Create and launch a campaign with this many one-pair tasks, and start the job that posts its places."""
    from config.background.services import start
    from judging.campaign.campaigns import CampaignSettings, create_campaign
    from judging.campaign.worker_texts import accept_texts
    from judging.jobs import post_places_key
    from judging.launch.launches import launch_campaign

    settings = CampaignSettings(pairs_per_task=1, gold_per_task=0)
    made = create_campaign(name=name, settings=settings, pool=make_pool(name, tasks, sides="ab"))
    accept_texts(made)
    launch_campaign(made, accept_weak_screening=True)
    start("judging.post_places", key=post_places_key(made), arguments={"campaign_id": made.pk})
    return made


def work() -> None:
    """Run jobs as a worker process until every place is posted."""
    import django

    django.setup()
    from config import clock
    from config.background import services
    from config.background.models import Job
    from judging.models import Place

    while Place.objects.filter(state=Place.State.WANTED).exists():
        for job in Job.objects.leasable(clock.now()).values_list("pk", flat=True):
            services.run_job(job)
        time.sleep(0.1)


def measure(processes: int, hits: int) -> Figures:
    """Post ``hits`` places with this many processes, and as many campaigns."""
    from judging.crowds import crowd_for
    from judging.models import CrowdCall, Place

    share, more = divmod(hits, processes)
    campaigns = [
        campaign(f"publish-{processes}-{number}", share + (number < more)) for number in range(processes)
    ]
    workers = [subprocess.Popen([sys.executable, __file__, "--work"]) for _ in campaigns]
    calls = CrowdCall.objects.filter(campaign__in=campaigns, operation="post_place")
    while any(worker.poll() is None for worker in workers):
        time.sleep(5)
        print(f"  {processes} processes: {calls.filter(state='done').count():,} of {hits:,}", file=sys.stderr)
    times = sorted(calls.exclude(done_at=None).values_list("done_at", flat=True))
    ours = set(Place.objects.filter(posting__campaign__in=campaigns).values_list("crowd_id", flat=True))
    keys = set(calls.values_list("key", flat=True))
    there = [place.crowd_id for place in crowd_for(campaigns[0]).places() if place.key in keys]
    seconds = (times[-1] - times[0]).total_seconds()
    return {
        "hits": len(there),
        "once_each": len(there) == hits == len(ours & set(there)),
        "seconds": seconds,
        "share": (len(times) - 1) / seconds / PER_SECOND,
        "attempts": sum(calls.values_list("attempts", flat=True)),
    }


def run(hits: int, latency: float) -> dict[str, Figures]:
    """Run both measurements on one database, against one marketplace."""
    from tests.chaos.fault_proxy import FaultProxy, Faults
    from tests.contract.endpoint import start_marketplace

    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        limit = {"MARKETPLACE_THROTTLE_PER_SECOND": str(PER_SECOND)}
        process, port = start_marketplace(folder, "--until-parent-exits", **limit)
        faults = Faults(slow=1.0, slow_seconds=latency)
        proxy = FaultProxy(f"http://127.0.0.1:{port}", faults=faults, seed=1)
        prepare(folder, proxy.url, json.loads((folder / "marketplace-key.json").read_text()))
        try:
            with installed_product():
                found = {f"{processes} processes": measure(processes, hits) for processes in PROCESSES}
        finally:
            proxy.close()
            process.terminate()
            process.wait(timeout=30)
    return found


def main(arguments: Sequence[str]) -> int:
    parser = options_parser(__doc__)
    parser.add_argument("--hits", type=int, default=1000, help="places to post each time (default: 1,000)")
    parser.add_argument(
        "--latency", type=float, default=0.4, metavar="S", help="seconds before each reply (default: 0.4)"
    )
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        work()
        return 0
    found = run(options.hits, options.latency)
    missed = [
        f"{name}: {figures['share']:.1%}" for name, figures in found.items() if figures["share"] < LEAST_SHARE
    ]
    missed += [
        f"{name}: not every place was posted exactly once"
        for name, figures in found.items()
        if not figures["once_each"]
    ]
    return report(options, found, missed, lambda: show(found))


def show(found: dict[str, Figures]) -> None:
    for name, figures in found.items():
        print(
            f"{name:12} {figures['hits']:,} places in {figures['seconds']:.1f} s: "
            f"{figures['share']:.1%} of {PER_SECOND} calls per second (limit {LEAST_SHARE:.0%}), "
            f"{figures['attempts']:,} attempts"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
