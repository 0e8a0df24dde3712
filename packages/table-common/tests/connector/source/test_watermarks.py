"""Assigners of watermarks are made for each split."""

from __future__ import annotations

import pickle
from datetime import timedelta

import pytest

from table_common.connector import SupportsArrowArray
from table_common.connector.source import PeriodicAssignerProvider, PunctuatedAssignerProvider, WatermarkAssigner
from table_common.data import GenericRowData, RowData, RuntimeConverter
from table_common.exceptions import TableException


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


def test_the_interval_of_the_provider_is_that_of_its_assigners() -> None:
    assert PeriodicAssignerProvider(Latest(), timedelta(seconds=1)).create_assigner().interval == timedelta(seconds=1)
    assert PunctuatedAssignerProvider(Latest()).create_assigner().interval == timedelta(0)


def test_an_assigner_without_watermarks_by_row_or_snapshots_is_named() -> None:
    made = Latest()
    for ask in (lambda: made.watermarks_before(object()), made.snapshot, lambda: made.restore({})):  # type: ignore[arg-type,return-value]  # nothing is read
        with pytest.raises(TableException, match="The watermark assigner Latest has "):
            ask()
