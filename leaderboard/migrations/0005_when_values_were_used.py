from django.db import migrations, models
from django.db.models.functions import Now

import config.clock


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0004_room_of_kept_analyses")]

    operations = [
        migrations.AddField(
            "evaluation",
            "used_at",
            models.DateTimeField(
                db_default=Now(), default=config.clock.now, help_text='Time of last use, to the hour.'
            ),
        ),
    ]
