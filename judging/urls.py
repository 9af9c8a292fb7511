from django.urls import path

from judging.page import report_views, saved_choice_views, time_views, trial_views, views

app_name = "judging"
urlpatterns = [
    path("task/<str:token>/", views.work, name="work"),
    path("task/<str:token>/consent", views.consent, name="consent"),
    path("task/<str:token>/save", saved_choice_views.save, name="save"),
    path("task/<str:token>/state", saved_choice_views.state, name="state"),
    path("task/<str:token>/report", report_views.report, name="report"),
    path("task/<str:token>/finish", views.finish, name="finish"),
    path("task/<str:token>/leave", views.leave, name="leave"),
    path("task/<str:token>/more-time", time_views.more_time, name="more-time"),
    path("task/<str:token>/time-up", time_views.time_up, name="time-up"),
    path("appeal/<str:token>/", report_views.appeal, name="appeal"),
    path("trial/<str:token>/", trial_views.trial, name="trial"),
    path("<str:token>/", views.arrive, name="arrive"),
]
