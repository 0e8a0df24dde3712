"""Random statements, changes of one thing of them, and runs over a savepoint in memory, for ``upgrades.py``."""
