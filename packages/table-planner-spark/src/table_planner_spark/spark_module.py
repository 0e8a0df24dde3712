"""The module ``spark``: all functions of the Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from pyspark.sql import SparkSession

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.factories import validate_options
from table_common.functions import EngineFunction, FunctionDefinition, FunctionKind
from table_common.module import Module, ModuleFactory
from table_planner_spark.expressions.engine_functions.hive_classes import HIVE_PREFIX
from table_planner_spark.expressions.names import WORKER_PREFIX
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.spark_internals import java_session

_KINDS = {"agg_funcs": FunctionKind.AGGREGATE, "generator_funcs": FunctionKind.TABLE}
_WINDOW = frozenset({"cume_dist", "dense_rank", "lag", "lead", "nth_value", "ntile", "percent_rank", "rank", "row_number"})
_OF_CLAUSES = frozenset({"count", "grouping", "grouping_id"}) | _WINDOW
"""Functions that belong to clauses of a query. These names always mean SQL's own functions."""
_LAMBDAS = "it requires a lambda, which this SQL cannot express; use a user function, or UNNEST and an aggregate"
_NOT_DETERMINISTIC = frozenset(
    {
        "input_file_block_length",
        "input_file_block_start",
        "input_file_name",
        "monotonically_increasing_id",
        "now",
        "rand",
        "randn",
        "random",
        "randstr",
        "shuffle",
        "spark_partition_id",
        "uniform",
        "uuid",
    }
)


class SparkModule(Module):
    """Spark's built-in functions and those registered in its session. Spark infers the types of their calls and runs them.

    Only the planner ``spark`` can call them.
    """

    def __init__(self, spark: SparkSession | Callable[[], SparkSession] | None = None) -> None:
        """Creates the module for a session, or for a callable that returns it when it is needed; None means the session active at that time."""
        self._session = spark
        self._definitions: dict[str, EngineFunction] = {}

    @property
    def spark(self) -> SparkSession:
        """The session whose functions these are.

        Raises:
            ValidationException: none was given, and none is active.
        """
        found = self._session() if callable(self._session) else self._session or SparkSession.getActiveSession()
        if found is None:
            raise ValidationException("The module 'spark' has no Spark session.", hint="LOAD MODULE spark, or SparkModule(session)")
        if not adapter_of(found).has_jvm:
            raise ValidationException(
                "The module 'spark' does not run on Spark Connect: the functions of a session are asked in the JVM of the driver.",
                hint="Create the session with a master, such as SparkSession.builder.master('local[*]').",
            )
        return found

    @override
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return _Names(self)

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        key = name.lower()
        found = self._definitions.get(key)
        if found is None and key in _Names(self):
            group = self._group(key)
            made = EngineFunction(
                key.upper(),
                _KINDS.get(group, FunctionKind.SCALAR),
                system="spark",
                implementation="" if group == "lambda_funcs" else key,
                deterministic=key not in _NOT_DETERMINISTIC,
                remark=_LAMBDAS if group == "lambda_funcs" else None,
            )
            # One definition per name, because functions are compared by identity.
            found = self._definitions.setdefault(key, made)
        return found

    def _group(self, name: str) -> str:
        """Returns the function's group in Spark's documentation, which distinguishes aggregates and table functions from scalar ones."""
        found = _lookup(self.spark, name)
        return "" if found is None else str(found.getGroup())


class _Names(AbstractSet[str]):
    """The names of a module's functions. Spark is asked each time, because functions can be registered at any time."""

    def __init__(self, module: SparkModule) -> None:
        self._module = module

    @override
    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not _is_callable(name):
            return False
        return _lookup(self._module.spark, name) is not None

    @override
    def __iter__(self) -> Iterator[str]:
        registry = java_session(self._module.spark).sessionState().functionRegistry()
        full_names = registry.listFunction().mkString("\n").splitlines()
        names = {text.rpartition(".")[2].replace("`", "").lower() for text in full_names}
        return iter(sorted(name for name in names if _is_callable(name)))

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)


def _lookup(spark: SparkSession, name: str) -> Any | None:
    """Returns Spark's description of a function, built in or registered in the session, or None."""
    found = java_session(spark).sessionState().catalog().lookupBuiltinOrTempFunction(name)
    return None if found.isEmpty() else found.get()


def _is_callable(name: str) -> bool:
    """Returns whether SQL can call a function of this name. Spark also registers operators, and the planner functions of its own."""
    return name.isidentifier() and not name.startswith((HIVE_PREFIX, WORKER_PREFIX)) and name.lower() not in _OF_CLAUSES


class SparkModuleFactory(ModuleFactory):
    """Creates the module ``spark`` for a session that runs on Spark; it has no options."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "spark"

    @override
    def create_module(self, context: ModuleFactory.Context) -> SparkModule:
        from table_planner_spark.planner import SparkPlanner

        validate_options(context.options, (), (), "module 'spark'")
        planner = context.planner() if context.planner is not None else None
        if planner is None:
            return SparkModule()
        if not isinstance(planner, SparkPlanner):
            name = getattr(planner, "name", type(planner).__name__)
            raise ValidationException(
                f"The module 'spark' has the functions of a Spark session, but this session's planner is '{name}'.",
                hint="EnvironmentSettings.new_instance().with_planner('spark')",
            )
        return SparkModule(lambda: planner.session.spark)
