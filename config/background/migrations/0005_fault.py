"""Record who is responsible for a failure, and move tracebacks to a field that only administrators see."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

TRACEBACK = "Traceback (most recent call last)"


def part(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Set the fault of failed jobs, and remove tracebacks from their messages."""
    jobs = apps.get_model("background", "Job").objects.using(editor.connection.alias)
    ours = jobs.filter(failure_message__contains=TRACEBACK)
    ours.update(trace=models.F("failure_message"), failure_message="", next_step="", fault="software")
    failed = jobs.filter(state="failed", fault="")
    failed.filter(failure="worker-died").update(failure_message="", next_step="", fault="software")
    failed.filter(failure__regex="^(Crowd|Bucket)").update(fault="outside")
    failed.filter(fault="").update(fault="refused")


class Migration(migrations.Migration):
    dependencies = [("background", "0004_put_off")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="fault",
            field=models.CharField(
                blank=True,
                choices=[
                    ("refused", "what was asked for"),
                    ("outside", "something outside the software"),
                    ("software", "the software"),
                ],
                help_text="The cause of the last failure.",
                max_length=10,
                default="",
                db_default="",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="job",
            name="trace",
            field=models.TextField(
                blank=True,
                help_text="The traceback of the last failure, for administrators.",
                default="",
                db_default="",
            ),
            preserve_default=False,
        ),
        migrations.RunPython(part, migrations.RunPython.noop),
    ]
