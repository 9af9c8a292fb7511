"""Store each campaign's call key, which was derived from the installation's secret before."""

import hashlib
from typing import Any

from django.conf import settings
from django.db import migrations, models

import judging.models.campaign


def keep_the_keys(apps: Any, _schema: Any) -> None:
    """Store for running campaigns the key that their places and bonuses at the crowd carry."""
    campaigns = apps.get_model("judging", "Campaign").objects
    for pk, created_at in campaigns.values_list("pk", "created_at"):
        name = f"{settings.SECRET_KEY}:{pk}:{created_at.isoformat()}"
        campaigns.filter(pk=pk).update(call_key=hashlib.sha256(name.encode()).hexdigest()[:16])


class Migration(migrations.Migration):
    dependencies = [("judging", "0011_signed_arrivals")]
    operations = [
        migrations.AddField(
            model_name="campaign",
            name="call_key",
            field=models.CharField(editable=False, max_length=16, null=True),
        ),
        migrations.RunPython(keep_the_keys, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="campaign",
            name="call_key",
            field=models.CharField(
                default=judging.models.campaign.new_call_key,
                editable=False,
                help_text='Prefix of the keys of all calls to the crowd. Random, and never changed.',
                max_length=16,
                unique=True,
            ),
        ),
    ]
