"""CREATE TABLE, VIEW and MATERIALIZED TABLE, and the rules that ALTER shares."""

from __future__ import annotations

from table_api.expressions.unresolved import Literal
from table_api.sql.ast import (
    ColumnDef,
    CreateMaterializedTable,
    CreateTable,
    CreateView,
    DistributionDef,
    LikeClause,
    LikeOption,
    PrimaryKeyDef,
    QueryNode,
    StartMode,
    Statement,
    WatermarkDef,
)
from table_api.sql.grammar.lexer import NUMBER, STRING
from table_api.sql.grammar.table_refs import TableRefRules
from table_api.sql.grammar.token_stream import NAMES
from table_common.frozen_dataclass import dataclass, field, replace

_LIKE_FEATURES = ("ALL", "CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")
_START_MODES = (
    "FROM_BEGINNING",
    "FROM_NOW",
    "FROM_TIMESTAMP",
    "RESUME_OR_FROM_BEGINNING",
    "RESUME_OR_FROM_NOW",
    "RESUME_OR_FROM_TIMESTAMP",
)


@dataclass(slots=True)
class SchemaParts:
    """The elements in the parentheses of CREATE TABLE and ALTER TABLE ADD."""

    columns: list[ColumnDef] = field(default_factory=list)
    constraints: list[PrimaryKeyDef] = field(default_factory=list)
    watermarks: list[WatermarkDef] = field(default_factory=list)
    distribution: DistributionDef | None = None


