from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from table_common.connector import ArrowScanProvider, FileScanProvider, FileSinkProvider, SupportsArrowArray, WriterContext
from table_common.types import IntType, RowType

ROW = RowType.of([("a", IntType())])


class Numbers(ArrowScanProvider):
    def splits(self) -> Sequence[object]:
        return (1, 2)

    def read(self, split: object) -> Iterator[SupportsArrowArray]:
        return iter(())


def test_files_are_bounded() -> None:
    assert FileScanProvider(("x",), "csv", ROW, ROW).is_bounded


def test_a_scan_of_splits_is_bounded_and_skips_none_by_default() -> None:
    provider = Numbers()
    assert provider.is_bounded
    assert list(provider.filtered_splits([])) == [1, 2]
    assert not provider.carries_user_code


def test_the_listing_of_a_source_is_no_part_of_the_providers_value() -> None:
    listed = FileScanProvider(("x",), "csv", ROW, ROW, snapshot=object())
    assert listed == FileScanProvider(("x",), "csv", ROW, ROW)
    assert "snapshot" not in repr(listed)


def test_a_writer_is_identified_by_job_epoch_and_task() -> None:
    assert WriterContext("j") == WriterContext("j", 0, 0)
    assert len({WriterContext("j"), WriterContext("j", 1), WriterContext("j", 0, 1), WriterContext("k")}) == 4


@pytest.mark.parametrize("provider", [FileScanProvider(("x",), "csv", ROW, ROW), FileSinkProvider("x", "csv", ROW)])
def test_null_partition_keys_have_hives_name_by_default(provider: FileScanProvider | FileSinkProvider) -> None:
    assert provider.partition_default_name == "__HIVE_DEFAULT_PARTITION__"
