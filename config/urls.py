"""The URLs of all pages and of the API. config/monitoring/probes.py serves the health checks and metrics."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

# The admin's own sign-in page would skip limits and second factors.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

handler400 = "web.api.problem_details.bad_request"
handler403 = "web.common.access.show_refusal"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("judge/", include("judging.urls")),
    path("", include("web.api_urls")),
    path("", include("web.urls")),
]
