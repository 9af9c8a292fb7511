"""Read-only pages about jobs in the admin site, with tracebacks that only administrators see."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from config.background.models import Job


class ReadOnly(admin.ModelAdmin):
    """Base class for admin pages that search and show rows but never change them."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Job)
class Jobs(ReadOnly):
    list_display = ("pk", "kind", "key", "state", "fault", "failure", "attempts", "created_at", "finished_at")
    list_filter = ("state", "fault", "kind")
    search_fields = ("=id", "kind", "key")
    ordering = ("-pk",)
