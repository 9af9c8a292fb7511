"""URLs of the marketplace. ``/healthz`` is answered before them (:class:`marketplace.middleware.Probes`)."""

from django.urls import path

from marketplace.views import account, letters, own_data, qualifications, sign_in as signing_in, site, tasks

urlpatterns = [
    path("", site.root, name="home"),
    path("signup/", signing_in.signup, name="signup"),
    path("signin/", signing_in.signin, name="signin"),
    path("signin/token/<str:token>/", signing_in.signin_by_token, name="signin_by_token"),
    path("signout/", signing_in.signout, name="signout"),
    path("invitation/<str:token>/", signing_in.use_invitation, name="invitation"),
    path("password/", account.forgotten, name="forgotten"),
    path("password/<str:worker_id>/<str:token>/", account.new_password, name="new_password"),
    path("address/<str:token>/", account.confirm_address, name="confirm_address"),
    path("account/", account.account, name="account"),
    path("account/password/", account.change_password, name="change_password"),
    path("account/payout/", own_data.payout, name="payout"),
    path("account/export/", own_data.export, name="export"),
    path("account/delete/", own_data.delete_own_account, name="delete_account"),
    path("privacy/", own_data.privacy, name="privacy"),
    path("qualifications/", qualifications.qualifications, name="qualifications"),
    path("qualifications/<str:type_id>/ask/", qualifications.ask_for_qualification, name="ask_qualification"),
    path("earnings/", site.earnings, name="earnings"),
    path("requesters/<int:key>/write/", letters.write_to_requester, name="write"),
    path("done/", site.done, name="done"),
    path("done/<str:assignment_id>/", site.receipt, name="receipt"),
    path("messages/read/", site.read_messages, name="read_messages"),
    path("groups/<str:type_id>/", tasks.group, name="group"),
    path("groups/<str:type_id>/take/", tasks.take_from_group, name="take"),
    path("tasks/<str:assignment_id>/", tasks.task, name="task"),
    path("tasks/<str:assignment_id>/status/", tasks.status, name="task_status"),
    path("tasks/<str:assignment_id>/return/", tasks.give_task_back, name="give_back"),
    path("mturk/externalSubmit", tasks.external_submit, name="external_submit"),
]

handler400 = "marketplace.views.faults.bad_request"
handler404 = "marketplace.views.faults.not_found"
handler403 = "marketplace.views.faults.forbidden"
