"""URLs of a person's own pages, in addition to django-allauth's."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:key>/revoke", views.revoke_own_token, name="revoke_token"),
]
