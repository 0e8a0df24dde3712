"""Random tables with event time, and random queries over them, for ``event_time_cuts.py``."""
