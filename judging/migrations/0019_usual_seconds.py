from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [('judging', '0018_running_out')]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='usual_seconds',
            field=models.FloatField(
                help_text='What a task usually takes, as measured when it was last offered; else estimated.', null=True
            ),
        ),
    ]