class TableDefinitionRules(TableRefRules):
    """The rules for definitions of tables and views."""

    __slots__ = ()

    # --- shared by CREATE and ALTER -----------------------------------------------------------------------------------------------

    def if_not_exists(self) -> bool:
        """Consumes IF NOT EXISTS."""
        return self.accept_words("IF", "NOT", "EXISTS")

    def if_exists(self) -> bool:
        """Consumes IF EXISTS."""
        return self.accept_words("IF", "EXISTS")

    def comment(self) -> str | None:
        """Consumes ``COMMENT '…'``."""
        return self.string() if self.accept("COMMENT") else None

    def with_options(self) -> tuple[tuple[str, str], ...]:
        """Consumes ``WITH (…)``."""
        return self.options() if self.accept("WITH") else ()

    def query_with_text(self) -> tuple[QueryNode, str]:
        """Consumes a query; returns it with its original text."""
        start = self.starts[self.index]
        query = self.query()
        return query, self.text[start : self.ends[self.index - 1]]

    def schema_part(self, parts: SchemaParts) -> None:
        """Consumes a column, a constraint or a watermark."""
        kind = self.kind
        if kind == "WATERMARK":
            parts.watermarks.append(self._watermark())
        elif kind in ("CONSTRAINT", "PRIMARY", "UNIQUE"):
            parts.constraints.append(self._table_constraint())
        else:
            parts.columns.append(self._column(parts))
        self.note("WATERMARK", "CONSTRAINT", "PRIMARY", "UNIQUE")

    def check_parts(self, parts: SchemaParts) -> None:
        """Checks that there are not two watermarks or two primary keys.

        Raises:
            SqlParserException: there are.
        """
        if len(parts.watermarks) > 1:
            raise self.error("A table has one WATERMARK at most.")
        keys = [constraint for constraint in parts.constraints if constraint.kind == "PRIMARY KEY"]
        if len(keys) > 1:
            place = None if keys[1].span is None else self.starts.index(keys[1].span.start)
            raise self.error(
                "A table has one PRIMARY KEY at most.", at=place, hint="a key of several columns is PRIMARY KEY (a, b) NOT ENFORCED"
            )

    def _column(self, parts: SchemaParts) -> ColumnDef:
        start = self.index
        name = self.name("column name")
        if self.accept("AS"):
            expression = self.expression()
            return ColumnDef(name, expression=expression, comment=self.comment(), span=self.span(start))
        type_ = self.type()
        if self.accept("METADATA"):
            key = self.string() if self.accept("FROM") else None
            virtual = self.accept("VIRTUAL")
            column = ColumnDef(name, type_, is_metadata=True, metadata_key=key, is_virtual=virtual, comment=self.comment())
        else:
            constraint = self._column_constraint(name)
            if constraint is not None:
                parts.constraints.append(constraint)
            primary = constraint is not None and constraint.kind == "PRIMARY KEY"
            column = ColumnDef(name, type_, comment=self.comment(), is_primary_key=primary)
        return replace(column, span=self.span(start))

    def _column_constraint(self, column: str) -> PrimaryKeyDef | None:
        start = self.index
        name = self.name("constraint name") if self.accept("CONSTRAINT") else None
        kind = self.accept_one("PRIMARY", "UNIQUE")
        if kind is None:
            if name is not None:
                raise self.unexpected()
            return None
        return self._constraint((column,), name, kind, start)

    def _table_constraint(self) -> PrimaryKeyDef:
        start = self.index
        name = self.name("constraint name") if self.accept("CONSTRAINT") else None
        return self._constraint(None, name, self.expect_one("PRIMARY", "UNIQUE"), start)

    def _constraint(self, columns: tuple[str, ...] | None, name: str | None, kind: str, start: int) -> PrimaryKeyDef:
        if kind == "PRIMARY":
            self.expect("KEY")
            kind = "PRIMARY KEY"
        columns = self.names_in_parentheses() if columns is None else columns
        enforced: bool | None = None
        if self.accept_words("NOT", "ENFORCED"):
            enforced = False
        elif self.accept("ENFORCED"):
            enforced = True
        return PrimaryKeyDef(columns, name, enforced, kind, span=self.span(start))

    def _watermark(self) -> WatermarkDef:
        start = self.index
        self.expect("WATERMARK", "FOR")
        column = self.path("column name")
        self.expect("AS")
        return WatermarkDef(column, self.expression(), span=self.span(start))

    def distribution(self) -> DistributionDef:
        """Consumes what follows DISTRIBUTED or DISTRIBUTION: ``BY [HASH|RANGE] (columns) [INTO n BUCKETS]`` or ``INTO n BUCKETS``."""
        kind = None
        columns: tuple[str, ...] = ()
        by = self.accept("BY")
        if by:
            kind = self.accept_one("HASH", "RANGE")
            columns = self.names_in_parentheses()
        buckets = None
        if self.accept("INTO"):
            if self.kind == NUMBER and not self.values[self.index].isdecimal():
                raise self.error("The number of buckets must be a positive integer.")
            buckets = self.unsigned_integer()
            self.expect("BUCKETS")
        elif not by:
            raise self.unexpected()
        return DistributionDef(kind, columns, buckets)

    # --- CREATE TABLE -------------------------------------------------------------------------------------------------------------

    def _columns(self) -> tuple[SchemaParts, bool]:
        """Consumes ``(column, …)``; returns the parts and whether they are names only."""
        parts = SchemaParts()
        if not self.accept("("):
            return parts, False
        if self.kind in NAMES and self.peek() in (",", ")"):
            parts.columns = [ColumnDef(name) for name in self.comma_list(lambda: self.name("column name"))]
            self.expect(")")
            return parts, True
        self.comma_list(lambda: self.schema_part(parts))
        self.check_parts(parts)
        self.expect(")")
        return parts, False

    def create_table(self, start: int, *, temporary: bool, replace: bool, create: bool = True) -> Statement:
        """Consumes what follows TABLE."""
        if_not_exists = self.if_not_exists()
        path, path_span = self.path_with_span("table name")
        parts_start = self.index
        parts, names_only = self._columns()
        comment = self.comment()
        distribution = self.distribution() if self.accept("DISTRIBUTED") else None
        partitioned_by = self.names_in_parentheses() if self.accept_phrase("PARTITIONED", "BY") else ()
        options = self.with_options()
        like = None
        query = None
        if create and self.accept("LIKE"):
            like = self._like()
        elif self.accept("AS"):
            query = self.query()
        elif not create:
            raise self.unexpected()
        if names_only and query is None:
            raise self.error("A list of columns without types needs AS query.", at=parts_start)
        return CreateTable(
            path,
            tuple(parts.columns),
            tuple(parts.constraints),
            tuple(parts.watermarks),
            comment,
            distribution,
            partitioned_by,
            options,
            temporary,
            if_not_exists,
            replace,
            create,
            like,
            query,
            names_only,
            span=self.span(start),
            path_span=path_span,
        )

    def _like(self) -> LikeClause:
        source = self.path("table name")
        options: list[LikeOption] = []
        if self.accept("("):
            while True:
                strategy = self.expect_one("INCLUDING", "EXCLUDING", "OVERWRITING")
                options.append(LikeOption(strategy, self.expect_one(*_LIKE_FEATURES)))
                if self.accept(")"):
                    break
        return LikeClause(source, tuple(options))

    # --- CREATE VIEW, CREATE MATERIALIZED TABLE -----------------------------------------------------------------------------------

    def create_view(self, start: int, *, temporary: bool, replace: bool) -> Statement:
        """Consumes what follows VIEW."""
        if_not_exists = self.if_not_exists()
        path, path_span = self.path_with_span("view name")
        columns = self.names_in_parentheses() if self.at("(") else ()
        comment = self.comment()
        self.expect("AS")
        query, text = self.query_with_text()
        return CreateView(
            path, query, text, columns, comment, temporary, if_not_exists, replace, span=self.span(start), path_span=path_span
        )

    def create_materialized_table(self, start: int, *, or_alter: bool) -> Statement:
        """Consumes what follows MATERIALIZED TABLE."""
        if_not_exists = self.if_not_exists()
        path, path_span = self.path_with_span("table name")
        parts, names_only = self._columns()
        comment = self.comment()
        distribution = self.distribution() if self.accept("DISTRIBUTED") else None
        partitioned_by = self.names_in_parentheses() if self.accept_phrase("PARTITIONED", "BY") else ()
        options = self.with_options()
        start_mode = self.start_mode()
        freshness = self.freshness() if self.accept_phrase("FRESHNESS", "=") else None
        refresh_mode = self.refresh_mode() if self.accept_phrase("REFRESH_MODE", "=") else None
        start_mode = start_mode or self.start_mode()
        self.expect("AS")
        query, text = self.query_with_text()
        return CreateMaterializedTable(
            path,
            query,
            text,
            tuple(parts.columns),
            tuple(parts.constraints),
            tuple(parts.watermarks),
            comment,
            distribution,
            partitioned_by,
            options,
            freshness,
            refresh_mode,
            start_mode,
            or_alter,
            if_not_exists,
            names_only,
            span=self.span(start),
            path_span=path_span,
        )

    def freshness(self) -> Literal:
        """Consumes ``INTERVAL '…' unit``."""
        place = self.index
        if self.kind != "INTERVAL" or self.peek() != STRING:
            raise self.error("FRESHNESS takes INTERVAL '…' unit.", at=place, hint="FRESHNESS = INTERVAL '1' MINUTE")
        freshness = self.expression()
        if not isinstance(freshness, Literal):
            raise self.error("FRESHNESS takes INTERVAL '…' unit.", at=place, hint="FRESHNESS = INTERVAL '1' MINUTE")
        return freshness

    def refresh_mode(self) -> str:
        """Consumes FULL or CONTINUOUS."""
        return self.expect_one("FULL", "CONTINUOUS")

    def start_mode(self) -> StartMode | None:
        """Consumes ``START_MODE = mode [(argument)]``."""
        if not self.accept_phrase("START_MODE", "="):
            return None
        kind = self.expect_one(*_START_MODES)
        argument = None
        if not kind.endswith("BEGINNING") and self.accept("("):
            argument = self.expression()
            self.expect(")")
        elif kind.endswith("TIMESTAMP"):
            raise self.unexpected("(")
        return StartMode(kind, argument)
