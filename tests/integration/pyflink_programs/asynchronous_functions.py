"""Asynchronous scalar functions, functions with state that open and close, and functions that see the job's parameters."""

import asyncio

from pyflink.table import DataTypes
from pyflink.table.expressions import col
from pyflink.table.udf import AsyncScalarFunction, ScalarFunction, udf


@udf(result_type=DataTypes.STRING())
async def greet(name: str):
    await asyncio.sleep(0)
    return f"hello {name}"


class Twice(AsyncScalarFunction):
    async def eval(self, i: int):
        await asyncio.sleep(0)
        return i * 2


class Opened(ScalarFunction):
    def open(self, function_context):
        self.counter = function_context.get_metric_group().counter("calls")
        self.offset = int(function_context.get_job_parameter("offset", "7"))

    def eval(self, i):
        self.counter.inc()
        return i + self.offset


def run(t_env):
    table = t_env.from_elements([(1, "Ann"), (2, "Bob")], ["a", "name"])
    twice = udf(Twice(), result_type=DataTypes.BIGINT())
    opened = udf(Opened(), result_type=DataTypes.BIGINT())
    with table.select(col("a"), opened(col("a"))).execute().collect() as rows:
        result = sorted(tuple(row) for row in rows)
    with table.select(greet(col("name")), twice(col("a"))).execute().collect() as rows:
        return result, sorted(tuple(row) for row in rows)
