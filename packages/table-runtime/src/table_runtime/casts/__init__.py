"""CAST: conversion of Arrow arrays between SQL types."""

from table_runtime.casts.cast import can_fail, cast
from table_runtime.casts.decimals import fit_decimal, rescale
from table_runtime.casts.distinct import map_distinct, map_distinct_array, map_values
from table_runtime.casts.zone import from_local, to_local

__all__ = [
    "can_fail",
    "cast",
    "fit_decimal",
    "from_local",
    "map_distinct",
    "map_distinct_array",
    "map_values",
    "rescale",
    "to_local",
]
