import re

from django.db import migrations, models

PROGRAM = re.compile(r"simulated-[0-9a-f]{12}")


def mark(apps, schema_editor):
    """Mark programs, which until now were recognized by their names; a person may have had a similar name."""
    workers = apps.get_model("marketplace", "Worker").objects
    named = workers.filter(username__startswith="simulated-", invitation=None).values_list("pk", "username")
    workers.filter(pk__in=[pk for pk, name in named if PROGRAM.fullmatch(name)]).update(is_program=True)


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0005_letters")]

    operations = [
        migrations.AddField(model_name="worker", name="is_program", field=models.BooleanField(default=False)),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
