"""Every address for people; rooms are named by string. Machines ask at those of config/probes.py."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("judge/", include("judging.urls")),
    path("", include("web.urls")),
]
