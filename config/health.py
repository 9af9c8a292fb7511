"""Whether this process lives, and whether it can do its work."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from config.launcher import database_is_current, installation


@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """The process answers, and says which installation it belongs to."""
    return JsonResponse({"status": "ok", "installation": installation()})


@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """The database answers and is up to date."""
    try:
        current = database_is_current()
    except DatabaseError:
        return JsonResponse({"status": "the database does not answer"}, status=503)
    finally:
        connection.close_if_unusable_or_obsolete()
    if not current:
        return JsonResponse({"status": "the database is not up to date: run manage.py migrate"}, status=503)
    return JsonResponse({"status": "ready"})
