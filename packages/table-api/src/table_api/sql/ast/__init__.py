"""The syntax tree: queries and statements; expressions are ``table_api.expressions.unresolved``."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    table_api.expressions.grouping_sets: DistinctGroupingSets GroupingSets GroupingSetsKind
    .alter: AddPartitions AddSchema AlterAction AlterStatement ChangeFunction ChangeQuery DropColumns DropConstraint DropDistribution
        DropPartitions DropPrimaryKey DropWatermark ModifySchema Refresh RenameColumn RenameTo ResetOptions Resume SchemaChange SetComment
        SetFreshness SetOptions SetRefreshMode SetStartMode Suspend
    .catalog_definition: CreateCatalog CreateConnection CreateDatabase CreateFunction CreateModel
    .dml: AnalyzeTable Assignment BeginStatementSet CallProcedure CompileAndExecutePlan CompilePlan Delete EndStatementSet Execute
        ExecutePlan Explain Insert StatementSet TruncateTable Update
    .query: AsOf Cte FileRef Hint JoinKind JoinRef LateralRef MatchRecognizeRef MeasureItem ParenthesizedRef PatternDefinition PatternNode
        PatternQuantifier PatternSubset PivotRef PivotValue QueryNode SampledRef Select SetOperationQuery SetOperator SqlNode
        TableFunctionRef TableNameRef TableRef UnnestRef UnpivotColumns UnpivotRef Values WithQuery
    .session: AddJar RemoveJar ShowPartitions UseDatabase
    .statement: DropStatement Options PartitionSpec Path Resource Statement
    .table_definition: ColumnDef CreateMaterializedTable CreateTable CreateView DistributionDef LikeClause LikeOption PrimaryKeyDef
        StartMode WatermarkDef
    """,
)
