"""Lowers the nodes of a streaming plan to changelog operators: one module per operation, imported at its first use."""
