from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("pooling", "0020_board_measure")]

    operations = [migrations.RenameField("collection", "licence", "license")]
