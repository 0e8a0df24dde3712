"""ALTER of everything: one statement that names the object, with one action that says the change."""

from __future__ import annotations

from table_api.expressions.unresolved import Literal, Span
from table_api.sql.ast.query import QueryNode
from table_api.sql.ast.statement import Options, PartitionSpec, Path, Resource, Statement
from table_api.sql.ast.table_definition import ColumnDef, DistributionDef, PrimaryKeyDef, StartMode, WatermarkDef
from table_common.frozen_dataclass import dataclass, field
from table_common.tree import Part


@dataclass(frozen=True, slots=True)
class AlterAction(Part):
    """The root of what ALTER can do."""


@dataclass(frozen=True, slots=True)
class AlterStatement(Statement):
    """``ALTER kind [IF EXISTS] path action``.

    ``kind``: TABLE, VIEW, MATERIALIZED TABLE, DATABASE, CATALOG, FUNCTION, MODEL, CONNECTION; ``temporary`` and ``system`` are those of
    functions and connections. Which actions a kind takes is the grammar's: the parser lets nothing else through.
    """

    kind: str
    path: Path
    action: AlterAction
    if_exists: bool = False
    temporary: bool = False
    system: bool = False
    path_span: Span | None = field(default=None, compare=False, kw_only=True)


# --- anything ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RenameTo(AlterAction):
    """``RENAME TO path``: tables, views, models, connections."""

    path: Path


@dataclass(frozen=True, slots=True)
class SetOptions(AlterAction):
    """``SET ('k' = 'v', …)``."""

    options: Options


@dataclass(frozen=True, slots=True)
class ResetOptions(AlterAction):
    """``RESET ('k', …)``."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetComment(AlterAction):
    """``COMMENT '…'``: catalogs."""

    comment: str


@dataclass(frozen=True, slots=True)
class ChangeFunction(AlterAction):
    """``AS 'class' [LANGUAGE …] [USING …]``: functions."""

    class_name: str
    language: str | None = None
    resources: tuple[Resource, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeQuery(AlterAction):
    """``AS query``: views and materialized tables; ``query_text`` as written."""

    query: QueryNode
    query_text: str
    start_mode: StartMode | None = None


# --- tables -----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RenameColumn(AlterAction):
    """``RENAME column TO column``."""

    column: Path
    new_name: Path


@dataclass(frozen=True, slots=True)
class SchemaChange(AlterAction):
    """What ADD and MODIFY carry."""

    columns: tuple[ColumnDef, ...] = ()
    constraints: tuple[PrimaryKeyDef, ...] = ()
    watermarks: tuple[WatermarkDef, ...] = ()
    distribution: DistributionDef | None = None


@dataclass(frozen=True, slots=True)
class AddSchema(SchemaChange):
    """``ADD column``, ``ADD (…)``, ``ADD PRIMARY KEY …``, ``ADD WATERMARK …``, ``ADD DISTRIBUTION …``."""


@dataclass(frozen=True, slots=True)
class ModifySchema(SchemaChange):
    """``MODIFY …``: the same forms."""


@dataclass(frozen=True, slots=True)
class DropColumns(AlterAction):
    """``DROP column`` or ``DROP (column, …)``."""

    columns: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class DropPrimaryKey(AlterAction):
    """``DROP PRIMARY KEY``."""


@dataclass(frozen=True, slots=True)
class DropConstraint(AlterAction):
    """``DROP CONSTRAINT name``."""

    name: str


@dataclass(frozen=True, slots=True)
class DropWatermark(AlterAction):
    """``DROP WATERMARK``."""


@dataclass(frozen=True, slots=True)
class DropDistribution(AlterAction):
    """``DROP DISTRIBUTION``."""


@dataclass(frozen=True, slots=True)
class AddPartitions(AlterAction):
    """``ADD [IF NOT EXISTS] PARTITION (…) [WITH (…)] PARTITION (…) …``."""

    partitions: tuple[PartitionSpec, ...]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropPartitions(AlterAction):
    """``DROP [IF EXISTS] PARTITION (…), PARTITION (…)``."""

    partitions: tuple[PartitionSpec, ...]
    if_exists: bool = False


# --- materialized tables ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Suspend(AlterAction):
    """``SUSPEND``."""


@dataclass(frozen=True, slots=True)
class Resume(AlterAction):
    """``RESUME [WITH (…)]``."""

    options: Options = ()


@dataclass(frozen=True, slots=True)
class Refresh(AlterAction):
    """``REFRESH [PARTITION (…)]``."""

    partition: PartitionSpec | None = None


@dataclass(frozen=True, slots=True)
class SetFreshness(AlterAction):
    """``SET FRESHNESS = INTERVAL '…' unit``."""

    freshness: Literal


@dataclass(frozen=True, slots=True)
class SetRefreshMode(AlterAction):
    """``SET REFRESH_MODE = FULL|CONTINUOUS``."""

    mode: str


@dataclass(frozen=True, slots=True)
class SetStartMode(AlterAction):
    """``SET START_MODE = …``."""

    mode: StartMode
