from __future__ import annotations

from collections.abc import Mapping

import pytest

from table_common.connector import (
    ChangelogMode,
    DecodedMessages,
    DecodingFormat,
    EncodingFormat,
    MessageDecoder,
    MessageEncoder,
    SupportsArrowArray,
)
from table_common.exceptions import TableException
from table_common.types import LogicalType, RowType, VarCharType


class Plain(DecodingFormat, EncodingFormat):
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    def create_runtime_decoder(self, physical_type: RowType, produced_type: RowType | None = None) -> MessageDecoder:
        raise NotImplementedError

    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        raise NotImplementedError


class Keyed(Plain):
    def __init__(self) -> None:
        self.keys: list[str] = []

    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        return {"key": VarCharType()}

    def apply_readable_metadata(self, metadata_keys: object) -> None:
        self.keys = list(metadata_keys)  # type: ignore[call-overload]  # a sequence


def test_a_format_has_no_metadata_by_default() -> None:
    assert dict(Plain().list_readable_metadata()) == {}


def test_a_format_without_metadata_refuses_to_read_some() -> None:
    with pytest.raises(TableException, match="The format Plain has no metadata 'key'"):
        Plain().apply_readable_metadata(["key"])


def test_no_metadata_can_be_applied_to_any_format() -> None:
    Plain().apply_readable_metadata([])


def test_a_format_receives_its_metadata_keys() -> None:
    keyed = Keyed()
    keyed.apply_readable_metadata(["key"])
    assert keyed.keys == ["key"]


def test_by_default_each_message_is_one_row_and_none_is_ignored() -> None:
    class Batch:
        def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
            raise NotImplementedError

    batch: SupportsArrowArray = Batch()
    decoded = DecodedMessages(batch)
    assert (decoded.positions, decoded.ignored, decoded.first_ignored) == (None, 0, None)
