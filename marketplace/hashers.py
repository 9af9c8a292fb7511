"""Argon2id password hashing, with cost parameters from the settings."""

from argon2 import Parameters
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2Hasher(Argon2PasswordHasher):
    """Django's Argon2 hasher. A password is rehashed at sign-in if the settings have changed."""

    def params(self) -> Parameters:
        """Return the parameters for new hashes."""
        self.time_cost = settings.ARGON2_TIME_COST
        self.memory_cost = settings.ARGON2_MEMORY_KIB
        self.parallelism = settings.ARGON2_PARALLELISM
        return super().params()
