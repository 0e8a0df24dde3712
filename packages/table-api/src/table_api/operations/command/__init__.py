"""Statements about the session; they run on no engine (EXPLAIN asks one, a statement set runs on one)."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .analyze: AnalyzeTableOperation
    .call_procedure: CallProcedureOperation
    .compiled_plan: CompileAndExecutePlanOperation CompilePlanOperation ExecutePlanOperation
    .describe: DescribeOperation
    .explain: ExplainOperation
    .module: LoadModuleOperation UnloadModuleOperation UseModulesOperation
    .set_option: ResetOperation SetOptionOperation
    .show: ShowLike ShowOperation
    .statement_set: StatementSetOperation
    .stop_job: StopJobOperation
    .use: UseCatalogOperation UseDatabaseOperation
    """,
)
