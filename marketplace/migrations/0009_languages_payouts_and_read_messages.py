from django.db import migrations, models
from django.db.models import F


def mark_earlier_messages_read(apps, schema_editor):
    apps.get_model("marketplace", "WorkerMessage").objects.update(read_at=F("sent_at"))


class Migration(migrations.Migration):
    dependencies = [('marketplace', '0008_forgotten')]

    operations = [
        migrations.AddField(
            model_name='worker', name='languages', field=models.CharField(blank=True, default='', max_length=400),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='worker', name='payout_method', field=models.CharField(blank=True, default='', max_length=60),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='worker', name='payout_details', field=models.CharField(blank=True, default='', max_length=500),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='workermessage', name='read_at', field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name='workermessage', name='over_at', field=models.DateTimeField(null=True)
        ),
        migrations.RunPython(mark_earlier_messages_read, migrations.RunPython.noop),
    ]
