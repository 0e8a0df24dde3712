"""The SQL client: scripts and an interactive prompt over a table environment."""
