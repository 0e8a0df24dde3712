"""Metrics of functions on their way from Spark's workers to the program: an accumulator of Spark, one per application."""

from __future__ import annotations

import weakref
from typing import Any

from pyspark import SparkContext
from pyspark.accumulators import Accumulator, AccumulatorParam, _accumulatorRegistry
from pyspark.sql import SparkSession

from table_common.annotation import override
from table_common.functions import add_metrics, merge_metrics, set_metric_receiver

__all__ = ["accumulator_of", "send_metrics_to"]

Changes = dict[str, dict[str, tuple[str, Any]]]
_ACCUMULATORS: weakref.WeakKeyDictionary[SparkContext, Accumulator[Changes]] = weakref.WeakKeyDictionary()


class _Here(AccumulatorParam[Changes]):
    """In the program: what tasks send is added to the totals, and nothing is kept."""

    @override
    def zero(self, value: Changes) -> Changes:
        return {}

    @override
    def addInPlace(self, value1: Changes, value2: Changes) -> Changes:  # noqa: N802  # Spark's name
        for function, changes in value2.items():
            add_metrics(function, changes)
        return value1


class _InTask(AccumulatorParam[Changes]):
    """In a worker: what happens in a task is kept until its end, when Spark sends it."""

    @override
    def zero(self, value: Changes) -> Changes:
        return {}

    @override
    def addInPlace(self, value1: Changes, value2: Changes) -> Changes:  # noqa: N802  # Spark's name
        for function, changes in value2.items():
            merge_metrics(value1.setdefault(function, {}), changes)
        return value1


def accumulator_of(spark: SparkSession) -> int:
    """Returns the number of the application's accumulator of metrics."""
    context = spark.sparkContext
    found = _ACCUMULATORS.get(context)
    if found is None:
        found = _ACCUMULATORS[context] = context.accumulator({}, _Here())
    number: int = found.aid
    return number


def send_metrics_to(number: int | None) -> None:
    """Makes what functions report in this worker part of what its tasks send to the program."""
    if number is None:
        return

    def receive(function: str, changes: Any) -> None:
        # Spark forgets the accumulators of a task when the next one begins.
        accumulator = _accumulatorRegistry.get(number)
        if accumulator is None:
            accumulator = Accumulator(number, {}, _InTask())
            accumulator._deserialized = True
            _accumulatorRegistry[number] = accumulator
        accumulator.add({function: dict(changes)})

    set_metric_receiver(receive)
