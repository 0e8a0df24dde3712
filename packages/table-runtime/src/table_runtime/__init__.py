"""The pure-Arrow runtime: kernels, operators, formats, connectors, and the embedded planner."""
