"""Built-in connectors, for every engine."""
