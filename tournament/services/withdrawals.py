"""Withdraw a run from its collection if nothing depends on it."""

from django.db import transaction
from django.db.models import ProtectedError

from pooling.collections.members import log
from pooling.errors import NotWithdrawn
from pooling.models import PoolRun, Run
from pooling.storage import ranking_files
from tournament.models import Challenge


def reasons_to_stay(run: Run) -> list[str]:
    """Return the reasons why the run cannot be withdrawn; empty if it can."""
    pools = PoolRun.objects.filter(run=run).values_list("pool__name", flat=True).order_by("pool__name")
    reasons = [f"its passages are in the pool {name}" for name in pools]
    for challenge in Challenge.objects.filter(campaign__collection=run.collection_id).select_related(
        "campaign"
    ):
        if run.run_tag in challenge.run_tags:
            reasons.append(f"it took part in challenge {challenge.number} of {challenge.campaign.name}")
    variants = Run.objects.filter(variant_of=run).values_list("run_tag", flat=True).order_by("run_tag")
    return reasons + [f"{tag} is a variant of it" for tag in variants]


def withdraw_run(*, run: Run, who: str) -> None:
    """Delete a run and its stored ranking. Raises NotWithdrawn if something depends on it."""
    if reasons := reasons_to_stay(run):
        raise _refusal_to_withdraw(run, reasons)
    collection, stored = run.collection, run.storage_name
    try:
        with transaction.atomic():
            Run.objects.filter(pk=run.pk).delete()
            log(collection, f"run {run.run_tag} withdrawn", who=who)
            transaction.on_commit(lambda: ranking_files.forget_ranking(stored))
    except ProtectedError:  # A pool or a variant has come to depend on it in the meantime.
        raise _refusal_to_withdraw(run, reasons_to_stay(run)) from None


def _refusal_to_withdraw(run: Run, reasons: list[str]) -> NotWithdrawn:
    return NotWithdrawn(
        f"The run {run.run_tag} cannot be withdrawn: {', '.join(reasons)}.",
        "To hide it from others, release it as private.",
    )
