"""Games in progress: the cache of tables, the rooms of watchers, feeds, and notifications between workers."""
