"""The soft block: lists of excluded workers, from whom the crowd hides our places.

At a crowd with MTurk's protocol, a list is a qualification type of ours, and only workers without the qualification
see the places. This does not affect a worker's reputation at the crowd. Our own pages refuse excluded workers even
before the list takes effect. At a crowd without such lists, our pages are the only block.
"""

from collections import Counter
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.db.models import Count

from config import clock
from config.process import launcher
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd
from judging.errors import CrowdAlready, CrowdNever
from judging.exchange.calls import Patience, Reply, perform
from judging.models import BlockList, Campaign, CrowdCall, CrowdIdentity, Exclusion, Submission, Worker
from judging.workers.identities import crowd_namespace
from judging.workers.unfinished import unfinished_of
from judging.workers.work_history import is_begun, is_empty, is_stopped

#: The beginning of the names of lists of excluded workers. The installation's name and ")" follow.
SHARED = "No further tasks ("
DESCRIPTION = (
    "Workers with this qualification get no further tasks of this kind. It says nothing about the worker."
)
#: The beginning of the names of lists of workers who reached one of a campaign's limits. The campaign's key follows.
LIMIT = "All tasks done ("
LIMIT_DESCRIPTION = (
    "You did all the tasks of this kind that one person can do, or left too many of them unfinished."
)


def list_prefix(crowd: str) -> str:
    """Return the beginning of the names of this installation's lists of excluded workers at this crowd.

    The first list's name is derived from ``SECRET_KEY``. Later lists begin with the same text even if the key
    changes.
    """
    known = BlockList.objects.filter(crowd=crowd, name__startswith=SHARED).order_by("pk").first()
    return known.name.partition(")")[0] + ")" if known else f"{SHARED}{launcher.installation()})"


def list_name(campaign: Campaign) -> str:
    """Return the name of the list for all workers whom this campaign excluded."""
    if campaign.one_block_list and campaign.refuse_excluded_elsewhere:
        return list_prefix(crowd_namespace(campaign))
    return f"{list_prefix(crowd_namespace(campaign))} of {campaign.name}"


def common_list_name(campaign: Campaign) -> str:
    """Return the name of the list for excluded workers whom the collection's other campaigns also refuse."""
    name = list_prefix(crowd_namespace(campaign))
    return name if campaign.one_block_list else f"{name} in {campaign.collection.name}"


def limit_list_name(campaign: Campaign) -> str:
    """Return the name of the list for workers who reached the campaign's limit of tasks or of unfinished tasks."""
    return f"{LIMIT}{campaign.call_key})"


def hiding_requirements(campaign: Campaign, crowd: Crowd) -> list[dict[str, Any]]:
    """Return the qualification requirements that hide the campaign's places from listed workers.

    Returns an empty list at a crowd without lists.
    """
    if not crowd.keeps_block_lists:
        return []
    names = {list_name(campaign), limit_list_name(campaign)}
    if campaign.refuse_excluded_elsewhere:
        names.add(common_list_name(campaign))
    return [
        {
            "QualificationTypeId": ensure_list(campaign, crowd, name),
            "Comparator": "DoesNotExist",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        }
        for name in sorted(names)
    ]


def ensure_list(campaign: Campaign, crowd: Crowd, name: str) -> str:
    """Return the crowd's id of our list with this name. Create the list if there is none."""
    known = BlockList.objects.filter(crowd=crowd_namespace(campaign), name=name).first()
    if known:
        return known.crowd_key

    def make() -> Reply:
        description = LIMIT_DESCRIPTION if name.startswith(LIMIT) else DESCRIPTION
        return {"list": crowd.create_block_list(name=name, description=description)}

    def find(_already: CrowdAlready | None) -> Reply | None:
        found = crowd.find_block_list(name)
        return {"list": found} if found else None

    reply = perform(
        campaign=campaign,
        operation="create_block_list",
        key=f"{campaign.call_key}-list-{name}"[:200],
        request={"name": name},
        act=make,
        find=find,
    )
    row, _ = BlockList.objects.get_or_create(
        crowd=crowd_namespace(campaign), name=name, defaults={"crowd_key": reply["list"]}
    )
    return row.crowd_key


