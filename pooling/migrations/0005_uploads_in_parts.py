"""Run files may come in parts or be checked alone; collections have titles and are made of files that were sent."""

import config.clock
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def whole_files_are_one_part(apps, schema_editor):
    """Files that wait for their check were stored whole."""
    uploads = apps.get_model('pooling', 'RunUpload').objects.using(schema_editor.connection.alias)
    uploads.update(received_bytes=models.F('size_bytes'))
    for upload in uploads.filter(state='waiting').iterator():
        upload.parts = [upload.stored_as]
        upload.save(update_fields=['parts'])


class Migration(migrations.Migration):

    dependencies = [
        ('pooling', '0004_run_uploads'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='collection',
            name='title',
            field=models.CharField(blank=True, help_text='The displayed name.', max_length=200),
        ),
        migrations.AddField(
            model_name='runupload',
            name='check_only',
            field=models.BooleanField(default=False, help_text='Whether to only check the file, without importing it.'),
        ),
        migrations.AddField(
            model_name='runupload',
            name='parts',
            field=models.JSONField(default=list, help_text='Names of the stored parts, in order.'),
        ),
        migrations.AddField(
            model_name='runupload',
            name='problem_counts',
            field=models.JSONField(default=dict, help_text='Kind → number of problems.'),
        ),
        migrations.AddField(
            model_name='runupload',
            name='received_bytes',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='runupload',
            name='report',
            field=models.JSONField(default=dict, help_text='The results of the check, if the file passed.'),
        ),
        migrations.RunPython(whole_files_are_one_part, migrations.RunPython.noop),
        migrations.RemoveField(
            model_name='runupload',
            name='stored_as',
        ),
        migrations.AlterField(
            model_name='runupload',
            name='problems',
            field=models.JSONField(default=list, help_text='The first problems, each with its line; 0 for the whole file.'),
        ),
        migrations.AlterField(
            model_name='runupload',
            name='sha256',
            field=models.CharField(blank=True, help_text='SHA-256 of the bytes as sent; empty until the last byte has arrived.', max_length=64),
        ),
        migrations.AlterField(
            model_name='runupload',
            name='state',
            field=models.CharField(choices=[('receiving', 'Receiving'), ('waiting', 'Waiting'), ('checked', 'Checked'), ('imported', 'Imported'), ('refused', 'Refused')], default='waiting', max_length=10),
        ),
        migrations.CreateModel(
            name='NewCollection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('details', models.JSONField(default=dict, help_text='Title, description, language, threshold.')),
                ('files', models.JSONField(default=list, help_text='Each with what it is, its name, and where it lies.')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('made', 'Made'), ('refused', 'Refused')], default='waiting', max_length=10)),
                ('problems', models.JSONField(default=list, help_text='The first problems, each with its file and line.')),
                ('problem_counts', models.JSONField(default=dict, help_text='Kind → number of problems.')),
                ('created_at', models.DateTimeField(default=config.clock.now)),
                ('finished_at', models.DateTimeField(null=True)),
                ('collection', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='pooling.collection')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
