from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [('marketplace', '0007_country_by_operator')]

    operations = [
        migrations.AddField(model_name='worker', name='forgotten_at', field=models.DateTimeField(null=True))
    ]
