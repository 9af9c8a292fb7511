"""The state of rate limits."""

from django.db import models


class Bucket(models.Model):
    """The token bucket of one rate limit, such as that of a requester's calls.

    ``full_at`` is the time, in microseconds since 1970, at which the bucket is full again.
    """

    name = models.CharField(max_length=100, primary_key=True)
    full_at = models.BigIntegerField()
