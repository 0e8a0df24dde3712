"""Scan providers as DataFrames."""
