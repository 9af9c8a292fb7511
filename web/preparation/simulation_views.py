"""A launched campaign judged by simulated workers, to try everything without people."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from judging.campaign.screening_forecast import slips_of
from judging.simulation.rehearsals import truth_named
from judging.simulation.simulated_workers import SimulationSettings
from web.campaigns import jobs as simulating
from web.common.access import campaign_for
from web.common.job_progress import Work
from web.common.shown_refusals import add_error_if_refused
from web.preparation.forms import SimulationForm


@require_http_methods(["GET", "HEAD", "POST"])
def simulate(request: HttpRequest, name: str) -> HttpResponse:
    """Have simulated workers judge all remaining tasks, after the person types the campaign's name."""
    found = campaign_for(request.user, name, "launch campaign")
    truths = list(found.collection.passage_labels().order_by("-pk").values_list("name", flat=True))
    form = SimulationForm(
        request.POST or None,
        truths=truths,
        name=found.name,
        slips=slips_of(found),
        gold_words=found.gold_words,
    )
    if request.method == "POST" and form.is_valid():
        asked = form.settings()
        with add_error_if_refused(form):
            simulating.check_unmixed(found)
            truth = truth_named(found, asked.pop("truth"))
            simulating.ring_for_simulation(
                found, truth, SimulationSettings(**asked), who=request.user.get_username()
            )
            messages.success(request, "Simulated workers were started. The figures below follow their work.")
            return redirect("web:campaign", found.name)
    context = {
        "campaign": found,
        "form": form,
        "truths": truths,
        "work": Work(job) if (job := simulating.simulation_of(found)) else None,
        "why_not": simulating.reason_not_to_simulate(found),
    }
    return render(request, "web/campaign_simulate.html", context, status=400 if form.errors else 200)
