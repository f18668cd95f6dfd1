"""Games and studies in memory, their watchers, feeds, and notifications between workers."""
