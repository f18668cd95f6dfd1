"""The database: the event log and all other data, schema, migrations, writing, backups."""
