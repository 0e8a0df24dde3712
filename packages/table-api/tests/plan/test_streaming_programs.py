"""What streaming mode on rows has besides, and without, the rules of batch mode."""

from __future__ import annotations

from table_api.plan.programs import BATCH, add_dynamic_filters, limit_sorts
from table_api.plan.rules.check_event_time import check_event_time
from table_api.plan.rules.drop_global_aggregate_of_no_input import drop_global_aggregate_of_no_input
from table_api.plan.rules.infer_time_attributes import infer_time_attributes
from table_api.plan.rules.push_source_watermark_into_scan import push_source_watermark_into_scan
from table_api.plan.rules.push_watermark_into_scan import push_watermark_into_scan
from table_api.plan.streaming_programs import STREAMING_ROWS


def test_streaming_on_rows_does_with_changes_and_totals_what_batch_does() -> None:
    batch, rows = set(BATCH.rules()), set(STREAMING_ROWS.rules())
    assert batch - rows == {limit_sorts, add_dynamic_filters}
    assert rows - batch == {
        drop_global_aggregate_of_no_input,
        check_event_time,
        push_source_watermark_into_scan,
        push_watermark_into_scan,
        infer_time_attributes,
    }
