"""Functions on single Python values, where Arrow has no kernel."""
