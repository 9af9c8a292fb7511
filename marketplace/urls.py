"""Addresses of the marketplace."""

from __future__ import annotations

from django.urls import path

from marketplace.views import health, signing_in, site, tasks

urlpatterns = [
    path("", site.root, name="home"),
    path("signup/", signing_in.signup, name="signup"),
    path("signin/", signing_in.signin, name="signin"),
    path("signin/token/<str:token>/", signing_in.signin_by_token, name="signin_by_token"),
    path("signout/", signing_in.signout, name="signout"),
    path("done/", site.done, name="done"),
    path("groups/<str:type_id>/", tasks.group, name="group"),
    path("groups/<str:type_id>/take/", tasks.take, name="take"),
    path("tasks/<str:assignment_id>/", tasks.task, name="task"),
    path("tasks/<str:assignment_id>/status/", tasks.status, name="task_status"),
    path("tasks/<str:assignment_id>/return/", tasks.give_back, name="give_back"),
    path("mturk/externalSubmit", tasks.external_submit, name="external_submit"),
    path("healthz", health.healthz, name="healthz"),
]
