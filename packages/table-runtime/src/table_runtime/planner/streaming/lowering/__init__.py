"""Lowers the nodes of a streaming plan to changelog operators: one file per operation, named like it and imported at its first use."""
