#!/usr/bin/env python
"""Run a management command of Preferee. `manage.py help` lists all commands."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line, get_commands

    named = sys.argv[1:2]
    try:
        settings.INSTALLED_APPS  # noqa: B018 -- read now, so that a wrong value is reported in one line
    except ImproperlyConfigured as error:
        sys.exit(f"Preferee can't start: {error}")
    try:
        try:
            execute_from_command_line(sys.argv)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe (`campaign_status first --json | head`). The exit status is 128 + SIGPIPE.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except SystemExit as end:
        # Django exits with 1, which means "refused" here, even for an unknown command.
        wrong = named and not named[0].startswith("-") and named[0] not in {"help", *get_commands()}
        sys.exit(2 if wrong else end.code)
