"""Databases, tables, views and functions of catalogs, through environments and through the catalog's own methods."""

from pyflink.table import DataTypes, Schema, TableDescriptor, TableSchema
from pyflink.table.catalog import CatalogBaseTable, CatalogDatabase, ObjectPath


def run(t_env):
    t_env.execute_sql("CREATE CATALOG shop WITH ('type' = 'generic_in_memory', 'default-database' = 'main')")
    t_env.use_catalog("shop")
    catalog = t_env.get_catalog("shop")
    catalog.create_database("sales", CatalogDatabase.create_instance({"owner": "ann"}, "all sales"), False)
    t_env.use_database("sales")
    schema = Schema.new_builder().column("id", DataTypes.INT().not_null()).column("name", DataTypes.STRING()).primary_key("id").build()
    t_env.create_table("orders", TableDescriptor.for_connector("datagen").schema(schema).option("number-of-rows", "3").build())
    columns = TableSchema.builder().field("id", DataTypes.INT()).field("name", DataTypes.STRING()).build()
    table = CatalogBaseTable.create_table(schema=columns, properties={"connector": "blackhole"}, comment="a hole")
    catalog.create_table(ObjectPath("sales", "hole"), table, False)
    t_env.execute_sql("CREATE VIEW names AS SELECT name FROM orders")
    database = catalog.get_database("sales")
    found = catalog.get_table(ObjectPath("sales", "hole"))
    state = [
        t_env.get_current_catalog(),
        t_env.get_current_database(),
        sorted(t_env.list_catalogs()),
        sorted(catalog.list_databases()),
        sorted(t_env.list_tables()),
        t_env.list_views(),
        (database.get_comment(), dict(database.get_properties())),
        (found.get_comment(), dict(found.get_options())),
        catalog.table_exists(ObjectPath("sales", "orders")),
        catalog.database_exists("nothing"),
    ]
    catalog.rename_table(ObjectPath("sales", "hole"), "pit", False)
    catalog.drop_table(ObjectPath("sales", "orders"), False)
    state.append(sorted(catalog.list_tables("sales")))
    errors = []
    for attempt in (
        lambda: catalog.get_database("nothing"),
        lambda: catalog.get_table(ObjectPath("sales", "nothing")),
        lambda: catalog.create_database("sales", CatalogDatabase.create_instance({}), False),
        lambda: catalog.drop_table(ObjectPath("sales", "nothing"), False),
        lambda: t_env.use_catalog("nothing"),
    ):
        try:
            attempt()
        except Exception as error:
            errors.append(type(error).__name__)
    catalog.drop_table(ObjectPath("sales", "nothing"), True)
    t_env.use_catalog("default_catalog")
    return state, errors
