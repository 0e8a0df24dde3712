"""What HELP shows."""

from __future__ import annotations

HELP = """\
A statement may take several lines and ends with a semicolon. Commands of the client:
  HELP          shows this text
  CLEAR         clears the screen
  QUIT, EXIT    ends the client, also within a script (at the prompt so does Ctrl-D)
First steps:
  SHOW TABLES;  DESCRIBE a_table;  SHOW FUNCTIONS;  SHOW CREATE TABLE a_table;
  EXPLAIN SELECT ...;           how a query will run
  SET;                          which options are set
  SET 'sql-client.execution.result-mode' = 'csv';    or json, tableau, table, changelog
At the prompt:
  Tab           completes words and names
  Up, Down      walk through the history
  Alt-Enter     begins a new line
  Ctrl-C        cancels the running statement, or clears what was typed"""
