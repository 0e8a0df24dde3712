"""Hash and nested-loop joins, and the indexes of their build sides."""
