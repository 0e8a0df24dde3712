"""Tests for table_common.factories.watermark_params."""

from __future__ import annotations

from datetime import timedelta

import pytest

from table_common.exceptions import ValidationException
from table_common.factories import WatermarkOptions, WatermarkParams

ALIGNED = {"scan.watermark.alignment.group": "g", "scan.watermark.alignment.max-drift": "1 min"}


def test_without_options_nothing_is_set() -> None:
    assert WatermarkParams.of({"connector": "x"}, "table t") == WatermarkParams()


def test_options_are_read_as_their_types() -> None:
    options = {
        **ALIGNED,
        "scan.watermark.alignment.update-interval": "2 s",
        "scan.watermark.emit.strategy": "ON-EVENT",
        "scan.watermark.idle-timeout": "5 s",
    }
    assert WatermarkParams.of(options, "table t") == WatermarkParams(True, "g", timedelta(minutes=1), timedelta(seconds=5))


@pytest.mark.parametrize("missing", ALIGNED)
def test_alignment_needs_a_group_and_a_drift(missing: str) -> None:
    options = {key: value for key, value in ALIGNED.items() if key != missing}
    with pytest.raises(ValidationException, match=f"The options of table t are not valid: .* but '{missing}' is not set"):
        WatermarkParams.of(options, "table t")


@pytest.mark.parametrize("option", [option.key for option in WatermarkOptions.ALL if option is not WatermarkOptions.ALIGNMENT_GROUP])
def test_an_invalid_value_names_the_table_and_the_option(option: str) -> None:
    with pytest.raises(ValidationException, match=f"The options of table t are not valid: Option '{option}' takes"):
        WatermarkParams.of({**ALIGNED, option: "sometimes"}, "table t")


def test_the_factory_of_a_connector_gets_the_other_options() -> None:
    options = dict.fromkeys([*(option.key for option in WatermarkOptions.ALL), "scan.parallelism"], "x")
    assert WatermarkParams.without(options) == {"scan.parallelism": "x"}
