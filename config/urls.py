"""Every address of the product; rooms are named by string."""

from django.contrib import admin
from django.urls import include, path

from config import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/", admin.site.urls),
    path("judge/", include("judging.urls")),
    path("", include("web.urls")),
]
