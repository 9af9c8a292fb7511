"""Read-only admin pages for judging. Only services change these rows."""

from django.contrib import admin

from config.background.admin import ReadOnly
from judging.models import (
    Campaign,
    CampaignChange,
    CrowdCall,
    Exclusion,
    GoldPair,
    ImportedFile,
    Judgment,
    Payment,
    Place,
    Submission,
    Task,
)


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    list_display = ["name", "collection", "state", "screen", "reward", "endpoint", "launched_at"]
    list_filter = ["state", "screen"]
    search_fields = ["name"]


@admin.register(CampaignChange)
class CampaignChangeAdmin(ReadOnly):
    list_display = ["campaign", "what", "why", "who", "happened_at"]
    list_filter = ["campaign"]


@admin.register(GoldPair)
class GoldPairAdmin(ReadOnly):
    list_display = ["campaign", "query", "relevant", "off_topic", "state", "decided_by"]
    list_filter = ["campaign", "state"]
    list_select_related = ["campaign", "query", "relevant", "off_topic"]


@admin.register(Task)
class TaskAdmin(ReadOnly):
    list_display = ["campaign", "number", "state", "round", "leased_until"]
    list_filter = ["campaign", "state"]
    list_select_related = ["campaign"]


@admin.register(Place)
class PlaceAdmin(ReadOnly):
    list_display = ["posting", "number", "state", "crowd_id", "expires_at"]
    list_filter = ["state"]
    search_fields = ["crowd_id"]
    list_select_related = ["posting"]


@admin.register(Submission)
class SubmissionAdmin(ReadOnly):
    list_display = ["campaign", "worker", "task", "state", "standing", "submitted_at", "approved_at"]
    list_filter = ["campaign", "state", "standing"]
    search_fields = ["assignment_id"]
    list_select_related = ["campaign", "worker", "task"]


@admin.register(Judgment)
class JudgmentAdmin(ReadOnly):
    list_display = ["pk", "campaign", "pair", "left", "right", "preferred", "judge_kind", "judged_at"]
    list_filter = ["campaign", "judge_kind"]
    list_select_related = ["campaign", "pair", "left", "right", "preferred"]


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnly):
    list_display = ["campaign", "worker", "rule", "reason", "decided_at", "reversed_at"]
    list_filter = ["campaign", "rule"]
    list_select_related = ["campaign", "worker"]


@admin.register(Payment)
class PaymentAdmin(ReadOnly):
    list_display = ["submission", "kind", "amount", "fee", "state", "paid_at"]
    list_filter = ["kind", "state"]
    list_select_related = ["submission"]


@admin.register(CrowdCall)
class CrowdCallAdmin(ReadOnly):
    list_display = ["operation", "key", "state", "attempts", "error_class", "error_message", "done_at"]
    list_filter = ["campaign", "operation", "state", "error_class"]
    search_fields = ["key"]


@admin.register(ImportedFile)
class ImportedFileAdmin(ReadOnly):
    list_display = ["campaign", "name", "phase", "judgments_count", "created_at"]
    list_filter = ["campaign"]
