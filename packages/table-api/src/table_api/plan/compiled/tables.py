"""Tables in compiled plans: their names, and their definitions as far as ``table.plan.compile.catalog-objects`` says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from table_api.delegation import FoundTable, Session
from table_api.operations import ContextResolvedTable
from table_api.plan.compiled.field_types import fits
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema, TableDistribution
from table_common.configuration import TableConfigOptions
from table_common.exceptions import TableException, ValidationException
from table_common.secrets import is_secret_key, mask_value

_PARTS: dict[str, Any] = {
    "identifier": tuple[str, str, str],
    "columns": tuple[str, ...],
    "temporary": bool,
    "anonymous": bool,
    "schema": ResolvedSchema,
    "partitionKeys": tuple[str, ...],
    "distribution": TableDistribution | None,
    "options": Mapping[str, str],
    "comment": str | None,
    "secretOptions": tuple[str, ...],
}


def encode_table(found: ContextResolvedTable, objects: str, encode: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the table as JSON; ``encode`` encodes its fields. Secrets are left out, except references such as ``${env:PASSWORD}``.

    Raises:
        TableException: the table has no name, and definitions of tables are left out.
    """
    table = found.table
    written: dict[str, Any] = {
        "identifier": list(found.identifier.parts),
        "columns": list(table.resolved_schema.column_names),
        "temporary": found.is_temporary,
    }
    if found.is_anonymous:
        written["anonymous"] = True
        if objects != "ALL":
            raise TableException(
                "The plan cannot be compiled: it has a table without a name, whose definition is nowhere but in the plan.",
                hint=f"SET '{TableConfigOptions.PLAN_COMPILE_CATALOG_OBJECTS.key}' = 'ALL', or create the table under a name",
            )
    if objects == "IDENTIFIER":
        return written
    written["schema"] = encode(table.resolved_schema)
    written["partitionKeys"] = list(table.partition_keys)
    written["distribution"] = encode(table.origin.distribution)
    if objects == "ALL":
        secrets = sorted(key for key, value in table.options.items() if is_plain_secret(key, value))
        written["options"] = {key: value for key, value in table.options.items() if key not in secrets}
        written["comment"] = table.comment
        if secrets:
            written["secretOptions"] = secrets
    return written


def is_plain_secret(key: str, value: str) -> bool:
    """Returns whether an option contains a secret itself, not a reference to one."""
    return (is_secret_key(key) and not (value.startswith("${") and value.endswith("}"))) or mask_value(value) != value


def decode_table(written: dict[str, Any], restore: str, session: Session, decode: Callable[[Any], Any]) -> ContextResolvedTable:
    """Returns the table, from the catalog or from the plan; ``decode`` decodes its fields.

    Raises:
        ValidationException: it is in neither, or its columns have changed.
    """
    parts = {key: decode(value) for key, value in written.items() if key != "options"} | {"options": written.get("options", {})}
    wrong = sorted(key for key, value in parts.items() if not fits(value, _PARTS.get(key)))
    if wrong:
        raise TableException(
            f"The compiled plan cannot be read: the field '{wrong[0]}' of a table has the wrong type.",
            hint="compile it again with this version",
        )
    identifier = ObjectIdentifier(*written["identifier"])
    is_anonymous = written.get("anonymous", False)
    schema: ResolvedSchema | None = parts.get("schema")
    found = None
    if not is_anonymous and restore != "ALL_ENFORCED":
        found = session.tables.find_table(identifier.parts)
    if isinstance(found, FoundTable):
        _check_columns(identifier, written["columns"], schema, found.table.resolved_schema)
        return ContextResolvedTable(identifier, found.table, found.is_temporary)
    if found is not None:
        raise ValidationException(f"The plan uses the table {identifier}, which is a view now.")
    if schema is None or "options" not in written or (restore == "IDENTIFIER" and not is_anonymous):
        raise ValidationException(
            f"The plan uses the table {identifier}, which is not in the catalog, and its definition is not {'used' if schema else 'in the plan'}.",
            hint=f"create the table, or compile with '{TableConfigOptions.PLAN_COMPILE_CATALOG_OBJECTS.key}' = 'ALL' and load with '{TableConfigOptions.PLAN_RESTORE_CATALOG_OBJECTS.key}' = 'ALL'",
        )
    if written.get("secretOptions"):
        raise ValidationException(
            f"The plan uses the table {identifier}, whose secret options are not in the plan: {', '.join(written['secretOptions'])}.",
            hint="create the table in the catalog before, or compile with references such as '${env:PASSWORD}'",
        )
    declared = Schema.new_builder().from_resolved_schema(schema).build()
    table = CatalogTable(declared, written.get("comment"), written["options"], parts["partitionKeys"], parts.get("distribution"))
    return ContextResolvedTable(identifier, ResolvedCatalogTable(table, schema), written["temporary"], is_anonymous)


def _check_columns(identifier: ObjectIdentifier, names: list[str], planned: ResolvedSchema | None, now: ResolvedSchema) -> None:
    before = [(c.name, str(c.data_type)) for c in planned.columns] if planned is not None else [(name, "") for name in names]
    after = [(c.name, str(c.data_type) if planned is not None else "") for c in now.columns]
    if before != after:

        def text(columns: list[tuple[str, str]]) -> str:
            return ", ".join(f"{name} {type_}".rstrip() for name, type_ in columns)

        raise ValidationException(
            f"The table {identifier} has other columns than when the plan was compiled: ({text(after)}) instead of ({text(before)}).",
            hint="compile the plan again",
        )
