"""Addresses of the pages across rooms."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from web.views import campaigns, collections, home

app_name = "web"
urlpatterns = [
    path("", home.home, name="home"),
    path(
        "accounts/login/",
        LoginView.as_view(
            template_name="web/login.html", next_page="web:home", redirect_authenticated_user=True
        ),
        name="login",
    ),
    path("accounts/logout/", LogoutView.as_view(next_page="web:home"), name="logout"),
    path("campaigns/<slug:name>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:name>/progress", campaigns.progress, name="progress"),
    path("collections/<slug:name>/", collections.collection, name="collection"),
    path("collections/<slug:name>/leaderboard/", collections.leaderboard, name="leaderboard"),
    path("collections/<slug:name>/leaderboard.csv", collections.leaderboard_csv, name="leaderboard_csv"),
    path("collections/<slug:name>/runs/<int:key>/", collections.run, name="run"),
    path("collections/<slug:name>/versions/<int:number>/", collections.version, name="version"),
    path("collections/<slug:name>/versions/<int:number>/queries/<int:key>/", collections.query, name="query"),
]
