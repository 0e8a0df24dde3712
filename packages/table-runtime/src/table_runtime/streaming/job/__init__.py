"""What jobs without an end need on any engine: names, options, recovery, upgrades, savepoints and restarts. ``in_process`` runs them in this process."""
