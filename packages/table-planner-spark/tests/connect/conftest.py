"""A server of Spark Connect on this machine, a session of the program on it, and environments on the session."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from table_api import Configuration
from table_api_bridge import SparkTableEnvironment

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PySpark's, of versions of pandas
    import pyspark.sql.connect
    import pyspark.testing.utils  # noqa: F401  # for its effect

SERVER = """
import sys
from pyspark import SparkContext
from table_planner_spark import local_session

local_session("local[2]", {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.driver.maxResultSize": "8m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.sql.shuffle.partitions": "2",
})
service = getattr(SparkContext._jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
print(getattr(service, "MODULE$").localPort(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server that ends with the tests."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        assert port.isdigit(), "the server did not start"
        yield f"sc://127.0.0.1:{port}"
        server.communicate()


@pytest.fixture(scope="session")
def spark(address: str) -> Iterator[SparkSession]:
    """A session of the program, in another time zone and with other options than ours."""
    session = SparkSession.builder.remote(address).getOrCreate()
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.conf.set("spark.sql.ansi.enabled", "false")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def env(spark: SparkSession) -> Iterator[SparkTableEnvironment]:
    """An environment in UTC that waits for its inserts."""
    options = Configuration({"table.local-time-zone": "UTC", "table.dml-sync": "true"})
    with SparkTableEnvironment.create(spark, options) as environment:
        yield environment
