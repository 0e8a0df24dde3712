"""Clocks, watermarks, and which sources wait for others."""
