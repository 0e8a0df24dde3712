"""From unresolved to resolved: the one place where SQL and the Table API meet, so that both plan alike."""
