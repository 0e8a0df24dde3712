"""PyFlink's modules, each with the module here that has its names, or with the reason why none has."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

REFUSED_MODULES = {
    "pyflink.table.serializers": "it is internal to PyFlink",
    "pyflink.table.utils": "it is internal to PyFlink",
    "pyflink.java_gateway": "there is no Java virtual machine in the process; write the program against the Table API",
    "pyflink.util.api_stability_decorators": "it is internal to PyFlink",
    "pyflink.util.java_utils": "it wraps objects of Java",
    "pyflink.fn_execution": "it is internal to PyFlink: functions run in the process, or in Spark's workers",
    "pyflink.gen_protos": "it is internal to PyFlink",
    "pyflink.proto": "it is internal to PyFlink",
    "pyflink.metrics": "FunctionContext.get_metric_group() returns metric groups; leave out the import",
    "pyflink.testing": "its test cases start a cluster of Flink; create an environment in the test: TableEnvironment.create(…)",
    "pyflink.find_flink_home": "there is no Flink to be found",
    "pyflink.shell": "the SQL client and any Python prompt take its place",
    "pyflink.version": "importlib.metadata.version('table-api') is the version",
    "pyflink.pyflink_gateway_server": "there is no Java virtual machine in the process",
}
"""Modules without a counterpart, each with the reason."""

REFUSED_NAMES = {
    "AssignerWithPeriodicWatermarksWrapper": "a WATERMARK in the schema of the table takes its place",
    "ByteArraySchema": "the option 'format' of the table takes its place: raw",
    "DeserializationSchema": "the option 'format' of the table takes its place",
    "Encoder": "the option 'format' of the table takes its place",
    "ExecutionConfig": "the options of TableEnvironment.get_config() take its place",
    "InputDependencyConstraint": "it has no effect here",
    "RestartStrategies": "a job that failed is run again by the program",
    "RestartStrategyConfiguration": "a job that failed is run again by the program",
    "SerializationSchema": "the option 'format' of the table takes its place",
    "SimpleStringSchema": "the option 'format' of the table takes its place: raw",
    "TypeSerializer": "values are serialized by their SQL type",
    "WatermarkStrategy": "a WATERMARK in the schema of the table takes its place: Schema.new_builder().watermark(…)",
}
"""Names of ``pyflink.common`` without a counterpart, each with what takes its place."""


def counterpart_of(module: str) -> str | None:
    """Returns the module of this project that has the names of a module of PyFlink; None if there is none.

    Example:
        >>> counterpart_of("pyflink.table.expressions"), counterpart_of("pyflink.common.typeinfo"), counterpart_of("pyflink.java_gateway")
        ('table_api.expressions', 'table_api.common', None)
    """
    if reason_against(module) is not None:
        return None
    if module == "pyflink.util.exceptions":
        return "table_api.exceptions"
    for family in ("common", "datastream"):
        if module == f"pyflink.{family}" or module.startswith(f"pyflink.{family}."):
            return f"table_api.{family}"
    if module in ("pyflink", "pyflink.table"):
        return "table_api"
    here = f"table_api.{module.removeprefix('pyflink.table.')}"
    return here if module.startswith("pyflink.table.") and _exists(here) else None


def reason_against(module: str, name: str | None = None) -> str | None:
    """Returns why a module of PyFlink, or a name in it, has no counterpart; None if no reason is recorded.

    Example:
        >>> reason_against("pyflink.table.utils")
        'it is internal to PyFlink'
    """
    for refused, reason in REFUSED_MODULES.items():
        if module == refused or module.startswith(f"{refused}."):
            return reason
    return None if name is None else REFUSED_NAMES.get(name)


def has_name(module: str, name: str) -> bool:
    """Returns whether a module of this project has a name or a submodule of that name."""
    return hasattr(import_module(module), name) or _exists(f"{module}.{name}")


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the parent is no package
        return False
