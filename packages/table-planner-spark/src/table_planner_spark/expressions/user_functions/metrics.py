"""Sends metrics of user functions from Spark's workers to the driver, through one Spark accumulator per application."""

from __future__ import annotations

import weakref
from typing import Any

from pyspark import SparkContext
from pyspark.accumulators import Accumulator, AccumulatorParam
from pyspark.sql import SparkSession

from table_common.annotation import override
from table_common.functions import add_metrics, merge_metrics, set_metric_receiver
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.spark_internals import accumulator_in_task

Changes = dict[str, dict[str, tuple[str, Any]]]
_ACCUMULATORS: weakref.WeakKeyDictionary[SparkContext, Accumulator[Changes]] = weakref.WeakKeyDictionary()


class _Here(AccumulatorParam[Changes]):
    """The driver's side: adds the changes that tasks send to the totals, and keeps none."""

    @override
    def zero(self, value: Changes) -> Changes:
        return {}

    @override
    def addInPlace(self, value1: Changes, value2: Changes) -> Changes:  # noqa: N802  # Spark's name
        for function, changes in value2.items():
            add_metrics(function, changes)
        return value1


class _InTask(AccumulatorParam[Changes]):
    """The worker's side: collects the changes of a task, which Spark sends when the task ends."""

    @override
    def zero(self, value: Changes) -> Changes:
        return {}

    @override
    def addInPlace(self, value1: Changes, value2: Changes) -> Changes:  # noqa: N802  # Spark's name
        for function, changes in value2.items():
            merge_metrics(value1.setdefault(function, {}), changes)
        return value1


def accumulator_of(spark: SparkSession) -> int | None:
    """Returns the identifier of the application's accumulator for metrics; None if only the driver's process has one."""
    if not adapter_of(spark).has_jvm:
        return None
    context = spark.sparkContext
    found = _ACCUMULATORS.get(context)
    if found is None:
        found = _ACCUMULATORS[context] = context.accumulator({}, _Here())
    number: int = found.aid
    return number


def send_metrics_to(number: int | None) -> None:
    """Adds metrics that functions report in this worker to the accumulator with this identifier; None does nothing."""
    if number is None:
        return

    def receive(function: str, changes: Any) -> None:
        accumulator_in_task(number, {}, _InTask()).add({function: dict(changes)})

    set_metric_receiver(receive)
