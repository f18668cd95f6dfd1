"""The event log and everything else that is stored: schema, migrations, writing, backups."""
