from typing import Any

from django.conf import settings

from config.commands.console import Command as BaseCommand
from config.process import launcher


class Command(BaseCommand):
    help = "Create the data directory and the database, and bring the database up to date."
    example = "manage.py setup"

    def act(self, **options: Any) -> dict[str, Any]:
        launcher.ensure_database()
        database = settings.DATABASES["default"]
        return {
            "data directory": str(settings.DATA_DIR),
            "database": f"{database['ENGINE'].rpartition('.')[2]}: {database['NAME']}",
            "crowd": settings.CROWD_ENDPOINT,
            "next": "manage.py run (everything, in one terminal), or make demo",
        }
