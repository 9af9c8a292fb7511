"""A launched campaign judged by simulated workers, to try everything without people."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from config.errors import NotNow, Refusal
from judging.rehearsal import truth_named
from judging.services.expecting import slips_of
from judging.simulation import SimulationSettings
from web import jobs
from web.access import campaign_for, require
from web.preparing_forms import SimulationForm
from web.services import simulating
from web.services.work import Work


@require_http_methods(["GET", "HEAD", "POST"])
def simulate(request: HttpRequest, name: str) -> HttpResponse:
    """Say who judges and how well, type the name of the campaign, and simulated workers judge all that is left."""
    found = campaign_for(request.user, name)
    require(request.user, "launch campaign", found.collection)
    truths = list(found.collection.qrel_sets.order_by("-pk").values_list("name", flat=True))
    form = SimulationForm(request.POST or None, truths=truths, name=found.name, slips=slips_of(found))
    if request.method == "POST" and form.is_valid():
        asked = form.settings()
        try:
            simulating.check_unmixed(found)
            truth = truth_named(found, asked.pop("truth"))
            jobs.ring_for_simulation(
                found, truth, SimulationSettings(**asked), who=request.user.get_username()
            )
        except NotNow:
            raise
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(
                request, "Simulated workers are on their way. The figures below move as they judge."
            )
            return redirect("web:campaign", found.name)
    context = {
        "campaign": found,
        "form": form,
        "truths": truths,
        "work": Work(job) if (job := jobs.simulation_of(found)) else None,
        "why_not": simulating.why_not(found),
    }
    return render(request, "web/campaign_simulate.html", context, status=400 if form.errors else 200)
