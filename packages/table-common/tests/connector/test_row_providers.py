from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_common.connector import (
    InputFormat,
    InputFormatProvider,
    SourceFunction,
    SourceFunctionProvider,
)
from table_common.data import GenericRowData, RowData
from table_common.functions import FunctionContext


class Numbers(SourceFunction):
    def run(self) -> Iterator[RowData]:
        yield from (GenericRowData.of(number) for number in range(3))


class Halves(InputFormat):
    def create_input_splits(self) -> Sequence[object]:
        return (0, 1)

    def read(self, split: object) -> Iterator[RowData]:
        yield GenericRowData.of(split)


def test_a_source_function_is_bounded_by_default() -> None:
    assert SourceFunctionProvider(Numbers()).is_bounded
    assert not SourceFunctionProvider(Numbers(), bounded=False).is_bounded


def test_an_input_format_is_bounded() -> None:
    assert InputFormatProvider(Halves()).is_bounded


def test_open_and_close_are_optional() -> None:
    for part in (Numbers(), Halves()):
        part.open(FunctionContext())
        part.close()
