"""Aggregate functions over Arrow columns: states per group, one file per family of functions."""

from table_runtime.aggregates.accumulator import Accumulator, AggregateSpec, Reduction

__all__ = ["Accumulator", "AggregateSpec", "Reduction"]
