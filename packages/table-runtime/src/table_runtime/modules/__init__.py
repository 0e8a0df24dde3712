"""Modules (FLIP-68) of this distribution."""
