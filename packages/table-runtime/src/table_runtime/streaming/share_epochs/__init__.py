"""The epochs of a job in shares, in the client, on any engine that runs the tasks: what each reads, where it begins, and how it is completed."""
