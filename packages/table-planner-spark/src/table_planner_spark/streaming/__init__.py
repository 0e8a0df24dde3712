"""Streaming plans on Spark: one Spark job per epoch, whose tasks run the graph of the embedded engine in shares."""
