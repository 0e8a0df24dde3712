"""Connectors that come with the runtime, written as any other connector is."""
