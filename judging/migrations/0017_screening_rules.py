from django.db import migrations, models

#: The sentence on test pairs in earlier default consent texts, which did not depend on the rule.
ONE_MISS = (
    "Some pairs have an answer that is plain to anyone who reads; we use them to see that people read. If one of them is missed, none of your choices is used and you are offered no further tasks, but you are paid for what you sent off, and you can object.",
    "Manche Paare haben eine Antwort, die für alle klar ist, die lesen; mit ihnen prüfen wir, ob gelesen wird. Wird eines davon verfehlt, verwenden wir keine Ihrer Antworten, und Ihnen werden keine weiteren Aufgaben angeboten; was Sie abgesendet haben, wird trotzdem bezahlt, und Sie können widersprechen.",
)


def name_the_rule(apps, schema_editor):
    """Name the current rule in unedited consent texts before launch. Changed texts have to be accepted again."""
    Campaign = apps.get_model("judging", "Campaign")
    for campaign in Campaign.objects.filter(state__in=("draft", "rehearsed", "piloted")):
        text = campaign.consent_text
        for words in ONE_MISS:
            text = text.replace(words, "{screening}")
        if text != campaign.consent_text:
            campaign.consent_text = text
            campaign.texts_accepted_at, campaign.texts_accepted_by = None, ""
            campaign.save(update_fields=["consent_text", "texts_accepted_at", "texts_accepted_by"])


def keep_their_list(apps, schema_editor):
    """Keep, for launched campaigns, the list that their places require."""
    apps.get_model("judging", "Campaign").objects.filter(launched_at__isnull=False).update(one_block_list=True)


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0016_repeated_pairs"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="answer_days",
            field=models.PositiveIntegerField(
                default=3, help_text='Working days within which an objection is answered, as promised to workers.'
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="one_block_list",
            field=models.BooleanField(
                default=False,
                editable=False,
                help_text="Launched when one list of excluded workers served all campaigns of the installation.",
            ),
        ),
        migrations.AlterField(
            model_name="campaign",
            name="refuse_excluded_elsewhere",
            field=models.BooleanField(
                default=True,
                help_text='Refuse workers whom another campaign of the collection excluded, except for a single failure.',
            ),
        ),
        migrations.AlterField(
            model_name="campaign",
            name="screen",
            field=models.CharField(
                choices=[("reference", "Reference"), ("two-strikes", "Two Strikes"), ("rate", "Rate")],
                default="reference",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="campaign",
            name="slip_rate",
            field=models.FloatField(default=0.01, help_text='Share of gold pairs that an honest worker is assumed to fail.'),
        ),
        migrations.RunPython(name_the_rule, migrations.RunPython.noop),
        migrations.RunPython(keep_their_list, migrations.RunPython.noop),
    ]
