from django.db import migrations

FORGOTTEN = 'forgotten-'


def cut(apps, schema_editor):
    """Remove assignment ids of workers whom earlier versions forgot from keys of bonuses, appeals and receipts."""
    calls = apps.get_model('judging', 'CrowdCall').objects
    paid = calls.filter(payment__submission__assignment_id__startswith=FORGOTTEN)
    for pk in paid.exclude(payment__kind='reward').values_list('pk', flat=True):
        calls.filter(pk=pk).update(key=f'{FORGOTTEN}{pk}')
    appeals = apps.get_model('judging', 'Appeal').objects
    told = appeals.filter(worker__forgotten_at__isnull=False).exclude(came_by='')
    for pk in told.values_list('pk', flat=True):
        appeals.filter(pk=pk).update(came_by=f'{FORGOTTEN}{pk}')
    receipts = apps.get_model('judging', 'Discrepancy').objects.filter(kind='only_here')
    receipts.filter(submission__assignment_id__startswith=FORGOTTEN).update(detail={})


class Migration(migrations.Migration):
    dependencies = [('judging', '0007_appeals_by_their_way')]

    operations = [migrations.RunPython(cut, migrations.RunPython.noop)]
