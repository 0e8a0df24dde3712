"""Graphs that run in shares: cut at the places where rows change their owner, as tasks over lists of record batches. It knows neither the engine nor the plan."""
