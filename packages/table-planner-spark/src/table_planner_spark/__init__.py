"""The planner that runs tables on Apache Spark through PySpark."""
