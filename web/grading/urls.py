"""URLs of graded campaigns."""

from django.urls import path

from web.grading import views

_ONE = "collections/<slug:name>/grading/<slug:graded>/"

urlpatterns = [
    path("collections/<slug:name>/grading/", views.graded_campaigns_page, name="graded_campaigns"),
    path(_ONE, views.graded_campaign, name="graded_campaign"),
    path(f"{_ONE}topics/<int:key>/decide", views.decide_topic_by_hand, name="decide_topic"),
    path(f"{_ONE}topics/<int:key>/take", views.begin_topic, name="take_topic"),
    path(f"{_ONE}assess/<int:key>/", views.assess, name="assess"),
    path(f"{_ONE}assess/<int:key>/choosing", views.choosing, name="choosing"),
    path(f"{_ONE}assess/<int:key>/decline", views.decline, name="decline_topic"),
    path(f"{_ONE}end", views.end_graded_campaign, name="end_grading"),
    path(f"{_ONE}delete", views.delete_grading, name="delete_grading"),
    path(f"{_ONE}crowd", views.ask_crowd, name="ask_crowd"),
    path(f"{_ONE}labels", views.publish_topic_labels, name="publish_labels"),
    path(f"{_ONE}grades.csv", views.grades_file, name="grades_file"),
]
