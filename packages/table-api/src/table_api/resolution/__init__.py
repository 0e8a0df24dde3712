"""Resolution of unresolved expressions and queries; SQL and the Table API share it and so produce the same plans."""
