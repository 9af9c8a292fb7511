from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [('judging', '0018_running_out')]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='usual_seconds',
            field=models.FloatField(
                help_text='Usual seconds for a task, measured when tasks were last offered; empty: estimated.', null=True
            ),
        ),
    ]
