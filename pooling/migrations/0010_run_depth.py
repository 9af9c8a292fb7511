from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0009_spending_grants")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="max_run_depth",
            field=models.PositiveIntegerField(
                db_default=10000, default=10000, help_text='Maximum number of passages per query in a run.'
            ),
        ),
    ]
