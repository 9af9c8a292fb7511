"""Every address for people; rooms are named by string. Machines ask at those of config/probes.py."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

# The admin's own sign-in page would know neither limits nor second factors.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

handler400 = "web.api.problems.bad_request"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("judge/", include("judging.urls")),
    path("", include("web.api.urls")),
    path("", include("web.urls")),
]
