"""Refuse a call whose UniqueRequestToken was used within the last 24 hours, so that it is not executed twice."""

from datetime import timedelta

from django.db import IntegrityError, transaction

from marketplace.errors import RequestError
from marketplace.models import Hit, RequestToken
from marketplace.services.call import Call

LIFETIME = timedelta(hours=24)


def spend(call: Call, scope: RequestToken.Scope) -> RequestToken | None:
    """Use up the call's token inside its transaction, and return it; None if the call has no token.

    Two calls with the same token race for a unique constraint: the later one waits for the earlier one's transaction
    and is then refused. A token can be used again after 24 hours.
    """
    word = call.request.get("UniqueRequestToken")
    if word is None:
        return None
    spent = RequestToken.objects.filter(requester=call.requester, scope=scope, token=word)
    spent.filter(made_at__lte=call.now - LIFETIME).delete()
    try:
        with transaction.atomic():
            return RequestToken.objects.create(
                requester=call.requester,
                scope=scope,
                token=word,
                made_at=call.now,
                request_id=call.request_id,
            )
    except IntegrityError:
        raise _used_token_refusal(spent.select_related("hit").get()) from None


def remember_hit(token: RequestToken | None, hit: Hit) -> None:
    """Record which HIT a token created, for the message of a later refusal."""
    if token is not None:
        token.hit = hit
        token.save(update_fields=["hit"])


def _used_token_refusal(token: RequestToken) -> RequestError:
    if token.scope == RequestToken.Scope.CREATE_HIT and token.hit is not None:
        return RequestError(
            "HitAlreadyExists",
            f'The HIT with ID "{token.hit.hit_id}" already exists: '
            f'the idempotency token "{token.token}" has already been processed.',
        )
    return RequestError(
        "RequestAlreadyProcessed",
        f'The idempotency token "{token.token}" has already been processed. Request ID: {token.request_id}',
    )