def sync_blocks(campaign: Campaign) -> int:
    """Put excluded workers on the lists, and take reinstated workers off. Return the number of successful calls.

    Every excluded worker belongs on the campaign's own list, and also on the collection's list if later campaigns
    refuse the worker. Workers who withdrew are not listed. A crowd without lists is not called. Safe to repeat.
    """
    exclusions = list(
        Exclusion.objects.filter(campaign=campaign, worker__identity__isnull=False)
        .exclude(rule=Exclusion.WITHDRAWN)
        .order_by("pk")
    )
    crowd, patience, made = crowd_for(campaign), Patience(), 0
    if not exclusions or not crowd.keeps_block_lists:
        return 0
    common = common_list_name(campaign)
    names = sorted({list_name(campaign), common})
    carried = set(Exclusion.objects.carried_over(campaign.collection_id).values_list("pk", flat=True))
    calls = CrowdCall.objects.filter(campaign=campaign, operation__in=["block", "unblock"])
    done = set(calls.filter(state=CrowdCall.State.DONE).values_list("key", flat=True))
    # A block whose reply was lost may have succeeded, so blocks without a recorded reply are also undone.
    tried = done | set(calls.filter(attempts__gt=0).values_list("key", flat=True))
    for exclusion in exclusions:
        for number, name in enumerate(names):
            key = f"{campaign.call_key}-{{}}-{exclusion.pk}-{number}"
            blocked, unblocked = key.format("block") in done, key.format("unblock") in done
            with suppress(CrowdNever), patience.one():
                belongs = name != common or campaign.one_block_list or exclusion.pk in carried
                if exclusion.reversed_at is None and belongs and not blocked:
                    _update_list(campaign, crowd, exclusion.worker_id, name, "block", key.format("block"))
                    made += 1
                elif (
                    exclusion.reversed_at
                    and key.format("block") in tried
                    and not unblocked
                    and not _excluded_elsewhere(exclusion, name)
                ):
                    _update_list(campaign, crowd, exclusion.worker_id, name, "unblock", key.format("unblock"))
                    made += 1
    patience.done()
    return made


def _excluded_elsewhere(exclusion: Exclusion, name: str) -> bool:
    """Return whether the worker stays on the list called ``name`` because of another exclusion."""
    others = Exclusion.objects.filter(worker=exclusion.worker_id)
    if name.endswith(f" of {exclusion.campaign.name}"):
        return others.misconduct().filter(campaign=exclusion.campaign_id).exists()
    if exclusion.campaign.one_block_list:
        return others.misconduct().exists()
    return others.carried_over(exclusion.campaign.collection_id).exists()


def hide_from_finished(campaign: Campaign) -> int:
    """Hide the campaign's places from workers who reached the limit of tasks or of unfinished tasks.

    Otherwise our page would refuse them each time they took a place. Workers who may take tasks again are taken off
    the list. Return the number of successful calls. Safe to repeat.
    """
    crowd, patience, made = crowd_for(campaign), Patience(), 0
    if campaign.state not in Campaign.OFFERING or not crowd.keeps_block_lists:
        return 0
    hidden, prefix = _workers_at_limit(campaign), f"{campaign.call_key}-limit-"
    calls = CrowdCall.objects.filter(campaign=campaign, key__startswith=prefix)
    rows = list(calls.values_list("operation", "request__worker", "state", "attempts"))
    done = Counter((what, worker) for what, worker, state, _ in rows if state == CrowdCall.State.DONE)
    # A block whose reply was lost may have succeeded, so blocks without a recorded reply are also undone.
    tried = Counter(worker for what, worker, _, attempts in rows if what == "block" and attempts)
    for worker in sorted(hidden | set(tried)):
        times = done["unblock", worker]
        listed, operation = done["block", worker] > times, "block" if worker in hidden else "unblock"
        if listed if operation == "block" else tried[worker] <= times:
            continue
        with suppress(CrowdNever), patience.one():
            _update_list(
                campaign,
                crowd,
                worker,
                limit_list_name(campaign),
                operation,
                f"{prefix}{worker}-{operation}-{times}",
            )
            made += 1
    patience.done()
    return made


def _workers_at_limit(campaign: Campaign) -> set[int]:
    """Return the keys of the workers who get no further task because they reached one of the campaign's limits."""
    known = Submission.objects.filter(campaign=campaign, worker__identity__isnull=False).order_by()
    work = known.filter(state=Submission.State.SUBMITTED).exclude(standing=Submission.Standing.TRIAL)
    tasks = work.values("worker").annotate(tasks=Count("pk"))
    full = set(tasks.filter(tasks__gte=campaign.max_tasks_per_worker).values_list("worker", flat=True))
    if not settings.MOST_UNFINISHED:
        return full
    left = known.filter(is_empty() | is_begun() | is_stopped()).values("worker").annotate(tasks=Count("pk"))
    many = left.filter(tasks__gte=settings.MOST_UNFINISHED).values_list("worker", flat=True)
    workers = Worker.objects.filter(pk__in=set(many) - full)
    return full | {worker.pk for worker in workers if unfinished_of(campaign, worker).stopped}


def _update_list(campaign: Campaign, crowd: Crowd, worker: int, name: str, operation: str, key: str) -> None:
    """Put a worker on the list called ``name`` or take the worker off. Raises CrowdNever for a forgotten worker."""
    identity = CrowdIdentity.objects.filter(worker=worker).first()
    if identity is None:
        raise CrowdNever(f"Worker {worker} was forgotten, so no list can be changed.")
    block_list = ensure_list(campaign, crowd, name)

    def act() -> Reply:  # doing either twice is harmless
        getattr(crowd, operation)(block_list, identity.crowd_worker_id)
        return {"list": block_list, "at": clock.now().isoformat()}

    request = {"list": block_list, "worker": worker}
    perform(campaign=campaign, operation=operation, key=key, request=request, act=act, find=lambda _: None)
