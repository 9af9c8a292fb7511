"""Cleanup: what it removes, and what it never removes."""

import uuid
from datetime import timedelta

import pytest

from marketplace.models import LedgerEntry, Outgoing, RequestToken, SigninLink
from marketplace.services import outbox
from marketplace.services.account import accounts
from marketplace.services.operator import cleanup as tidying
from tests.marketplace.conftest import NOW, make_hit, work

pytestmark = pytest.mark.django_db


def test_only_expired_data_is_removed(ask, hit_type, ada, settings):
    settings.MAIL = True
    make_hit(ask, hit_type, UniqueRequestToken=uuid.uuid4().hex)
    assignment = work(ada, hit_type)
    ask("ApproveAssignment", AssignmentId=assignment)
    accounts.signin_token(ada, NOW)
    outbox.write_mail("a@example.org", "sent", "text", NOW)
    outbox.send_due_messages(NOW)
    outbox.write_mail("a@example.org", "waiting", "text", NOW)

    tidying.tidy(NOW + timedelta(hours=23))
    kept = [table.objects.count() for table in (RequestToken, SigninLink, Outgoing)]
    tidying.tidy(NOW + timedelta(days=90))

    assert kept == [1, 1, 2]
    assert (RequestToken.objects.count(), SigninLink.objects.count()) == (0, 0)
    assert [row.subject for row in Outgoing.objects.all()] == ["waiting"]
    assert LedgerEntry.objects.filter(kind="reward").count() == 1
