"""Sink providers as writes."""
