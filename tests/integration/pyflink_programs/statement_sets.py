"""One job with two insertions into CSV files, which are read back; the program's folder is below the temporary one."""

import tempfile
from pathlib import Path

from pyflink.table import DataTypes, FormatDescriptor, Schema, TableDescriptor
from pyflink.table.expressions import col


def run(t_env):
    with tempfile.TemporaryDirectory() as folder:
        schema = (
            Schema.new_builder()
            .column("id", DataTypes.INT())
            .column("price", DataTypes.FLOAT())
            .column("at", DataTypes.TIMESTAMP(3))
            .build()
        )
        for name in ("cheap", "dear", "all_of_them"):
            descriptor = (
                TableDescriptor.for_connector("filesystem")
                .schema(schema)
                .option("path", str(Path(folder) / name))
                .format(FormatDescriptor.for_format("csv").option("field-delimiter", ";").build())
                .build()
            )
            t_env.create_temporary_table(name, descriptor)
        t_env.execute_sql(
            "INSERT INTO all_of_them VALUES (1, CAST(1.23 AS FLOAT), TIMESTAMP '2024-05-01 10:00:00.5'), (2, CAST(99.9 AS FLOAT), TIMESTAMP '2024-05-01 10:00:00')"
        ).wait()
        source = t_env.from_path("all_of_them")
        statements = t_env.create_statement_set()
        statements.add_insert("cheap", source.filter(col("price") < 10))
        statements.add_insert_sql("INSERT INTO dear SELECT * FROM all_of_them WHERE price >= 10")
        assert "cheap" in statements.explain()
        statements.execute().wait()
        texts = []
        for name in ("cheap", "dear"):
            files = [file for file in (Path(folder) / name).rglob("*") if file.is_file() and not file.name.startswith((".", "_"))]
            texts.append("".join(file.read_text() for file in files))
        with t_env.from_path("dear").execute().collect() as rows:
            return texts, [tuple(row) for row in rows]
