"""The SQL client: scripts and an interactive prompt."""
