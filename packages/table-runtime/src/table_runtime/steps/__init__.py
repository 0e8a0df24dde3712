"""Stateless steps over single batches, in batch and streaming mode: filters, projections, UNNEST, windows, checks."""
