"""Addresses of the judging page."""

from django.urls import path

from judging import trial_views, views

app_name = "judging"
urlpatterns = [
    path("task/<str:token>/", views.work, name="work"),
    path("task/<str:token>/consent", views.consent, name="consent"),
    path("task/<str:token>/save", views.save, name="save"),
    path("task/<str:token>/finish", views.finish, name="finish"),
    path("task/<str:token>/leave", views.leave, name="leave"),
    path("trial/<str:token>/", trial_views.trial, name="trial"),
    path("<str:token>/", views.arrive, name="arrive"),
]
