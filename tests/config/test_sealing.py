"""Sealed secrets."""

import pytest

from config.sealing import SealBroken, seal, unseal


def test_what_was_sealed_opens_for_its_purpose_alone():
    sealed = seal("whsec_x", purpose="webhook secret")

    assert "whsec_x" not in sealed
    assert unseal(sealed, purpose="webhook secret") == "whsec_x"
    with pytest.raises(SealBroken):
        unseal(sealed, purpose="another")


def test_the_key_of_before_still_opens_what_it_sealed(settings):
    sealed = seal("whsec_x", purpose="webhook secret")
    before, settings.SECRET_KEY = settings.SECRET_KEY, "the next"

    with pytest.raises(SealBroken, match="SECRET_KEY"):
        unseal(sealed, purpose="webhook secret")
    settings.SECRET_KEY_FALLBACKS = [before]

    assert unseal(sealed, purpose="webhook secret") == "whsec_x"


def test_what_was_changed_does_not_open():
    sealed = seal("whsec_x", purpose="webhook secret")

    with pytest.raises(SealBroken):
        unseal(sealed[:-8] + "AAAAAAA=", purpose="webhook secret")
