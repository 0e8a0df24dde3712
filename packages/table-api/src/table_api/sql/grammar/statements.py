"""Statements: dispatch by the first keyword, and the rules for DML, EXPLAIN and compiled plans."""

from __future__ import annotations

from collections.abc import Callable

from table_api.expressions.unresolved import UnresolvedExpression
from table_api.operations import Operation
from table_api.sql.ast import (
    AnalyzeTable,
    Assignment,
    BeginStatementSet,
    CallProcedure,
    CompileAndExecutePlan,
    CompilePlan,
    CreateTable,
    Delete,
    EndStatementSet,
    Execute,
    ExecutePlan,
    Explain,
    Insert,
    QueryNode,
    Statement,
    StatementSet,
    TruncateTable,
    Update,
)
from table_api.sql.grammar.catalog_definitions import QUERY_FIRST
from table_api.sql.grammar.match_recognize import MatchRecognizeRules
from table_api.sql.grammar.session_statements import SessionRules
from table_api.sql.grammar.token_stream import NAMES

_DETAILS = ("ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE", "ANALYZE")


class Grammar(SessionRules, MatchRecognizeRules):
    """The whole grammar: the last class in the chain of rule classes."""

    __slots__ = ()

    def statement(self) -> QueryNode | Statement | Operation:
        """Consumes a statement without the semicolon after it."""
        kind = self.kind
        if kind in QUERY_FIRST:
            return self.query()
        rule = _STATEMENTS.get(kind)
        if rule is None:
            if kind == "MERGE":
                raise self._not_supported("MERGE", "write INSERT, UPDATE or DELETE")
            raise self.unexpected(*_STATEMENTS, "SELECT", "VALUES", "WITH")
        return rule(self)

    def _not_supported(self, what: str, hint: str) -> Exception:
        start = self.index
        self.advance()
        return self.invalid(f"{what} is not supported.", start, hint=hint)

    # --- DML ----------------------------------------------------------------------------------------------------------------------

    def _insert(self) -> Insert:
        start = self.index
        upsert = self.expect_one("INSERT", "UPSERT") == "UPSERT"
        overwrite = self.expect_one("INTO", "OVERWRITE") == "OVERWRITE"
        if upsert and overwrite:
            raise self.error("OVERWRITE is accepted after INSERT only.", at=self.index - 1)
        path, path_span = self.path_with_span("table name")
        hints = self.hints()
        partition: tuple[tuple[str, UnresolvedExpression], ...] = ()
        if self.accept("PARTITION"):
            values = self.partition_spec().values
            partition = tuple((key, value) for key, value in values if value is not None)
        columns: tuple[tuple[str, ...], ...] = ()
        if self.kind == "(" and (self.peek() in NAMES):
            self.advance()
            columns = self.comma_list(lambda: self.path("column name"))
            self.expect(")")
        query = self.query()
        on_conflict = None
        if self.accept_phrase("ON", "CONFLICT", "DO"):
            on_conflict = self.expect_one("ERROR", "NOTHING", "DEDUPLICATE")
        return Insert(path, query, columns, partition, overwrite, hints, on_conflict, upsert, span=self.span(start), path_span=path_span)

    def _alias(self) -> str | None:
        if self.accept("AS") or self.kind in NAMES:
            return self.name("alias")
        return None

    def _update(self) -> Statement:
        start = self.index
        self.advance()
        path, path_span = self.path_with_span("table name")
        self.hints()
        alias = self._alias()
        self.expect("SET")
        assignments = self.comma_list(self._assignment)
        where = self.expression() if self.accept("WHERE") else None
        return Update(path, assignments, where, alias, span=self.span(start), path_span=path_span)

    def _assignment(self) -> Assignment:
        start = self.index
        column = self.path("column name")
        self.expect("=")
        return Assignment(column, self.expression(), span=self.span(start))

    def _delete(self) -> Statement:
        start = self.index
        self.expect("DELETE", "FROM")
        path, path_span = self.path_with_span("table name")
        self.hints()
        alias = self._alias()
        where = self.expression() if self.accept("WHERE") else None
        return Delete(path, where, alias, span=self.span(start), path_span=path_span)

    def _truncate(self) -> Statement:
        start = self.index
        self.expect("TRUNCATE", "TABLE")
        path, path_span = self.path_with_span("table name")
        return TruncateTable(path, span=self.span(start), path_span=path_span)

    def _call(self) -> Statement:
        start = self.index
        self.advance()
        path, path_span = self.path_with_span("procedure name")
        self.expect("(")
        args = () if self.kind == ")" else self.comma_list(self._argument)
        self.expect(")")
        return CallProcedure(path, args, span=self.span(start), path_span=path_span)

    def _analyze(self) -> Statement:
        start = self.index
        self.expect("ANALYZE", "TABLE")
        path, path_span = self.path_with_span("table name")
        partition = self.partition_spec(values_needed=False) if self.accept("PARTITION") else None
        self.expect("COMPUTE", "STATISTICS")
        columns: tuple[str, ...] = ()
        all_columns = False
        if self.accept("FOR"):
            all_columns = self.accept("ALL")
            self.expect("COLUMNS")
            columns = () if all_columns else self.comma_list(lambda: self.name("column name"))
        return AnalyzeTable(path, partition, columns, all_columns, span=self.span(start), path_span=path_span)

    # --- statement sets, plans, EXPLAIN -------------------------------------------------------------------------------------------

    def _begin(self) -> Statement:
        start = self.index
        self.expect("BEGIN", "STATEMENT", "SET")
        return BeginStatementSet(span=self.span(start))

    def _end(self) -> Statement:
        start = self.index
        self.advance()
        return EndStatementSet(span=self.span(start))

    def _statement_set(self) -> StatementSet:
        start = self.index
        self.expect("STATEMENT", "SET", "BEGIN")
        inserts = []
        while True:
            if self.kind not in ("INSERT", "UPSERT"):
                raise self.unexpected("INSERT")
            inserts.append(self._insert())
            self.expect(";")
            if self.accept("END"):
                return StatementSet(tuple(inserts), span=self.span(start))

    def _execute(self) -> Statement:
        start = self.index
        self.advance()
        if self.accept("PLAN"):
            return ExecutePlan(self.string(), span=self.span(start))
        return Execute(self._runnable("PLAN"), span=self.span(start))

    def _runnable(self, *others: str) -> QueryNode | Statement:
        if self.kind in QUERY_FIRST:
            return self.query()
        if self.kind in ("INSERT", "UPSERT"):
            return self._insert()
        if self.kind == "STATEMENT":
            return self._statement_set()
        raise self.unexpected("SELECT", "VALUES", "WITH", "INSERT", "STATEMENT", *others)

    def _explain(self) -> Statement:
        start = self.index
        self.advance()
        details: tuple[str, ...] = ()
        if not self.accept_words("PLAN", "FOR") and self.kind in _DETAILS:
            details = self.comma_list(lambda: self.expect_one(*_DETAILS))
            if len(set(details)) < len(details):
                raise self.error("An EXPLAIN detail stands twice.", at=self.index - 1)
        statement: QueryNode | Statement
        if self.kind == "EXECUTE":
            statement = self._execute()
        elif self.kind in ("CREATE", "REPLACE"):
            place = self.index
            statement = self.create_statement() if self.kind == "CREATE" else self._replace_table()
            if not (isinstance(statement, CreateTable) and statement.query is not None):
                raise self.error("EXPLAIN accepts no CREATE statements except CREATE TABLE … AS query.", at=place)
        elif self.kind in ("UPDATE", "DELETE"):
            statement = self._update() if self.kind == "UPDATE" else self._delete()
        else:
            self.note("PLAN", *_DETAILS)
            statement = self._runnable("CREATE", "REPLACE", "EXECUTE", "UPDATE", "DELETE")
        return Explain(statement, details, span=self.span(start))

    def _compile(self) -> Statement:
        start = self.index
        self.advance()
        execute = self.accept_phrase("AND", "EXECUTE")
        self.expect("PLAN")
        file = self.string()
        if_not_exists = not execute and self.if_not_exists()
        self.expect("FOR")
        if self.kind not in ("STATEMENT", "INSERT", "UPSERT"):
            raise self.unexpected("STATEMENT", "INSERT")
        statement = self._statement_set() if self.kind == "STATEMENT" else self._insert()
        if execute:
            return CompileAndExecutePlan(file, statement, span=self.span(start))
        return CompilePlan(file, statement, if_not_exists, span=self.span(start))

    def _replace_table(self) -> Statement:
        start = self.index
        self.advance()
        temporary = self.accept("TEMPORARY")
        self.expect("TABLE")
        return self.create_table(start, temporary=temporary, replace=True, create=False)


