"""Rehearsals: copies of a campaign for simulated workers, which people cannot see or take.

The copy's places require a qualification that only its simulated workers get, so the marketplace hides them from
everybody else. A person who opens the copy's page anyway is refused there.
"""

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction

from config.background.models import Job, JobQuerySet
from config.guidance import Action, Guidance
from config.plurals import many
from judging.campaign.campaigns import log_change, move, restore_first
from judging.campaign.pairs import pair_ids, request_pairs
from judging.campaign.shared_figures import kept_while_reading
from judging.campaign.worker_texts import passages_without_text
from judging.crowds import crowd_for
from judging.errors import CampaignRefused, NotReady
from judging.exchange.calls import perform
from judging.models import Campaign, CrowdIdentity, GoldPair, Worker

#: The job kind of rehearsals.
REHEARSE = "web.rehearse"
#: Fields whose values a rehearsal copy does not take from its campaign.
NOT_COPIED = {
    "id", "name", "state", "endpoint", "confirmed_spend", "confirmed_at_launch", "budget", "qualifications", "preset",
    "rehearsal_of", "pilot_tasks", "pilot_counts", "created_at", "launched_at", "closed_at", "call_key",
    "usual_seconds", "one_block_list", "archived_at",
}  # fmt: skip
LONGEST_NAME = 60


def rehearsal_of(campaign: Campaign, *, who: str = "") -> Campaign:
    """Return the campaign's running rehearsal or, if none is running, a new copy of the campaign to rehearse with.

    The copy is a draft with the same pairs, tasks, accepted gold pairs and texts. An earlier copy that was never
    posted is replaced, because the campaign might have changed.
    Raises CampaignRefused like :func:`check_can_be_rehearsed`.
    """
    check_can_be_rehearsed(campaign)
    under_way = campaign.rehearsals.exclude(state__in=Campaign.OVER).order_by("pk").first()
    if under_way and under_way.launched_at is not None:
        return under_way
    return _copy_for_rehearsal(campaign, who, in_place_of=under_way)


def rehearses_here() -> bool:
    """Return whether this installation's crowd is the built-in marketplace, which rehearsals need."""
    here: bool = settings.CROWD_ENDPOINT == settings.EMBEDDED_CROWD_ENDPOINT
    return here


def check_can_be_rehearsed(campaign: Campaign) -> None:
    """Raise CampaignRefused for a campaign that is a rehearsal itself, is archived or has no pool.

    Also raise it while a pilot runs, after launch or closing, and if the installation's crowd is not the built-in
    marketplace.
    """
    if not rehearses_here():
        raise CampaignRefused(
            f"A rehearsal needs the built-in marketplace; this installation's crowd is {settings.CROWD_ENDPOINT}.",
            "Rehearse on another installation, with its own PREFEREE_DATA_DIR, without PREFEREE_CROWD_ENDPOINT.",
        )
    if campaign.pool is None or campaign.rehearsal_of_id:
        raise CampaignRefused(
            f"Campaign {campaign.name} is a rehearsal or has no pool, so it cannot be rehearsed.",
            "Rehearse a campaign that was created from a pool.",
        )
    if campaign.archived_at:
        raise CampaignRefused(f"Campaign {campaign.name} is archived.", restore_first(campaign))
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(f"Campaign {campaign.name} is {campaign.state}. Rehearse before the launch.")


@transaction.atomic
def _copy_for_rehearsal(campaign: Campaign, who: str, *, in_place_of: Campaign | None) -> Campaign:
    if in_place_of is not None:
        in_place_of.delete()
    assert campaign.pool is not None
    names = {field.attname for field in Campaign._meta.concrete_fields if field.name not in NOT_COPIED}
    copy = Campaign.objects.create(
        **{name: getattr(campaign, name) for name in names},
        name=_free_name(campaign),
        rehearsal_of=campaign,
        endpoint=settings.EMBEDDED_CROWD_ENDPOINT,
    )
    # Only simulated workers judge the copy, so missing texts do not stop a rehearsal.
    if passages_without_text(campaign):
        copy.placeholder_text = True
        copy.save(update_fields=["placeholder_text"])
    request_pairs(copy, list(pair_ids(campaign)), judgments=campaign.judgments_per_pair, round=0)
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).order_by("pk")
    GoldPair.objects.bulk_create(
        [
            GoldPair(
                campaign=copy,
                query_id=row.query_id,
                relevant_id=row.relevant_id,
                off_topic_id=row.off_topic_id,
                state=row.state,
                kind=row.kind,
                why=row.why,
                decided_at=row.decided_at,
                decided_by=row.decided_by,
            )
            for row in gold
        ],
        batch_size=2000,
    )
    log_change(copy, "created", why=f"rehearsal of {campaign.name}", who=who)
    return copy


