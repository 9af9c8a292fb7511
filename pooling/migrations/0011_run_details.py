import django.db.models.deletion
from django.db import migrations, models

import config.clock

#: Free-text types that say what a structured field now says.
MEANT = {
    "rerank": {"subtask": "rerank"},
    "reranking": {"subtask": "rerank"},
    "fullrank": {"subtask": "fullrank"},
    "full": {"subtask": "fullrank"},
    "nnlm": {"neural": "nnlm"},
    "nn": {"neural": "nn"},
    "trad": {"neural": "trad"},
    "bm25": {"neural": "trad"},
    "dense": {"dense": True},
}


def type_to_details(apps, schema_editor):
    Run = apps.get_model("pooling", "Run")
    for key, text in Run.objects.exclude(run_type="").values_list("pk", "run_type"):
        words = " ".join(text.split())
        if words:
            Run.objects.filter(pk=key).update(details={"family": words} | MEANT.get(words.casefold(), {}))
    rename_required(apps, "run_type", "family")


def details_to_type(apps, schema_editor):
    Run = apps.get_model("pooling", "Run")
    for run in Run.objects.exclude(details={}):
        Run.objects.filter(pk=run.pk).update(run_type=str(run.details.get("family", ""))[:100])
    rename_required(apps, "family", "run_type")


def rename_required(apps, before, after):
    SubmissionPolicy = apps.get_model("pooling", "SubmissionPolicy")
    for policy in SubmissionPolicy.objects.all():
        required = [after if name == before else name for name in policy.required]
        SubmissionPolicy.objects.filter(pk=policy.pk).update(required=required)


class Migration(migrations.Migration):
    dependencies = [("pooling", "0010_run_depth")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="run_fields",
            field=models.JSONField(
                db_default={},
                default=dict,
                help_text="The details requested for each run, and the collection's own fields.",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="details",
            field=models.JSONField(
                default=dict, help_text='Structured details, as defined in pooling.rules.run_details.'
            ),
        ),
        migrations.RunPython(type_to_details, details_to_type),
        migrations.RemoveField(model_name="run", name="run_type"),
        migrations.CreateModel(
            name="AnnouncedRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("run_tag", models.CharField(max_length=200)),
                ("said", models.JSONField(default=dict, help_text="Fields of a run, with its details.")),
                ("created_at", models.DateTimeField(default=config.clock.now)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="announced_runs",
                        to="pooling.collection",
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        help_text='The run, once its file is uploaded.',
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="pooling.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("collection", "run_tag"), name="one_announcement_per_tag"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CandidateSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file_name", models.CharField(max_length=200)),
                ("sha256", models.CharField(help_text='SHA-256 of the decompressed content.', max_length=64)),
                ("storage_name", models.CharField(max_length=300)),
                ("queries", models.PositiveIntegerField()),
                ("depth", models.PositiveIntegerField(help_text='The largest number of passages of a query.')),
                ("lines", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(default=config.clock.now)),
                (
                    "collection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="candidate_set",
                        to="pooling.collection",
                    ),
                ),
            ],
        ),
    ]
