from django.urls import path

from web.webhooks import views as webhooks

_ALL = "collections/<slug:name>/webhooks/"

urlpatterns = [
    path(_ALL, webhooks.webhooks, name="webhooks"),
    path(f"{_ALL}<int:key>/", webhooks.webhook, name="webhook"),
    path(f"{_ALL}<int:key>/messages/<int:message>/again", webhooks.resend_message, name="webhook_again"),
    path(f"{_ALL}<int:key>/<slug:step>", webhooks.change_webhook, name="webhook_step"),
]
