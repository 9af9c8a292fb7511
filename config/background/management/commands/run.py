from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from config.commands.console import Command as BaseCommand, CommandParser
from config.errors import Refusal
from config.process import launcher


class Command(BaseCommand):
    help = "Serve the pages, run background jobs and the embedded marketplace until Ctrl-C."
    example = "manage.py run"
    opening = "Starting Preferee. The first start sets up the database, which can take minutes."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--web-only", action="store_true", help="serve pages without running background jobs"
        )
        parser.add_argument(
            "--until-parent-exits", action="store_true", help="stop when the parent process exits"
        )
        parser.add_argument(
            "--threads",
            type=int,
            default=8,
            help="threads that answer requests, in each process (default 8)",
        )
        parser.add_argument(
            "--processes",
            type=int,
            default=1,
            help="processes that answer requests (default 1); with --web-only and PostgreSQL, one per core",
        )

    def act(
        self, *, web_only: bool, until_parent_exits: bool, threads: int, processes: int, **options: Any
    ) -> dict[str, Any]:
        from config.process.server import require_free_port, run_web_server, stop_with_parent

        if processes < 1 or threads < 1:
            raise Refusal(
                "There must be at least one process and one thread.", "Omit --processes and --threads."
            )
        if processes > 1 and not web_only:
            raise Refusal(
                "Multiple processes can only serve pages.",
                "Run: manage.py run --web-only --processes N, and next to it celery -A config.celery worker and beat",
            )
        require_free_port()
        if until_parent_exits:
            stop_with_parent()
        if web_only:
            run_web_server(threads=threads, with_workers=False, processes=processes)
            return {"state": "stopped"}
        with launcher.crowd_running():
            self.note(f"Preferee:    {settings.PUBLIC_URL}/")
            if launcher.crowd_is_embedded():
                self.note(f"Marketplace: {settings.CROWD_ENDPOINT}/   (where workers take tasks)")
            else:
                self.note(f"Crowd:       {settings.CROWD_ENDPOINT}   (not served here)")
            if link := _first_administrator_link():
                self.note(f"There is no administrator yet. Open this link once to become one:\n  {link}")
            self.note("Stop with Ctrl-C.")
            run_web_server(threads=threads, with_workers=True)
        return {"state": "stopped"}


def _first_administrator_link() -> str:
    """Return the link that creates the first administrator; empty in production or if there is an administrator."""
    if settings.PRODUCTION:
        return ""
    link: str = import_string("accounts.services.invitations.first_administrator_link")()
    return link
