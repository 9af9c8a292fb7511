"""Accounts, top-ups and sign-in links."""

import pytest

from marketplace.errors import AccountRefused
from marketplace.models import Worker
from marketplace.services.account import accounts
from tests.marketplace.conftest import NOW, balance, hours, make_worker

pytestmark = pytest.mark.django_db


def test_a_requesters_name_is_used_once(key):
    with pytest.raises(AccountRefused, match="lab already"):
        accounts.create_requester("lab", opening_cents=0, now=NOW)


def test_a_top_up_adds_to_the_balance(ask):
    accounts.add_funds("lab", 250, NOW)

    assert balance(ask) == ("1002.50", "0.00")


def test_a_workers_name_is_used_once_whatever_its_case(ada):
    with pytest.raises(AccountRefused):
        make_worker("ADA")


def test_passwords_are_stored_as_argon2id():
    worker = accounts.create_worker("ada", password="correct horse", now=NOW)

    assert worker.password.startswith("argon2$argon2id$")
    assert worker.check_password("correct horse")
    assert not worker.check_password("wrong horse")


def test_a_sign_in_link_works_once(ada):
    token = accounts.signin_token(ada, NOW)

    assert accounts.redeem_signin_token(token, NOW) == ada
    with pytest.raises(AccountRefused):
        accounts.redeem_signin_token(token, NOW)


def test_a_sign_in_link_expires(ada, settings):
    settings.SIGNIN_LINK_HOURS = 2
    token = accounts.signin_token(ada, NOW)

    with pytest.raises(AccountRefused):
        accounts.redeem_signin_token(token, NOW + hours(2))


@pytest.mark.parametrize("token", ["", "garbage", "a:b:c"])
def test_a_forged_link_signs_nobody_in(ada, token):
    with pytest.raises(AccountRefused):
        accounts.redeem_signin_token(token, NOW)


def test_a_closed_account_cannot_use_its_link(ada):
    token = accounts.signin_token(ada, NOW)
    Worker.objects.update(is_active=False)

    with pytest.raises(AccountRefused):
        accounts.redeem_signin_token(token, NOW)
