"""Converts Avro records to columns and back, with fastavro (an optional dependency)."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_schema, to_arrow_type
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import RowType
from table_runtime.formats.avro.blocks import EqualKeys, block_reader
from table_runtime.formats.avro.columnar_encoder import concatenated, record_pieces
from table_runtime.formats.avro.schema import encoder_of, reader_of, resolved_schema, without_logical_types
from table_runtime.formats.avro.schema_check import read_schema_text, reason_of
from table_runtime.formats.file_columns import require_columns
from table_runtime.formats.skipped_rows import Ignored


@cache
def fastavro() -> Any:
    """Returns the library fastavro.

    Raises:
        ValidationException: fastavro is not installed.
    """
    try:
        import fastavro as library
    except ImportError as error:
        raise ValidationException("The format 'avro' needs the library fastavro.", hint='pip install "table-runtime[avro]"') from error
    return library


def parse_schema(text: str, where: str) -> Any:
    """Parses a schema.

    Raises:
        ValidationException: the text is not an Avro schema.
    """
    library = fastavro()
    try:
        schema: Any = read_schema_text(text)
        library.parse_schema(schema, {})
    except Exception as error:
        told = isinstance(error, ValueError) or type(error).__module__.startswith("fastavro")
        raise ValidationException(f"{where} is not an Avro schema: {error if told else 'a value in it is of a wrong type'}.") from error
    return schema


class RecordReader:
    """Decodes records of the schema ``written`` as rows of ``row_type``: fields are matched by name, missing fields are NULL."""

    def __init__(self, written: Any, row_type: RowType, where: str) -> None:
        library = fastavro()
        self._schema = library.parse_schema(without_logical_types(written), {})
        self._read = library.schemaless_reader
        self._row_type = row_type
        if not isinstance(written, Mapping) or written.get("type") != "record":
            raise ValidationException(f"{where} does not contain records. A table can be read from records only.")
        names = dict(named_schemas(written))
        fields = {field["name"]: field["type"] for field in written["fields"]}
        self._columns = [
            (field.name, reader_of(fields[field.name], field.type, names, f"{where}: column '{field.name}'"), to_arrow_type(field.type))
            if field.name in fields
            else (None, None, to_arrow_type(field.type))
            for field in row_type.fields
        ]
        self._blocks = block_reader(written, names, self._columns, row_type, library)

    def block(self, data: bytes, count: int) -> list[pa.Array]:
        """Returns the columns of ``count`` consecutive records."""
        if self._blocks is not None:
            try:
                return self._blocks.block(data, count)
            except EqualKeys:
                pass
        stream = io.BytesIO(data)
        read, schema = self._read, self._schema
        return self.columns([read(stream, schema) for _ in range(count)])

    def messages(
        self, messages: pa.BinaryArray, where: Callable[[int], str], ignored: Ignored | None, *, least: int = 1
    ) -> tuple[list[pa.Array], pa.Array]:
        """Returns the columns of messages that are records, and the positions of these messages; those with fewer than ``least`` bytes are skipped."""
        is_long = pc.greater_equal(pc.binary_length(messages), pa.scalar(least, pa.int32()))
        positions = pc.indices_nonzero(pc.fill_null(is_long, False)).cast(pa.int64())
        present = messages if len(positions) == len(messages) else messages.take(positions)
        if self._blocks is not None:
            try:
                return self._blocks.messages(present), positions
            except Exception:  # decoding one by one reports the error with the message's position
                pass
        rows: list[tuple[int, dict[str, Any]]] = []

        def refused(position: int, error: Exception) -> None:
            problem = f"{where(position)} is not a record of the expected schema: {reason_of(error)}"
            if ignored is None:
                raise TableRuntimeException(problem + f". It begins with 0x{messages[position].as_py()[:32].hex()}.") from error
            ignored.row(problem)

        for position, message in zip(positions.to_pylist(), present.to_pylist(), strict=True):
            try:
                rows.append((position, self._read(io.BytesIO(message), self._schema)))
            except Exception as error:  # the library raises errors of many classes
                refused(position, error)
        try:
            columns = self.columns([row for _, row in rows])
        except (ArithmeticError, ValueError):  # a number does not fit into its column
            fitting = []
            for position, row in rows:
                try:
                    self.columns([row])
                    fitting.append((position, row))
                except (ArithmeticError, ValueError) as error:
                    refused(position, error)
            rows, columns = fitting, self.columns([row for _, row in fitting])
        return columns, pa.array([position for position, _ in rows], pa.int64())

    def columns(self, rows: list[dict[str, Any]]) -> list[pa.Array]:
        """Returns the columns of rows of physical values."""
        result = []
        for name, convert, arrow_type in self._columns:
            if name is None:
                result.append(pa.nulls(len(rows), arrow_type))
            elif convert is None:
                result.append(pa.array([row[name] for row in rows], type=arrow_type))
            else:
                values = (row[name] for row in rows)
                result.append(pa.array([None if value is None else convert(value) for value in values], type=arrow_type))
        return result


class RecordWriter:
    """Encodes rows as records of ``schema``, which was derived from their type."""

    def __init__(self, schema: Any, row_type: RowType) -> None:
        library = fastavro()
        self._schema = library.parse_schema(without_logical_types(schema), {})
        self._write = library.schemaless_writer
        self._arrow_schema = to_arrow_schema(row_type)
        self._columns = [(field.name, *encoder_of(field.type)) for field in row_type.fields]
        self._pieces = record_pieces(schema, row_type, dict(named_schemas(schema)))

    def records(self, batch: pa.RecordBatch) -> pa.Array:
        """Returns each row as a record."""
        if self._pieces is not None and batch.num_rows:
            try:
                return concatenated(self._pieces(batch.to_struct_array()))
            except (ValueError, OverflowError):  # fastavro reports what cannot be written
                pass
        return pa.array(list(self._one_by_one(batch)), type=pa.binary())

    def _one_by_one(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        columns = []
        for (_, prepare, convert), column in zip(self._columns, batch.columns, strict=True):
            values = prepare(column).to_pylist()
            columns.append(values if convert is None else [None if value is None else convert(value) for value in values])
        names = [name for name, _, _ in self._columns]
        for row in zip(*columns, strict=True):
            stream = io.BytesIO()
            self._write(stream, self._schema, dict(zip(names, row, strict=True)))
            yield stream.getvalue()


def named_schemas(schema: Any, namespace: str = "") -> Iterator[tuple[str, Any]]:
    """Yields (name, schema) of the named schemas in a schema, by simple and by full name."""
    if isinstance(schema, list):
        for branch in schema:
            yield from named_schemas(branch, namespace)
    elif isinstance(schema, Mapping):
        space = schema.get("namespace", namespace)
        if "name" in schema and schema.get("type") in ("record", "enum", "fixed", "error"):
            name = schema["name"]
            yield name.rpartition(".")[2], schema
            yield name if "." in name or not space else f"{space}.{name}", schema
        for key in ("type", "items", "values"):
            if isinstance(schema.get(key), Mapping | list):
                yield from named_schemas(schema[key], space)
        for field in schema["fields"] if schema.get("type") in ("record", "error") else ():
            yield from named_schemas(field["type"], space)


def require_fields(row_type: RowType, schema: Any, where: str) -> None:
    """Checks that records of the schema have all columns, and nested records all fields.

    Raises:
    ValidationException: a column or field is missing.
    """
    names = dict(named_schemas(schema))

    def parts(part: Any) -> Mapping[str, Any] | None:
        part = resolved_schema(part, names)
        if isinstance(part, list):
            branches = [branch for branch in part if resolved_schema(branch, names) != "null"]
            return parts(branches[0]) if len(branches) == 1 else None
        match part.get("type") if isinstance(part, Mapping) else None:
            case "record":
                return {field["name"]: field["type"] for field in part["fields"]}
            case "array":
                return {"element": part["items"]}
            case "map":
                return {"value": part["values"]}
            case _:
                return None

    require_columns(row_type, schema, where, parts)
