"""The Table API: what application authors import.

Programs written for ``pyflink.table`` run after changing that name to ``table_api`` in their imports. Each name is imported at its first
use, which keeps ``import table_api`` fast.
"""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .catalog: CatalogDescriptor GenericInMemoryCatalog ModuleEntry
    .delegation: ExplainDetail JobClient JobStatus
    .environment.model_methods: ModelDescriptor
    .environment.table_environment: TableEnvironment
    .environment_settings: EnvironmentSettings
    .expressions: Expression call col lit
    .pyflink_names.stream_table_environment: StreamTableEnvironment
    .python_data.user_defined_type: UserDefinedType
    .rendering: PlanGraph
    .table_config: SqlDialect TableConfig
    .table_descriptor: FormatDescriptor TableDescriptor
    .table_result: CloseableIterator LiveTable ResultKind TableResult
    .table_schema: TableSchema
    .tables.compiled_plan: CompiledPlan PlanReference
    .tables.group_windows: GroupWindowedTable WindowGroupedTable
    .tables.grouped_table: GroupedTable
    .tables.model: Model
    .tables.over_windows: OverWindowedTable
    .tables.statement_set: StatementSet
    .tables.table: Table
    .tables.table_pipeline: TablePipeline
    table_common.catalog: Catalog ResolvedSchema Schema
    table_common.configuration: Configuration
    table_common.connector: ChangelogMode
    table_common.data: NanosecondDatetime NanosecondTime NanosecondTimedelta Row RowKind
    table_common.exceptions: CatalogException JobCancelledException JobTimeoutException SqlParserException TableError TableException
        TableInternalError TableRuntimeException ValidationException
    table_common.functions: AggregateFunction AsyncScalarFunction DataView FunctionContext ListView MapView ScalarFunction
        TableAggregateFunction TableFunction UserDefinedFunction
    table_common.module: Module
    table_common.types: DataTypes
    """,
)
