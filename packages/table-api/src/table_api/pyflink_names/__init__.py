"""Classes that programs for PyFlink name: streams, the environment of streams, the module of Hive."""
