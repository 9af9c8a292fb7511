"""Sealed secrets."""

import pytest

from config.sealed_secrets import SealBroken, seal, unseal


def test_a_sealed_secret_opens_only_for_its_purpose():
    sealed = seal("whsec_x", purpose="webhook secret")

    assert "whsec_x" not in sealed
    assert unseal(sealed, purpose="webhook secret") == "whsec_x"
    with pytest.raises(SealBroken):
        unseal(sealed, purpose="another")


def test_a_former_key_still_opens_its_secrets(settings):
    sealed = seal("whsec_x", purpose="webhook secret")
    before, settings.SECRET_KEY = settings.SECRET_KEY, "the next"

    with pytest.raises(SealBroken, match="SECRET_KEY"):
        unseal(sealed, purpose="webhook secret")
    settings.SECRET_KEY_FALLBACKS = [before]

    assert unseal(sealed, purpose="webhook secret") == "whsec_x"


def test_an_altered_secret_does_not_open():
    sealed = seal("whsec_x", purpose="webhook secret")

    with pytest.raises(SealBroken):
        unseal(sealed[:-8] + "AAAAAAA=", purpose="webhook secret")
