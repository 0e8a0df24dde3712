"""Functions of one Python value, for what Arrow has no kernel for."""
