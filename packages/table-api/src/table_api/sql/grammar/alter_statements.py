"""ALTER statements."""

from __future__ import annotations

from collections.abc import Callable

from table_api.expressions.unresolved import Literal, UnresolvedExpression
from table_api.sql.ast import (
    AddPartitions,
    AddSchema,
    AlterAction,
    AlterStatement,
    ChangeFunction,
    ChangeQuery,
    ColumnDef,
    DistributionDef,
    DropColumns,
    DropConstraint,
    DropDistribution,
    DropPartitions,
    DropPrimaryKey,
    DropWatermark,
    ModifySchema,
    PartitionSpec,
    PrimaryKeyDef,
    Refresh,
    RenameColumn,
    RenameTo,
    ResetOptions,
    Resume,
    SetComment,
    SetFreshness,
    SetOptions,
    SetRefreshMode,
    SetStartMode,
    StartMode,
    Statement,
    Suspend,
    WatermarkDef,
)
from table_api.sql.grammar.catalog_definitions import CatalogDefinitionRules
from table_api.sql.grammar.table_definitions import SchemaParts
from table_common.frozen_dataclass import replace

_WHAT = {"MATERIALIZED TABLE": "table name"}
_IF_EXISTS = ("TABLE", "FUNCTION", "MODEL", "CONNECTION", "MATERIALIZED TABLE")


