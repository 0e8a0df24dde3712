"""OVER: windows are resolved, and calls over them become nodes of their own."""
