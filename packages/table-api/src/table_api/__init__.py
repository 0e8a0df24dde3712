"""Table API and SQL: environments, expressions, the SQL front end and the logical plan."""
