"""All the ways in which PyFlink lets a scalar function be written."""

import functools

from pyflink.table import DataTypes
from pyflink.table.expressions import call, col
from pyflink.table.udf import ScalarFunction, udf


class HashCode(ScalarFunction):
    def __init__(self):
        self.factor = 12

    def open(self, function_context):
        self.offset = int(function_context.get_job_parameter("offset", "0"))

    def eval(self, s):
        return len(s) * self.factor + self.offset


@udf(input_types=[DataTypes.BIGINT(), DataTypes.BIGINT()], result_type=DataTypes.BIGINT())
def add(i, j):
    return i + j


class CallableAdd:
    def __call__(self, i, j):
        return i + j


def partial_add(i, j, k):
    return i + j + k


@udf(result_type="STRING")
def describe(name, score):
    return f"{name}: {'none' if score is None else score}"


def run(t_env):
    table = t_env.from_elements([(1, 2, "Ann"), (3, 4, "Bob")], ["a", "b", "name"])
    hash_code = udf(HashCode(), result_type=DataTypes.BIGINT())
    add_lambda = udf(lambda i, j: i + j, result_type=DataTypes.BIGINT())
    add_callable = udf(CallableAdd(), result_type=DataTypes.BIGINT())
    add_partial = udf(functools.partial(partial_add, k=1), result_type=DataTypes.BIGINT())
    t_env.create_temporary_function("hash_code", hash_code)
    t_env.create_temporary_system_function("add", add)
    result = table.select(
        add(col("a"), col("b")),
        add_lambda(col("a"), col("b")),
        add_callable(col("a"), col("b")),
        add_partial(col("a"), col("b")),
        call("hash_code", col("name")),
        describe(col("name"), call("NULLIF", col("b"), 2)),
    )
    t_env.create_temporary_view("people", table)
    sql = t_env.sql_query("SELECT add(a, b) * 10, hash_code(name) FROM people")
    with result.execute().collect() as one, sql.execute().collect() as other:
        return [tuple(row) for row in one], [tuple(row) for row in other]
