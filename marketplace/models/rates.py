"""How much of a rate has been used."""

from __future__ import annotations

from django.db import models


class Bucket(models.Model):
    """One rate that is limited, such as a requester's calls. ``full_at`` is the moment, in microseconds since
    1970, at which everything taken so far will have been given back.
    """

    name = models.CharField(max_length=100, primary_key=True)
    full_at = models.BigIntegerField()
