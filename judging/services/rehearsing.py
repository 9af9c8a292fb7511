"""A rehearsal: a copy of a campaign that simulated workers judge, and that people neither see nor can take.

The copy's places ask for a qualification that nobody but its simulated workers is given, so that the marketplace
shows them to no one else; whoever opens its page all the same is refused there.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction

from judging.crowds import crowd_for
from judging.errors import CampaignRefused
from judging.models import Campaign, CrowdIdentity, GoldPair, Worker
from judging.services.calls import campaign_key, perform
from judging.services.campaigns import log, move
from judging.services.pairs import pairs_of, request_pairs
from judging.services.texts import passages_without_text

#: What a copy does not take over from its campaign.
OWN = {
    "id", "name", "state", "endpoint", "confirmed_spend", "confirmed_at_launch", "budget", "qualifications", "preset",
    "rehearsal_of", "pilot_tasks", "pilot_counts", "created_at", "launched_at", "closed_at", "call_key",
    "usual_seconds", "one_block_list",
}  # fmt: skip
LONGEST_NAME = 60


def rehearsal_of(campaign: Campaign, *, who: str = "") -> Campaign:
    """The campaign's rehearsal that is under way, or a new one: a draft with the same pairs, tasks, gold and texts.

    A copy that was never offered is made anew: the campaign may have changed since.

    Raises CampaignRefused as :func:`check_can_be_rehearsed` does.
    """
    check_can_be_rehearsed(campaign)
    under_way = campaign.rehearsals.exclude(state__in=Campaign.OVER).order_by("pk").first()
    if under_way and under_way.launched_at is not None:
        return under_way
    return _copy(campaign, who, in_place_of=under_way)


def check_can_be_rehearsed(campaign: Campaign) -> None:
    """Raises CampaignRefused for a campaign that was launched, is a rehearsal itself or has no pool.

    So it does on an installation whose crowd is another than the built-in marketplace.
    """
    if settings.CROWD_ENDPOINT != settings.EMBEDDED_CROWD_ENDPOINT:
        raise CampaignRefused(
            f"A rehearsal needs the built-in marketplace; this installation's crowd is {settings.CROWD_ENDPOINT}.",
            "Rehearse on another installation: another PREFEREE_DATA_DIR, without PREFEREE_CROWD_ENDPOINT.",
        )
    if campaign.pool is None or campaign.rehearsal_of_id:
        raise CampaignRefused(f"{campaign.name} is no campaign that could be rehearsed.")
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(f"{campaign.name} is {campaign.state}: a rehearsal comes before the launch.")


@transaction.atomic
def _copy(campaign: Campaign, who: str, *, in_place_of: Campaign | None) -> Campaign:
    if in_place_of is not None:
        in_place_of.delete()
    assert campaign.pool is not None
    names = {field.attname for field in Campaign._meta.concrete_fields if field.name not in OWN}
    copy = Campaign.objects.create(
        **{name: getattr(campaign, name) for name in names},
        name=_free_name(campaign),
        rehearsal_of=campaign,
        endpoint=settings.EMBEDDED_CROWD_ENDPOINT,
    )
    # Only simulated workers come here, so that texts that are not there yet stop no rehearsal.
    if passages_without_text(campaign):
        copy.placeholder_text = True
        copy.save(update_fields=["placeholder_text"])
    request_pairs(copy, pairs_of(campaign.pool), judgments=campaign.judgments_per_pair, round=0)
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
    log(copy, "created", why=f"rehearsal of {campaign.name}", who=who)
    return copy


def _free_name(campaign: Campaign) -> str:
    stem = f"{campaign.name[:LONGEST_NAME]}-rehearsal"
    taken = set(Campaign.objects.filter(name__startswith=stem).values_list("name", flat=True))
    number = 1
    while (name := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return name


def keep_people_out(copy: Campaign) -> None:
    """Have the copy's places ask for a qualification of its own, exactly once. Call it before launch.

    To a crowd, a list of workers that we keep is a qualification: places can require it as well as its absence.
    """
    crowd, name = crowd_for(copy), f"Rehearsal {campaign_key(copy)}"

    def find(_already: object) -> dict[str, str] | None:
        found = crowd.find_block_list(name)
        return {"qualification": found} if found else None

    words = "Simulated workers of a rehearsal have it. It is given to no person."
    reply = perform(
        campaign=copy,
        operation="create_block_list",
        key=f"{campaign_key(copy)}-rehearsal",
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


def let_in(copy: Campaign, workers: Iterable[Worker]) -> None:
    """Give simulated workers what the copy's places ask for, each exactly once."""
    crowd, qualification = crowd_for(copy), str(copy.qualifications[0]["QualificationTypeId"])
    ids = dict(
        CrowdIdentity.objects.filter(worker__in=list(workers), worker__simulated=True).values_list(
            "worker_id", "crowd_worker_id"
        )
    )

    def grant(crowd_worker_id: str) -> dict[str, str]:
        crowd.block(qualification, crowd_worker_id)  # onto the list that lets in
        return {"granted": qualification}

    for key, crowd_worker_id in sorted(ids.items()):
        perform(
            campaign=copy,
            operation="grant",
            key=f"{campaign_key(copy)}-grant-{key}",
            request={"qualification": qualification},
            act=lambda worker=crowd_worker_id: grant(worker),  # type: ignore[misc]
            find=lambda _already: None,  # granting twice is harmless
        )


def record_rehearsal(campaign: Campaign, copy: Campaign, *, who: str = "") -> None:
    """The copy was judged: the draft is rehearsed now. What was rehearsed or piloted before only notes it."""
    judged = copy.judgments.counted().count()
    excluded = copy.exclusions.filter(reversed_at=None).count()
    why = f"{copy.name}: {judged:,} judgments by simulated workers, {excluded} of them excluded"
    if campaign.state == Campaign.State.DRAFT:
        move(campaign, Campaign.State.REHEARSED, allowed=[Campaign.State.DRAFT], why=why, who=who)
    else:
        log(campaign, "rehearsed again", why=why, who=who)
