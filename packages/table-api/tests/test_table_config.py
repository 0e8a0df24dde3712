from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from table_api import Configuration, SqlDialect, TableConfig, TableEnvironment, ValidationException
from table_common.configuration import ExecutionConfigOptions, PipelineOptions


def test_builder_sets_mode_planner_interval_and_zone() -> None:
    config = (
        TableConfig.builder()
        .in_batch_mode()
        .with_planner("arrow")
        .with_watermark_interval(500)
        .with_local_time_zone("UTC")
        .with_timeout(timedelta(seconds=5))
        .build()
    )
    assert config.to_map() == {
        "execution.runtime-mode": "batch",
        "table.planner": "arrow",
        "pipeline.auto-watermark-interval": "500 ms",
        "table.local-time-zone": "UTC",
        "table.exec.timeout": "5000 ms",
    }


def test_environment_is_created_from_a_config() -> None:
    with TableEnvironment.create(TableConfig.builder().in_batch_mode().build()) as env:
        assert not env.session.is_streaming_mode


def test_environment_is_created_from_a_configuration() -> None:
    with TableEnvironment.create(Configuration({"table.builtin-catalog-name": "c"})) as env:
        assert (env.get_current_catalog(), env.session.is_streaming_mode) == ("c", True)


def test_typed_option_gives_its_default() -> None:
    assert TableConfig().get(PipelineOptions.AUTO_WATERMARK_INTERVAL) == timedelta(milliseconds=200)
    assert TableConfig().get(ExecutionConfigOptions.TABLE_EXEC_TIMEOUT) is None


def test_plain_key_gives_text_or_the_default_given() -> None:
    assert TableConfig().set("spark.a", 1).get("spark.a", "x") == "1"
    assert TableConfig().get("b", "x") == "x"


def test_unknown_time_zone_is_refused() -> None:
    with pytest.raises(ValidationException, match="no time zone 'Mars/Base'"):
        TableConfig().set_local_timezone("Mars/Base")


def test_idle_state_retention_round_trips() -> None:
    config = TableConfig()
    config.set_idle_state_retention(timedelta(hours=1))
    assert config.get_idle_state_retention() == timedelta(hours=1)


def test_hive_dialect_is_refused() -> None:
    config = TableConfig()
    assert config.get_sql_dialect() is SqlDialect.DEFAULT
    with pytest.raises(ValidationException, match="'hive' is not supported"):
        config.set_sql_dialect(SqlDialect.HIVE)


def test_python_files_of_the_settings_can_be_imported_by_functions(tmp_path: Path) -> None:
    (tmp_path / "functions_of_settings.py").write_text(
        "from table_api.udf import ScalarFunction\n\nclass Same(ScalarFunction):\n    def eval(self, x: int) -> int:\n        return x\n"
    )
    settings = Configuration({"execution.runtime-mode": "batch", "python.files": str(tmp_path / "functions_of_settings.py")})
    with TableEnvironment.create(settings) as env:
        env.execute_sql("CREATE TEMPORARY FUNCTION same AS 'functions_of_settings.Same' LANGUAGE PYTHON")
        assert "same" in env.list_user_defined_functions()


def test_python_file_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValidationException, match=r"'nowhere\.py' does not exist"):
        TableConfig().set("python.files", "nowhere.py")
