"""Sessions of Spark: those that the planner starts, clones of the session of the program, and how this process reaches each, by py4j or Spark Connect."""
