"""Random changelogs and queries over them, and their runs in memory with chosen batch boundaries: what ``proofs/changelog_cuts.py`` is made of."""
