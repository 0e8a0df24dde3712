"""The jobs that a session starts: their rows and end, INSERTs in the background, and what happens to them when a block, a session or the program ends."""
