"""Functions: definitions, the classes that users derive from, hints. The built-in registry is ``table_common.functions.builtin``.

What only user functions need is loaded when it is first asked for.
"""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .aggregate_traits: AggregateTraits DistinctEffect OverNothing
    .archives: link_archives unpacked_archive
    .context: FunctionContext
    .definition: BuiltInFunctionDefinition FunctionDefinition FunctionKind
    .engine_function: AnyArguments EngineFunction
    .extraction: ExtractedFunction Parameter Signature extract_function
    .extraction.process: ProcessArgument ProcessSignature StateEntry
    .foreign_functions: FOREIGN_FUNCTIONS
    .hinting: FunctionHint function_hint
    .json_path: JsonPath JsonPathStep parse_json_path
    .map_keys: null_map_key
    .metric_totals: add_metrics function_metrics merge_metrics report_metrics reset_function_metrics set_metric_receiver
    .metrics: MetricGroup
    .monotonicity: Monotonicity
    .process_batches: ProcessBatchContext
    .process_table: ArgumentHint ArgumentTrait ChangelogContext OnTimerContext ProcessContext ProcessTableFunction StateHint TableSemantics
        TimeContext
    .running_task: RunningTask set_task_source
    .url_parts: UrlParts
    .user_defined: AggregateFunction AsyncScalarFunction AsyncTableFunction ScalarFunction TableAggregateFunction TableFunction
        UserDefinedFunction implements
    .user_function: UserFunction as_user_function
    .value_size: MAX_BATCH_SIZE MAX_VALUE_SIZE
    .views: DataView ListView MapView
    table_common.types.extraction: DataTypeHint ExtractedType StructuredClass
    """,
)
