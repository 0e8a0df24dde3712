"""Tables and what is built of them: groups, windows, pipelines, statement sets, compiled plans."""
