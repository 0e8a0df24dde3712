"""Sinks that create or replace their table together with its rows."""

from __future__ import annotations

import pytest

from table_common.connector.sink.abilities import StagedTable, StagingPurpose, SupportsStaging


class Folder(StagedTable):
    """Names the calls in their order."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def begin(self) -> None:
        self.calls.append("begin")

    def commit(self) -> None:
        self.calls.append("commit")

    def abort(self) -> None:
        self.calls.append("abort")


class Files(SupportsStaging):
    def apply_staging(self, context: SupportsStaging.StagingContext) -> Folder:
        self.purpose = context.staging_purpose
        return Folder()


@pytest.mark.parametrize("purpose", StagingPurpose)
def test_the_sink_receives_the_staging_purpose(purpose: StagingPurpose) -> None:
    sink = Files()
    staged = sink.apply_staging(SupportsStaging.StagingContext(purpose))
    staged.begin()
    staged.commit()
    assert (sink.purpose, staged.calls) == (purpose, ["begin", "commit"])


def test_a_staged_table_defines_all_three_steps() -> None:
    assert StagedTable.__abstractmethods__ == {"begin", "commit", "abort"}
    with pytest.raises(TypeError, match="abstract"):
        StagedTable()  # type: ignore[abstract]  # what is tested
