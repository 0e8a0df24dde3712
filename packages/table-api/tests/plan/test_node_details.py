"""Details of nodes: names have no quotes, text literals keep theirs."""

from __future__ import annotations

from table_api import EnvironmentSettings, TableEnvironment, col
from table_api.plan import node_details


def test_items_of_lists_have_no_quotes_of_their_own() -> None:
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    table = env.from_elements([(7, "a")], ["id", "name"])
    grouped = table.group_by(col("name")).select(col("name"), col("id").sum.alias("total"))
    assert node_details(grouped._operation.children[0]).startswith("groupBy=[name], select=[")
