"""Uses the plug-in from SQL; the argument is the planner. Prints the rows of each query as JSON, by a name."""

from __future__ import annotations

import json
import sys
import tempfile

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError

CITIES = "(name STRING, lat DOUBLE, lon DOUBLE) WITH ('connector' = '{}')"
SETUP = [
    "LOAD MODULE geo",
    "CREATE CATALOG world WITH ('type' = 'geo')",
    f"CREATE TEMPORARY TABLE of_entry_point {CITIES.format('geo-cities')}",
    f"CREATE TEMPORARY TABLE of_module {CITIES.format('geo-module-cities')}",
    "CREATE TEMPORARY TABLE with_option (name STRING) WITH ('connector' = 'geo-cities', 'color' = 'red')",
    "CREATE TEMPORARY VIEW points AS SELECT name, geo_point(lat, lon) AS place FROM world.earth.cities",
]
QUERIES = {
    "modules": "SHOW MODULES",
    "functions": "SHOW FUNCTIONS LIKE 'geo%'",
    "tables": "SHOW TABLES FROM world.earth",
    "catalog": "SELECT name, lat FROM world.earth.cities WHERE lat > 0 ORDER BY name",
    "entry point": "SELECT name FROM of_entry_point ORDER BY name",
    "module": "SELECT name FROM of_module ORDER BY name",
    "distance": "SELECT CAST(geo_distance(geo_point(52.52, 13.405), geo_point(48.8566, 2.3522)) AS INT)",
    "field": "SELECT name, p.place.lat FROM points AS p WHERE p.place.lon > 100",
    "null": "SELECT geo_distance(CAST(NULL AS geo_point), geo_point(1.0, 2.0))",
    "aggregate": "SELECT geo_northernmost(place) FROM points",
    "type": "DESCRIBE typed",
    "wrong option": "SELECT * FROM with_option",
    "wrong argument": "SELECT geo_distance(1, 2)",
    "written": "INSERT INTO document SELECT name, lat, lat > 0 FROM world.earth.cities",
    "read": "SELECT north, name FROM document ORDER BY name",
    "inferred": "SELECT * FROM inferred ORDER BY name",
    "misspelt": "SELECT nmae FROM misspelt",
    "damaged": "SELECT * FROM damaged",
    "refused": "INSERT INTO dated VALUES (DATE '2020-01-02')",
    "wrong format option": "SELECT * FROM wrong_format_option",
    "not used": "USE MODULES core",
    "unknown": "SELECT geo_point(1.0, 2.0)",
}


FOLDER = tempfile.TemporaryDirectory()
FILES = "WITH ('connector' = 'filesystem', 'format' = 'geo-document', 'path' = '{1}/{0}')"


def declare_documents(env: TableEnvironment) -> None:
    """Makes tables of the plug-in's format."""
    with open(f"{FOLDER.name}/damaged", "w") as file:
        file.write("no document")
    for name, folder, columns in (
        ("document", "documents", "name STRING, lat DOUBLE, north BOOLEAN"),
        ("misspelt", "documents", "nmae STRING"),
        ("damaged", "damaged", "name STRING"),
        ("dated", "dated", "d DATE"),
    ):
        env.execute_sql(f"CREATE TEMPORARY TABLE {name} ({columns}) {FILES.format(folder, FOLDER.name)}")
    option = FILES.format("documents", FOLDER.name).replace("'format'", "'geo-document.color' = 'red', 'format'")
    env.execute_sql(f"CREATE TEMPORARY TABLE wrong_format_option (name STRING) {option}")


def main(planner: str) -> None:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner)
    if planner == "spark":
        settings = settings.with_configuration({"spark.master": "local[2]", "spark.driver.memory": "1g"})
    results: dict[str, object] = {}
    with TableEnvironment.create(settings.build()) as env:
        for statement in SETUP:
            env.execute_sql(statement)
        env.execute_sql(
            "CREATE TEMPORARY TABLE typed (place geo_point, visited ARRAY<GEO_POINT NOT NULL>) WITH ('connector' = 'blackhole')"
        )
        declare_documents(env)
        for name, query in QUERIES.items():
            try:
                if name == "inferred":
                    env.execute_sql(f"CREATE TEMPORARY TABLE inferred {FILES.format('documents', FOLDER.name)}")
                results[name] = [list(row) for row in env.execute_sql(query).collect()]
            except TableError as error:
                results[name] = str(error)
    print(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1])