def _free_name(campaign: Campaign) -> str:
    stem = f"{campaign.name[:LONGEST_NAME]}-rehearsal"
    taken = set(Campaign.objects.filter(name__startswith=stem).values_list("name", flat=True))
    number = 1
    while (name := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return name


def keep_people_out(copy: Campaign) -> None:
    """Make the copy's places require a qualification that :func:`admit_workers` gives to simulated workers.

    The qualification is created like a block list, but places require its presence instead of its absence. Call this
    before the copy is launched. Safe to repeat.
    """
    crowd, name = crowd_for(copy), f"Rehearsal {copy.call_key}"

    def find(_already: object) -> dict[str, str] | None:
        found = crowd.find_block_list(name)
        return {"qualification": found} if found else None

    words = "For simulated workers in a rehearsal only. It is never given to people."
    reply = perform(
        campaign=copy,
        operation="create_block_list",
        key=f"{copy.call_key}-rehearsal",
        request={"name": name},
        act=lambda: {"qualification": crowd.create_block_list(name=name, description=words)},
        find=find,
    )
    wanted = [
        {
            "QualificationTypeId": reply["qualification"],
            "Comparator": "Exists",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        }
    ]
    Campaign.objects.filter(pk=copy.pk).update(qualifications=wanted)
    copy.qualifications = wanted


def admit_workers(copy: Campaign, workers: Iterable[Worker]) -> None:
    """Give simulated workers the qualification that the copy's places require. Safe to repeat."""
    crowd, qualification = crowd_for(copy), str(copy.qualifications[0]["QualificationTypeId"])
    ids = dict(
        CrowdIdentity.objects.filter(worker__in=list(workers), worker__simulated=True).values_list(
            "worker_id", "crowd_worker_id"
        )
    )

    def grant(crowd_worker_id: str) -> dict[str, str]:
        crowd.block(qualification, crowd_worker_id)  # adds the worker to the list of admitted workers
        return {"granted": qualification}

    for key, crowd_worker_id in sorted(ids.items()):
        perform(
            campaign=copy,
            operation="grant",
            key=f"{copy.call_key}-grant-{key}",
            request={"qualification": qualification},
            act=lambda worker=crowd_worker_id: grant(worker),  # type: ignore[misc]
            find=lambda _already: None,  # granting twice is harmless
        )


def running_rehearsal(campaign: Campaign) -> Campaign | None:
    """Return a copy that simulated workers judge now or that an interrupted rehearsal left open; None without one."""
    return campaign.rehearsals.filter(launched_at__isnull=False).exclude(state__in=Campaign.OVER).first()


def rehearsals_asked_for(campaign: Campaign) -> JobQuerySet:
    """Return the campaign's rehearsal jobs, newest first."""
    return Job.objects.filter(key=rehearsal_key(campaign)).order_by("-pk")


def rehearsal_key(campaign: Campaign) -> str:
    """Return the key of the campaign's rehearsal jobs. Only one live job can have it."""
    return f"{REHEARSE}:{campaign.pk}"


@kept_while_reading
def rehearsal_is_under_way(campaign: Campaign) -> bool:
    """Return whether a rehearsal is waiting, being judged, computing its forecast or interrupted."""
    return running_rehearsal(campaign) is not None or rehearsals_asked_for(campaign).live().exists()


def refuse_during_rehearsal(campaign: Campaign) -> None:
    """Raise NotReady while a rehearsal is under way, because its results would come after the launch."""
    if copy := running_rehearsal(campaign):
        raise NotReady(
            f"Simulated workers are judging the rehearsal {copy.name}.",
            Guidance(
                "Wait until it ends. To end it now and base the forecast on the judgments so far: ",
                Action("close_campaign", copy.name, lead=""),
                ".",
            ),
        )
    if rehearsal_is_under_way(campaign):
        raise NotReady(
            f"A rehearsal of {campaign.name} is starting or ending.",
            "Wait until it ends, or stop it on the rehearsal's page.",
        )


@kept_while_reading
def was_rehearsed(campaign: Campaign) -> bool:
    """Return whether a rehearsal of the campaign was completed, or stopped early."""
    return campaign.rehearsals.filter(state__in=Campaign.OVER, launched_at__isnull=False).exists()


def record_rehearsal(campaign: Campaign, copy: Campaign, *, who: str = "") -> None:
    """Record on the campaign that its copy was judged: a draft becomes rehearsed, otherwise only the log changes."""
    judged = copy.judgments.counted().count()
    excluded = copy.exclusions.filter(reversed_at=None).count()
    why = f"{copy.name}: {many(judged, 'judgment')} by simulated workers; {many(excluded, 'worker')} excluded"
    if campaign.state == Campaign.State.DRAFT:
        move(campaign, Campaign.State.REHEARSED, allowed=[Campaign.State.DRAFT], why=why, who=who)
    else:
        log_change(campaign, "rehearsed again", why=why, who=who)
