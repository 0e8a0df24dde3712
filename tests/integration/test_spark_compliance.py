"""The module ``spark`` passes the compliance suite."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from table_common.module import Module
from table_planner_spark.spark_module import SparkModule, SparkModuleFactory
from table_testing import ModuleCompliance


class TestSparkModule(ModuleCompliance):
    factory = SparkModuleFactory
    spark: ClassVar[Any] = None

    @pytest.fixture(autouse=True)
    def _session(self, spark: Any) -> None:
        type(self).spark = spark

    def create_module(self) -> Module:
        return SparkModule(self.spark)
