"""The restricted mode decides by names and paths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from table_common.exceptions import ValidationException
from table_common.restrictions import Restrictions, restrictions_of

SHOP = Restrictions(modules=("shop.udfs",))


def test_lists_are_divided_by_semicolons() -> None:
    assert restrictions_of("a; b.c", None) == Restrictions(modules=("a", "b.c"))
    assert restrictions_of(None, "") == Restrictions(paths=())


@pytest.mark.parametrize("name", ["shop.udfs", "shop.udfs.prices"])
def test_allowed_module_may_be_imported(name: str) -> None:
    SHOP.check_module(name, "here")


@pytest.mark.parametrize("name", ["shop", "shop.udfs2", "subprocess", ""])
def test_other_module_must_not_be_imported(name: str) -> None:
    with pytest.raises(ValidationException, match="must not be imported"):
        SHOP.check_module(name, "here")


@pytest.mark.parametrize(("found", "path"), [(os, "os"), (os.system, "run"), (print, "print"), (len, "F.__subclasses__")])
def test_object_of_another_module_is_refused(found: object, path: str) -> None:
    with pytest.raises(ValidationException):
        SHOP.check_object(found, path, "here")


@pytest.mark.parametrize("path", ["in", "in/x.csv", "in/../in/x", "in/*.csv", "in/p=1/"])
def test_path_in_an_allowed_folder_may_be_used(tmp_path: Path, path: str) -> None:
    (tmp_path / "in").mkdir()
    restrictions = Restrictions(paths=(str(tmp_path / "in"),))
    restrictions.check_path(f"{tmp_path}/{path}", "here")
    restrictions.check_path(f"file://{tmp_path}/{path}", "here")


@pytest.mark.parametrize("path", ["", "in2", "out", "in/../out", "in/link/x", "o*", "in/\0"])
def test_path_elsewhere_must_not_be_used(tmp_path: Path, path: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")
    with pytest.raises(ValidationException, match="must not be used"):
        Restrictions(paths=(str(tmp_path / "in"),)).check_path(f"{tmp_path}/{path}", "here")


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("s3://bucket/in/x", True),
        ("s3://bucket/in", True),
        ("s3://bucket/in2/x", False),
        ("s3://bucket/in/../out", False),
        ("s3://bucket/in/%2e%2e/out", False),
        ("s3://bucket/in%2f..%2fout", False),
        ("https://bucket/in/x", False),
        ("/in/x", False),
    ],
)
def test_urls_are_compared_by_prefix(url: str, is_allowed: bool) -> None:
    try:
        Restrictions(paths=("s3://bucket/in/",)).check_path(url, "here")
    except ValidationException:
        assert not is_allowed
    else:
        assert is_allowed


@pytest.mark.parametrize(
    "options", [{"path": "x"}, {"trace-file": "x"}, {"protobuf.descriptor-set-file": "x"}, {"other": "/etc/passwd"}, {"u": "http://h/x"}]
)
def test_options_that_name_paths_are_checked(options: dict[str, str]) -> None:
    with pytest.raises(ValidationException, match="must not be used"):
        Restrictions(paths=()).check_options(options, "table t")


def test_other_options_are_not_paths() -> None:
    Restrictions(paths=()).check_options({"format": "csv", "csv.field-delimiter": "/", "connector": "filesystem"}, "table t")


@pytest.mark.parametrize(
    ("group", "value", "is_allowed"),
    [
        ("table.connectors", "table_runtime.connectors.filesystem:FileSystemTableFactory", True),
        ("table.connectors", "table_api_bridge.connector:SparkTableFactory", False),
        ("table.connectors", "stranger.factory:Factory", False),
        ("table.modules", "table_common.module:CoreModuleFactory", True),
        ("table.modules", "table_runtime.modules.hive:HiveModuleFactory", False),
        ("table.modules", "table_planner_spark.spark_module:SparkModuleFactory", False),
        ("table.planners", "table_planner_spark.factory:SparkPlannerFactory", True),
    ],
)
def test_factories_of_this_project_that_run_nothing_else_are_allowed(group: str, value: str, is_allowed: bool) -> None:
    try:
        Restrictions(modules=()).check_entry_point(group, value, "here")
    except ValidationException:
        assert not is_allowed
    else:
        assert is_allowed


def test_a_factory_that_reaches_everything_needs_to_be_allowed() -> None:
    value = "table_planner_spark.spark_module:SparkModuleFactory"
    with pytest.raises(ValidationException, match="whatever Spark can"):
        Restrictions(paths=()).check_entry_point("table.modules", value, "here")
    Restrictions(("table_planner_spark",), ()).check_entry_point("table.modules", value, "here")
    Restrictions(paths=()).check_entry_point("table.connectors", "stranger.factory:Factory", "here")


@pytest.mark.parametrize(
    "options",
    [
        {"partition.default-name": "x/../../../out/w"},
        {"paths": "in/a,/out/b"},
        {"properties.bootstrap.servers": "evil:9092"},
        {"sasl.kerberos.keytab": "k"},
        {"io.tmp.dirs": "/out"},
        {"any": "x%2f..%2fout"},
        {"any": "cache::file:///out"},
    ],
)
def test_options_that_can_lead_out_are_checked(options: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValidationException, match="must not be used"):
        Restrictions(paths=(str(tmp_path),)).check_options(options, "table t")


@pytest.mark.parametrize(
    "key", ["execution.checkpointing.dir", "state.checkpoints.dir", "execution.state-recovery.path", "table.exec.spill.dir"]
)
def test_a_statement_sets_an_option_to_an_allowed_path_only(tmp_path: Path, key: str) -> None:
    restrictions = Restrictions(paths=(str(tmp_path),))
    restrictions.check_setting(key, f"{tmp_path}/x")
    with pytest.raises(ValidationException, match="must not be used"):
        restrictions.check_setting(key, "/out")


@pytest.mark.parametrize(
    "key", ["spark.sql.warehouse.dir", "python.files", "table.catalog-store.file.path", "table.security.allowed-paths"]
)
def test_some_options_are_the_programs(key: str) -> None:
    with pytest.raises(ValidationException, match="cannot be changed by statements"):
        Restrictions(modules=()).check_setting(key, "x")
