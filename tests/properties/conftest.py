"""Settings of all properties, and one Spark session for those that need it.

``PROPERTY_SIZE`` multiplies the number of examples, ``PROPERTY_SEED`` draws others; the seed is printed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # shared helpers
SIZE = int(os.environ.get("PROPERTY_SIZE", "1"))
SEED = int(os.environ.get("PROPERTY_SEED", "20240229"))


@pytest.fixture(scope="session")
def size() -> int:
    return SIZE


@pytest.fixture(scope="session")
def seed() -> int:
    print(f"PROPERTY_SEED={SEED}")
    return SEED


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    from table_common.exceptions import TableException
    from table_planner_spark import local_session
    from table_planner_spark.session.java import find_java_home

    try:
        find_java_home()
    except TableException as error:
        pytest.skip(f"not run on Spark: {error}")
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    options = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "spark.sql.shuffle.partitions": "2"}
    session = local_session("local[1]", options)
    yield session
    session.stop()
