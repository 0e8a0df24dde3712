"""What goes wrong when functions and rows are declared, and the classes that PyFlink's programs catch."""

from pyflink.table import DataTypes
from pyflink.table.expressions import col
from pyflink.table.udf import ScalarFunction, udf


class WithoutEval(ScalarFunction):
    pass


class Random(ScalarFunction):
    def eval(self, x):
        return x

    def is_deterministic(self):
        return False


async def slow(x):
    return x


def run(t_env):
    attempts = [
        (TypeError, lambda: udf(WithoutEval(), result_type=DataTypes.INT())),
        (ValueError, lambda: udf(Random(), result_type=DataTypes.INT(), deterministic=True)),
        (ValueError, lambda: udf(slow, result_type=DataTypes.INT(), func_type="pandas")),
        (ValueError, lambda: udf(lambda x: x, result_type=DataTypes.INT(), func_type="columnar")),
        (TypeError, lambda: udf(5, result_type=DataTypes.INT())),
        (TypeError, lambda: udf(lambda x: x, result_type=5)),
        (TypeError, lambda: t_env.from_elements([("a",)], DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT())]))),
        (ValueError, lambda: t_env.from_elements([(1, 2)], DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT())]))),
        (ValueError, lambda: t_env.from_elements([(500,)], DataTypes.ROW([DataTypes.FIELD("x", DataTypes.TINYINT())]))),
        (TypeError, lambda: t_env.from_elements([(1, 2)], 5)),
        (TypeError, lambda: t_env.from_elements(5)),
    ]
    caught = []
    for number, (kind, attempt) in enumerate(attempts):
        try:
            attempt()
            caught.append((number, "nothing"))
        except kind:
            caught.append((number, True))
        except Exception as error:
            caught.append((number, type(error).__name__))
    deterministic = udf(Random(), result_type=DataTypes.INT())
    with t_env.from_elements([(1,)], ["a"]).select(deterministic(col("a").cast(DataTypes.INT()))).execute().collect() as rows:
        return caught, [tuple(row) for row in rows]