class AlterRules(CatalogDefinitionRules):
    """The rules for ALTER."""

    __slots__ = ()

    def alter_statement(self) -> Statement:
        """Consumes ``ALTER …``."""
        start = self.index
        self.advance()
        temporary = self.accept("TEMPORARY")
        system = temporary and self.accept("SYSTEM")
        kinds = ("FUNCTION", "CONNECTION")
        kind = self.expect_one(*kinds if temporary else (*kinds, "TABLE", "VIEW", "CATALOG", "DATABASE", "MODEL", "MATERIALIZED"))
        if kind == "MATERIALIZED":
            self.expect("TABLE")
            kind = "MATERIALIZED TABLE"
        if_exists = kind in _IF_EXISTS and self.if_exists()
        path, path_span = self.path_with_span(_WHAT.get(kind, f"{kind.lower()} name"))
        action = _ACTIONS[kind](self)
        return AlterStatement(kind, path, action, if_exists, temporary, system, span=self.span(start), path_span=path_span)

    # --- catalogs, databases, functions, models, connections, views ---------------------------------------------------------------

    def _set_or_reset(self) -> AlterAction | None:
        if self.accept("SET"):
            return SetOptions(self.options())
        return ResetOptions(self.option_keys()) if self.accept("RESET") else None

    def _catalog_action(self) -> AlterAction:
        action = self._set_or_reset()
        if action is not None:
            return action
        self.expect("COMMENT")
        return SetComment(self.string())

    def _database_action(self) -> AlterAction:
        self.expect("SET")
        return SetOptions(self.options())

    def _function_action(self) -> AlterAction:
        self.expect("AS")
        class_name = self.string()
        return ChangeFunction(class_name, self.language())

    def _rename_or_options(self) -> AlterAction:
        if self.accept_phrase("RENAME", "TO"):
            return RenameTo(self.path())
        action = self._set_or_reset()
        if action is None:
            raise self.unexpected()
        return action

    def _view_action(self) -> AlterAction:
        if self.accept("AS"):
            return ChangeQuery(*self.query_with_text())
        return self._rename_or_options()

    # --- tables -------------------------------------------------------------------------------------------------------------------

    def _table_action(self) -> AlterAction:
        if self.accept("RENAME"):
            if self.accept("TO"):
                return RenameTo(self.path("table name"))
            column = self.path("column name")
            self.expect("TO")
            return RenameColumn(column, self.path("column name"))
        if self.accept("ADD"):
            if self.kind == "PARTITION" or (self.kind == "IF" and self.peek() == "NOT"):
                return self._add_partitions()
            self.note("PARTITION", "IF")
            return AddSchema(*self._schema_change())
        if self.accept("DROP"):
            if self.kind == "PARTITION" or (self.kind == "IF" and self.peek() == "EXISTS"):
                return self._drop_partitions()
            self.note("PARTITION", "IF")
            return self._drop_action()
        if self.accept("MODIFY"):
            return ModifySchema(*self._schema_change())
        action = self._set_or_reset()
        if action is None:
            raise self.unexpected()
        return action

    def _schema_change(self) -> tuple[tuple[ColumnDef, ...], tuple[PrimaryKeyDef, ...], tuple[WatermarkDef, ...], DistributionDef | None]:
        parts = SchemaParts()
        if self.accept("("):
            self.comma_list(lambda: self._schema_change_part(parts))
            self.expect(")")
        else:
            self._schema_change_part(parts)
        self.check_parts(parts)
        return tuple(parts.columns), tuple(parts.constraints), tuple(parts.watermarks), parts.distribution

    def _schema_change_part(self, parts: SchemaParts) -> None:
        if self.accept("DISTRIBUTION"):
            parts.distribution = self.distribution()
            return
        known = len(parts.columns)
        self.schema_part(parts)
        if len(parts.columns) == known:
            return
        if self.accept("FIRST"):
            parts.columns[-1] = replace(parts.columns[-1], first=True)
        elif self.accept("AFTER"):
            parts.columns[-1] = replace(parts.columns[-1], after=self.name("column name"))

    def _drop_action(self) -> AlterAction:
        if self.kind == "(":
            self.advance()
            columns = self.comma_list(lambda: self.path("column name"))
            self.expect(")")
            return DropColumns(columns)
        if self.accept("PRIMARY"):
            self.expect("KEY")
            return DropPrimaryKey()
        if self.accept("CONSTRAINT"):
            return DropConstraint(self.name("constraint name"))
        if self.accept("DISTRIBUTION"):
            return DropDistribution()
        if self.accept("WATERMARK"):
            return DropWatermark()
        self.note("(")
        return DropColumns((self.path("column name"),))

    def partition_spec(self, *, values_needed: bool = True) -> PartitionSpec:
        """Consumes ``(key = literal, …)``; ``values_needed`` requires a value for each key."""
        start = self.index
        self.expect("(")
        values = self.comma_list(lambda: self._partition_value(values_needed))
        self.expect(")")
        return PartitionSpec(values, span=self.span(start))

    def _partition_value(self, needed: bool) -> tuple[str, UnresolvedExpression | None]:
        key = self.name("column name")
        if not needed and not self.at("="):
            return key, None
        self.expect("=")
        start = self.index
        value = self.expression()
        if not isinstance(value, Literal):
            raise self.error("The value of a partition key must be a literal.", at=start)
        return key, value

    def _add_partitions(self) -> AlterAction:
        if_not_exists = self.if_not_exists()
        partitions = []
        self.expect("PARTITION")
        while True:
            spec = self.partition_spec()
            partitions.append(replace(spec, options=self.with_options()))
            if not self.accept("PARTITION"):
                return AddPartitions(tuple(partitions), if_not_exists)

    def _drop_partitions(self) -> AlterAction:
        if_exists = self.if_exists()
        self.expect("PARTITION")
        partitions = [self.partition_spec()]
        while self.accept(","):
            self.expect("PARTITION")
            partitions.append(self.partition_spec())
        return DropPartitions(tuple(partitions), if_exists)

    # --- materialized tables ------------------------------------------------------------------------------------------------------

    def _materialized_action(self) -> AlterAction:
        if self.accept("SUSPEND"):
            return Suspend()
        if self.accept("RESUME"):
            return Resume(self.with_options())
        if self.accept("REFRESH"):
            return Refresh(self.partition_spec() if self.accept("PARTITION") else None)
        if self.accept("AS"):
            return ChangeQuery(*self.query_with_text())
        if self.kind == "START_MODE":
            return self._with_start_mode()
        if self.kind == "SET" and self.peek() in ("FRESHNESS", "REFRESH_MODE", "START_MODE"):
            self.advance()
            if self.accept_phrase("FRESHNESS", "="):
                return SetFreshness(self.freshness())
            if self.accept_phrase("REFRESH_MODE", "="):
                return SetRefreshMode(self.refresh_mode())
            return SetStartMode(self._needed_start_mode())
        self.note("START_MODE")
        return self._table_action()

    def _needed_start_mode(self) -> StartMode:
        mode = self.start_mode()
        if mode is None:
            raise self.unexpected()
        return mode

    def _with_start_mode(self) -> AlterAction:
        mode = self._needed_start_mode()
        self.expect("AS")
        query, text = self.query_with_text()
        return ChangeQuery(query, text, mode)


_ACTIONS: dict[str, Callable[[AlterRules], AlterAction]] = {
    "CATALOG": AlterRules._catalog_action,
    "CONNECTION": AlterRules._rename_or_options,
    "DATABASE": AlterRules._database_action,
    "FUNCTION": AlterRules._function_action,
    "MATERIALIZED TABLE": AlterRules._materialized_action,
    "MODEL": AlterRules._rename_or_options,
    "TABLE": AlterRules._table_action,
    "VIEW": AlterRules._view_action,
}
"""Kind of the object to the rule for what follows its name."""
