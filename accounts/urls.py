"""Addresses of a person's own pages, beside those of django-allauth."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:key>/revoke", views.revoke, name="revoke_token"),
]