_STATEMENTS: dict[str, Callable[[Grammar], QueryNode | Statement | Operation]] = {
    "ADD": Grammar.jar_statement,
    "ALTER": Grammar.alter_statement,
    "ANALYZE": Grammar._analyze,
    "BEGIN": Grammar._begin,
    "CALL": Grammar._call,
    "COMPILE": Grammar._compile,
    "CREATE": Grammar.create_statement,
    "DELETE": Grammar._delete,
    "DESC": Grammar.describe_statement,
    "DESCRIBE": Grammar.describe_statement,
    "DROP": Grammar.drop_statement,
    "END": Grammar._end,
    "EXECUTE": Grammar._execute,
    "EXPLAIN": Grammar._explain,
    "INSERT": Grammar._insert,
    "LOAD": Grammar.module_statement,
    "REMOVE": Grammar.jar_statement,
    "REPLACE": Grammar._replace_table,
    "RESET": Grammar.reset_statement,
    "SET": Grammar.set_statement,
    "SHOW": Grammar.show_statement,
    "STOP": Grammar.stop_statement,
    "TRUNCATE": Grammar._truncate,
    "UNLOAD": Grammar.module_statement,
    "UPDATE": Grammar._update,
    "UPSERT": Grammar._insert,
    "USE": Grammar.use_statement,
}
"""First word to the rule of the statement."""
