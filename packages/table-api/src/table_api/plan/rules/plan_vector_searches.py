"""Creates the sources of the tables that VECTOR_SEARCH searches, and the functions that search in them."""

from __future__ import annotations

from table_api.operations import QueryOperation, UnnestQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.create_sources import created_source
from table_api.resolution.batch_calls import REQUEST_OPTIONS, BatchCaller, BatchFunction
from table_api.resolution.vector_search import NAME, UnplannedSearch, search_expression
from table_common.configuration import ConfigOptions, ExecutionConfigOptions, ReadableConfig, session_time_zone
from table_common.connector import (
    AsyncSearchRuntimeProvider,
    AsyncVectorSearchFunctionProvider,
    DynamicTableSource,
    ScanTableSource,
    SearchRuntimeProvider,
    VectorSearchFunctionProvider,
    VectorSearchTableSource,
)
from table_common.data import RowKind
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import CallExpression
from table_common.factories import validate_options
from table_common.frozen_dataclass import replace
from table_common.tree import transform_up

METRIC = (
    ConfigOptions.key("metric")
    .enum_type("cosine", "l2", "inner_product")
    .default_value("cosine")
    .with_description("What says which vectors are near: the cosine of their angle, their distance, or their inner product.")
)


def plan_vector_searches(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Gives each search what searches: the provider of its table's source, or the engine's comparison with all rows of the table.

    Raises:
        ValidationException: the table cannot be searched, or an option of the call is wrong.
        TableException: the engine cannot compare vectors with the rows of this table.
    """

    def change(node: UnnestQueryOperation) -> QueryOperation:
        expression = node.expression
        function = getattr(expression.function, "function", None) if isinstance(expression, CallExpression) else None
        if not isinstance(function, UnplannedSearch) or context.planner is None:
            return node
        assert isinstance(expression, CallExpression)
        planned = _planned(function, context)
        return replace(node, expression=search_expression(context.session, planned, function.search, expression.args[0]))

    return transform_up(root, QueryOperation, change, of=UnnestQueryOperation)


def _planned(function: UnplannedSearch, context: RuleContext) -> BatchFunction:
    call, scan = function.search, function.scan
    source = scan.source if scan.source is not None else created_source(scan, context)
    table = scan.table.identifier.as_summary_string()
    where = f"{NAME} over table {table}"
    config = dict(call.config)
    if isinstance(source, VectorSearchTableSource):
        column = scan.resolved_schema.column_names.index(call.column)
        provider = source.get_search_runtime_provider(VectorSearchTableSource.VectorSearchContext(((column,),), config))
        options, who = ReadableConfig(config), f"its connector ({source.as_summary_string()})"
    else:
        try:
            metric = ReadableConfig(config).get(METRIC)
        except ValidationException as error:
            raise ValidationException(f"The options of {where} are not valid: {error}", hint=error.hint) from None
        options, who = validate_options(config, (), (METRIC, *REQUEST_OPTIONS), where), "the comparison with all rows"
        provider = _comparison(source, function, metric.upper(), context)
    caller = BatchCaller(
        where,
        who,
        "table",
        context.session.configuration,
        ExecutionConfigOptions.TABLE_EXEC_ASYNC_VECTOR_SEARCH_MAX_CONCURRENT_OPERATIONS,
        ExecutionConfigOptions.TABLE_EXEC_ASYNC_VECTOR_SEARCH_TIMEOUT,
    )
    return caller.function(
        call,
        options,
        SearchRuntimeProvider(provider, call.top_k) if isinstance(provider, VectorSearchFunctionProvider) else None,
        AsyncSearchRuntimeProvider(provider, call.top_k) if isinstance(provider, AsyncVectorSearchFunctionProvider) else None,
    )


def _comparison(
    source: DynamicTableSource, function: UnplannedSearch, metric: str, context: RuleContext
) -> VectorSearchTableSource.VectorSearchRuntimeProvider:
    assert context.planner is not None
    table = function.scan.table.identifier.as_summary_string()
    if not isinstance(source, ScanTableSource):
        raise ValidationException(
            f"{NAME} cannot search table {table}: its connector ({source.as_summary_string()}) is neither a VectorSearchTableSource nor scanned."
        )
    hint = "write its rows to a bounded table first, such as a folder of files"
    if not source.get_changelog_mode().contains_only(RowKind.INSERT):
        raise ValidationException(f"{NAME} cannot search table {table}: its source updates or deletes rows.", hint=hint)
    time_zone = session_time_zone(context.session.configuration)
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext(not function.is_streaming, time_zone))
    if not provider.is_bounded:
        raise ValidationException(
            f"{NAME} cannot search table {table}: the argument 'search_table' must be bounded, but this table is read without end.",
            hint=hint,
        )
    compared = context.planner.vector_comparison(provider, function.search, metric)
    if compared is None:
        raise TableException(
            f"{NAME} cannot search table {table}: the planner '{context.planner.name}' cannot read it in a task, "
            f"since its source scans through a {type(provider).__name__}.",
            hint=hint,
        )
    return compared
