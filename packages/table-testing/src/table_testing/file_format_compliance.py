"""The contract of formats of whole files: written values are read back, and unreadable files are errors. Needs no engine."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from table_common.configuration import ReadableConfig
from table_common.connector import FileFormat, FileReadContext
from table_common.exceptions import TableException, ValidationException
from table_common.factories import FileFormatFactory, FormatFactory
from table_common.types import RowType, parse_logical_type

Rows = Sequence[tuple[Any, ...]]


class FileFormatCompliance:
    """Subclass it with ``factory``; ``schema`` and ``rows`` are supported by the format, ``refused`` lists unsupported types.

    Example:
        >>> class TestWords(FileFormatCompliance):
        ...     schema = {"word": "STRING"}
        ...     rows = (("a",), ("b",))
        ...     refused = ("DATE", "ARRAY<INT>")
        >>> len([name for name in dir(TestWords) if name.startswith("test_")]) > 10
        True
    """

    factory: ClassVar[type[FileFormatFactory]]
    schema: ClassVar[Mapping[str, str]] = {"id": "INT", "name": "STRING", "ratio": "DOUBLE", "ok": "BOOLEAN"}
    rows: ClassVar[Rows] = ((1, "a", 0.5, True), (-(2**31), "", -1e300, False), (None, None, None, None), (3, 'Zürich, "x"\n', 0.1, True))
    options: ClassVar[Mapping[str, str]] = {}
    refused: ClassVar[Sequence[str]] = ()

    def test_the_factory_is_found_by_its_identifier(self) -> None:
        assert isinstance(FormatFactory.discover(self.factory().factory_identifier), self.factory)

    def test_unknown_options_are_refused(self) -> None:
        try:
            self.factory().validate({**self.options, "no-such-option": "x"})
        except ValidationException as error:
            message = str(error)
        else:
            raise AssertionError("an unknown option is accepted")
        assert "no-such-option" in message

    def test_the_factory_travels(self) -> None:
        assert pickle.loads(pickle.dumps(self.factory())).factory_identifier == self.factory().factory_identifier

    def test_files_have_an_extension(self) -> None:
        extension = self._format().extension
        assert extension
        assert not extension.startswith(".")

    def test_what_is_written_is_read(self) -> None:
        assert self._read(self._written([self.rows])) == list(self.rows)

    def test_batches_keep_their_order(self) -> None:
        assert self._read(self._written([self.rows[:1], [], self.rows[1:], self.rows])) == [*self.rows, *self.rows]

    def test_a_file_without_rows_is_a_file(self) -> None:
        assert self._read(self._written([])) == []

    def test_columns_are_given_by_name_in_any_order(self) -> None:
        names = tuple(reversed(list(self.schema)))
        expected = [tuple(reversed(row)) for row in self.rows]
        assert self._read(self._written([self.rows]), names) == expected

    def test_one_column_can_be_read_alone(self) -> None:
        for position, name in enumerate(self.schema):
            assert self._read(self._written([self.rows]), (name,)) == [(row[position],) for row in self.rows]

    def test_the_file_stays_open(self) -> None:
        file = io.BytesIO()
        writer = self._format().create_writer(file, self._row_type())
        writer.finish()
        assert not file.closed

    def test_what_is_inferred_can_be_read(self) -> None:
        data = self._written([self.rows])
        inferred = self._format().infer_type(io.BytesIO(data))
        if inferred is not None:
            assert inferred.field_names == tuple(self.schema)

    def test_a_file_that_is_cut_off_is_an_error_or_gives_rows(self) -> None:
        data = self._written([self.rows])
        for length in range(0, len(data), max(1, len(data) // 50)):
            try:
                rows = self._read(data[:length])
            except (MemoryError, RecursionError):
                raise
            except Exception:  # the engine converts it to an error of the file
                continue
            assert rows == list(self.rows)[: len(rows)], f"cut at byte {length}, other rows are read"

    def test_types_without_a_form_are_refused_by_name(self) -> None:
        for text in self.refused:
            type_ = parse_logical_type(text)
            try:
                self._format().create_writer(io.BytesIO(), RowType.of([("strange", type_)], nullable=False))
            except TableException as error:
                message = str(error)
            else:
                raise AssertionError(f"the type {text} is accepted")
            assert type_.summary() in message
            assert "strange" in message

    def _format(self) -> FileFormat:
        return self.factory().create_file_format(ReadableConfig(dict(self.options)))

    def _row_type(self) -> RowType:
        return RowType.of([(name, parse_logical_type(text)) for name, text in self.schema.items()], nullable=False)

    def _written(self, batches: Sequence[Rows]) -> bytes:
        from table_common.arrow import from_python_rows  # this package is also imported without pyarrow

        file = io.BytesIO()
        writer = self._format().create_writer(file, self._row_type())
        for rows in batches:
            writer.write(from_python_rows(rows, self._row_type()))
        writer.finish()
        return file.getvalue()

    def _read(self, data: bytes, columns: tuple[str, ...] | None = None) -> list[tuple[Any, ...]]:
        from table_common.arrow import conform, import_batch, to_python_rows

        row_type = self._row_type()
        names = columns if columns is not None else row_type.field_names
        wanted = RowType(tuple(field for name in names for field in row_type.fields if field.name == name), nullable=False)
        found: list[tuple[Any, ...]] = []
        for given in self._format().read(io.BytesIO(data), FileReadContext(row_type, names, "file")):
            batch = conform(import_batch(given).select(list(names)), wanted)
            found += to_python_rows([batch], wanted)
        return found
