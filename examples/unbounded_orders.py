"""Unbounded orders: a live table of the revenue per shop, and an archive of files that is written at the same time.

    python examples/unbounded_orders.py [--seconds 5] [--archive data/orders]

``datagen`` makes the orders; in a program of your own they come from a topic, a folder or a Python generator. Ctrl-C ends the program earlier; the job
commits what it has read until then.
"""

from __future__ import annotations

import argparse
import time

from table_api import EnvironmentSettings, TableEnvironment

ORDERS = """
CREATE TABLE orders (
    id BIGINT, shop INT, amount DECIMAL(8, 2), ordered_at TIMESTAMP(3), WATERMARK FOR ordered_at AS ordered_at
) WITH (
    'connector' = 'datagen', 'rows-per-second' = '500', 'fields.shop.min' = '1', 'fields.shop.max' = '5',
    'fields.amount.min' = '1', 'fields.amount.max' = '200'
)"""

ARCHIVE = """
CREATE TABLE archive (id BIGINT, amount DECIMAL(8, 2), shop INT) PARTITIONED BY (shop) WITH (
    'connector' = 'filesystem', 'format' = 'parquet', 'path' = '{folder}',
    'sink.partition-commit.policy.kind' = 'success-file', 'sink.partition-commit.delay' = '1 h'
)"""

REVENUE = "SELECT shop, COUNT(*) AS orders, SUM(amount) AS revenue FROM orders GROUP BY shop"


def main() -> None:
    """Shows the revenue once a second, and archives the orders meanwhile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to run")
    parser.add_argument("--archive", default="data/orders", help="the folder of the archive")
    arguments = parser.parse_args()
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as env:
        env.execute_sql(ORDERS)
        env.execute_sql(ARCHIVE.format(folder=arguments.archive))
        archiving = env.execute_sql("INSERT INTO archive SELECT id, amount, shop FROM orders").get_job_client()
        assert archiving is not None
        with env.execute_sql(REVENUE).live() as live:
            deadline = time.monotonic() + arguments.seconds
            while time.monotonic() < deadline:
                live.wait(timeout=5)
                table = live.to_arrow().sort_by("shop")
                print(f"version {live.version}: " + ", ".join(f"shop {row['shop']}: {row['revenue']}" for row in table.to_pylist()))
                time.sleep(min(1.0, arguments.seconds / 3))
        archiving.end()  # with a last commit


if __name__ == "__main__":
    main()
