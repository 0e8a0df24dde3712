"""Assigners of watermarks are made for each split."""

from __future__ import annotations

import pickle
from datetime import timedelta

import pytest

from table_common.connector import SupportsArrowArray
from table_common.connector.source import PeriodicAssignerProvider, PunctuatedAssignerProvider, WatermarkAssigner
from table_common.data import GenericRowData, RowData, RuntimeConverter


class Latest(WatermarkAssigner):
    """The greatest number seen."""

    def __init__(self) -> None:
        self.latest: int | None = None

    def open(self, context: RuntimeConverter.Context) -> None:
        self.latest = None

    def on_batch(self, batch: SupportsArrowArray) -> int | None:
        return self.latest

    def on_row(self, row: RowData) -> int | None:
        self.latest = max(self.latest or 0, row.get_int(0))
        return self.latest

    def current_watermark(self) -> int | None:
        return self.latest


@pytest.mark.parametrize("provider", [PeriodicAssignerProvider(Latest(), timedelta(seconds=1)), PunctuatedAssignerProvider(Latest())])
def test_each_split_gets_its_own_assigner(provider: PeriodicAssignerProvider | PunctuatedAssignerProvider) -> None:
    one, other = provider.create_assigner(), pickle.loads(pickle.dumps(provider)).create_assigner()
    one.open(RuntimeConverter.Context.empty())
    assert one.on_row(GenericRowData.of(7)) == 7
    assert other.current_watermark() is None
