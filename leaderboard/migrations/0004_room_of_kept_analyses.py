import config.clock
from django.db import migrations, models
from django.db.models.functions import Cast, Length, Now


def measure(apps, schema_editor):
    """What is there already counts as one group: which figures belong to which analysis was not kept."""
    apps.get_model("leaderboard", "KeptAnalysis").objects.update(
        size=Length(Cast("content", models.TextField()))
    )


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0003_kept_analyses")]

    operations = [
        migrations.AddField(
            "keptanalysis",
            "group",
            models.CharField(
                db_default="",
                help_text="The key of the analysis that a figure belongs to, or its own.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            "keptanalysis",
            "size",
            models.PositiveBigIntegerField(db_default=0, help_text='Size of the content as JSON, in bytes.'),
        ),
        migrations.AddField(
            "keptanalysis",
            "used_at",
            models.DateTimeField(
                db_default=Now(), default=config.clock.now, help_text='Time last shown, to the hour.'
            ),
        ),
        migrations.RunPython(measure, migrations.RunPython.noop),
    ]
