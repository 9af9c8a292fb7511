"""The fair and its open campaign, made by the product's services once per process, then restored as rows.

Opening a campaign takes 134 queries, and several hundred tests begin with it. Rows are restored with the same keys,
which is safe on PostgreSQL because its sequences never repeat a key. If something else may have come before (other
settings, another clock, rows from a test), the campaign is opened as usual.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from django.apps import apps
from django.conf import UserSettingsHolder, settings
from django.db import connection
from django.db.models import DateTimeField, Model

from config import clock
from judging.models import Campaign
from pooling.models import Collection, Passage, PooledPassage, Query
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd

ROOMS = ("background", "accounts", "pooling", "judging", "tournament", "leaderboard", "web")
#: Settings that differ for every test (tests/conftest.py) without changing a campaign.
OWN_SETTINGS = {"PREFEREE_DATA_DIR", "DATA_DIR", "RUNS_DIR", "CACHES", "STORAGES", "CROWD_HOSTS"}


@dataclass(frozen=True)
class Saved:
    """Rows made at a certain time, and the state of the fake crowd then."""

    rows: dict[type[Model], list[Model]]
    made_at: datetime
    crowd: dict[str, Any]

    def put_back(self, crowd: FakeCrowd) -> None:
        """Restore everything as if it happened now."""
        late = clock.now() - self.made_at
        for model, rows in self.rows.items():
            model._base_manager.bulk_create(_later(row, late) for row in rows)
        vars(crowd).update(copy.deepcopy(self.crowd))


_kept: dict[str, tuple[Saved, dict[str, Any]]] = {}


def fair_of(crowd: FakeCrowd) -> Fair:
    """The fair: four queries of three passages."""
    if not _usual():
        return Fair(crowd)
    if "fair" not in _kept:
        before = _keys()
        fair = Fair(crowd)
        # Copy, because the first test may change it.
        _kept["fair"] = _saved(before, crowd), copy.deepcopy({**vars(fair), "crowd": None})
    else:
        saved, attributes = _kept["fair"]
        saved.put_back(crowd)
        fair = object.__new__(Fair)
        vars(fair).update(copy.deepcopy(attributes), crowd=crowd)
    fair.put_back = True  # type: ignore[attr-defined]
    return fair


def campaign_of(fair: Fair, asked: Mapping[str, Any] = MappingProxyType({})) -> Campaign:
    """Return the fair's campaign with the settings ``asked``, launched, with its places offered."""
    if not (getattr(fair, "put_back", False) and _usual() and _untouched()):
        return fair.opened_afresh(**asked)
    name = f"campaign {fair.name} {sorted(asked.items())}"
    if name not in _kept:
        before = _keys()
        campaign = fair.opened_afresh(**asked)
        _kept[name] = _saved(before, fair.crowd), {"pk": campaign.pk}
        return campaign
    saved, attributes = _kept[name]
    saved.put_back(fair.crowd)
    return Campaign.objects.get(**attributes)


def _usual() -> bool:
    """Return whether nothing is set that would change the campaign."""
    held: Any = settings._wrapped
    changed: set[str] = set()
    while isinstance(held, UserSettingsHolder):
        changed |= {name for name in vars(held) if name.isupper()}
        held = held.default_settings
    by_the_wall = abs(clock.now() - datetime.now(clock.now().tzinfo)) < timedelta(seconds=1)
    return connection.vendor == "postgresql" and changed <= OWN_SETTINGS and by_the_wall and not _travelling()


def _travelling() -> bool:
    import time_machine

    return time_machine.escape_hatch.is_travelling()


def _untouched() -> bool:
    """Return whether the fair is unchanged and has no campaign yet."""
    counts = [model.objects.count() for model in (Collection, Query, PooledPassage, Passage)]
    return counts == [1, 4, 12, 12] and not Campaign.objects.exists()


def _models() -> list[type[Model]]:
    return [
        model for room in ROOMS for model in apps.get_app_config(room).get_models(include_auto_created=True)
    ]


def _keys() -> dict[type[Model], set[Any]]:
    return {model: {*model._base_manager.values_list("pk", flat=True)} for model in _models()}


def _saved(before: dict[type[Model], set[Any]], crowd: FakeCrowd) -> Saved:
    rows = {model: [*model._base_manager.exclude(pk__in=keys)] for model, keys in before.items()}
    known = {name: value for name, value in vars(crowd).items() if name != "one_at_a_time"}
    return Saved({model: found for model, found in rows.items() if found}, clock.now(), copy.deepcopy(known))


def _later(row: Model, late: timedelta) -> Model:
    row = copy.copy(row)
    row._state = copy.copy(row._state)
    row._state.adding = True
    for field in row._meta.concrete_fields:
        moment = getattr(row, field.attname)
        if isinstance(field, DateTimeField) and moment is not None:
            setattr(row, field.attname, moment + late)
    return row
