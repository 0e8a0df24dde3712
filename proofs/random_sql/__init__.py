"""Random tables and queries as trees, which are written in several dialects, compared and minimized: what ``proofs/differential.py`` is made of."""
