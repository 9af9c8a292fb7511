"""Who uses the product: people who launch campaigns and keep leaderboards. Workers are not users."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person who signs in. A model of our own from the first migration, so that it can grow."""
