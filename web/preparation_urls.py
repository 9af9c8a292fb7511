from django.urls import path

from web.analyses import asking_views as asking
from web.pools import views as pools
from web.preparation import launch_views as launching, views as preparing

_COLLECTION = "collections/<slug:name>/"
_PREPARE = "campaigns/<slug:name>/prepare/"

urlpatterns = [
    path(f"{_COLLECTION}pools/new/", pools.show_pool_plan, name="pool_plan"),
    path(f"{_COLLECTION}pools/build", pools.build, name="build_pool"),
    path(f"{_COLLECTION}pools/work/<int:key>/", pools.pool_building_progress, name="pool_work"),
    path(f"{_COLLECTION}pools/work/<int:key>/again", pools.build_again, name="build_again"),
    path(f"{_COLLECTION}pools/named/<slug:pool>/", pools.pool, name="pool"),
    path(f"{_COLLECTION}pools/named/<slug:pool>/fraction", pools.build_fraction, name="build_fraction"),
    path(f"{_COLLECTION}better-than-perfect/ask/", asking.show_asking_plan, name="asking_plan"),
    path(f"{_COLLECTION}better-than-perfect/make", asking.make_asking_draft, name="make_asking"),
    path(f"{_COLLECTION}better-than-perfect/work/<int:key>/", asking.asking_progress, name="asking_work"),
    path(f"{_COLLECTION}better-than-perfect/work/<int:key>/again", asking.retry_asking, name="asking_again"),
    path(f"{_COLLECTION}campaigns/new/", preparing.new_campaign, name="new_campaign"),
    path(_PREPARE, preparing.prepare, name="prepare"),
    path(f"{_PREPARE}settings/", preparing.campaign_settings, name="prepare_settings"),
    path(f"{_PREPARE}screen", preparing.use_recommended_rule, name="use_recommended_rule"),
    path(f"{_PREPARE}rename", preparing.rename_campaign_draft, name="rename_draft"),
    path(f"{_PREPARE}delete/", preparing.confirm_draft_deletion, name="delete_draft"),
    path(f"{_PREPARE}gold/", preparing.gold, name="prepare_gold"),
    path(f"{_PREPARE}gold/propose", preparing.propose_gold_pairs, name="propose_gold"),
    path(f"{_PREPARE}gold/bring", preparing.import_own_gold, name="bring_gold"),
    path(f"{_PREPARE}gold/decide", preparing.decide_gold_pair, name="decide_gold"),
    path(f"{_PREPARE}texts/", preparing.texts, name="prepare_texts"),
    path(f"{_PREPARE}texts/usual", preparing.usual_texts, name="usual_texts"),
    path(f"{_PREPARE}texts/preview", preparing.preview_texts, name="preview_texts"),
    path(f"{_PREPARE}texts/trial", preparing.try_texts, name="try_texts"),
    path(f"{_PREPARE}pay/", preparing.pay, name="prepare_pay"),
    path(f"{_PREPARE}rehearsal/", launching.rehearsal, name="prepare_rehearsal"),
    path(f"{_PREPARE}pilot/", launching.pilot_step, name="prepare_pilot"),
    path(f"{_PREPARE}pilot/end", launching.end_pilot, name="end_pilot"),
    path(f"{_PREPARE}check/", launching.check, name="prepare_check"),
    path(f"{_PREPARE}launch/", launching.launch_step, name="prepare_launch"),
]
