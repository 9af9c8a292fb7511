from django.db import migrations, models
from django.db.models import F


def keep(apps, schema_editor):
    """Mark countries from invitations as set by an operator."""
    workers = apps.get_model("marketplace", "Worker").objects
    given = workers.exclude(country="").filter(invitation__country=F("country")).values_list("pk", flat=True)
    workers.filter(pk__in=list(given)).update(country_by_operator=True)


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0006_programs")]

    operations = [
        migrations.AddField(
            model_name="worker", name="country_by_operator", field=models.BooleanField(default=False)
        ),
        migrations.RunPython(keep, migrations.RunPython.noop),
    ]
