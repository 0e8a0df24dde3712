"""Runs streaming jobs in worker processes of this machine: each has one share of every level, whose state stays in its memory.

``workers_driver.WorkersDriver`` is the client's part. An epoch goes through the processes so:

    client   sources plan what the epoch reads; ``SharedJob`` makes the tasks                       ``share_epochs.epoch_loop``
             ``WorkerTasks.run`` sends each worker the splits that it reads                          a message: numbers, and few bytes
    level 0  each worker reads, filters and divides rows: those of its own share stay as objects,
             those for others go into its outbox, an anonymous file that all processes have open     ``outboxes``
    client   waits for all workers; sends each one where its rows are
    level n  each worker reads them, runs the level over the state in its memory, and divides        ``kept_states``, ``share_worker``
    client   notes and rows of outputs have come with the answers; the state of the job follows      ``SharedJob.after``

Nothing is written to disk in an epoch. At the interval of checkpoints the epoch is a checkpoint: the workers write what has changed since the last one into files by share, as
on any engine, the client decides the epoch by a manifest, and the sinks commit what they have got since (``memory_epochs``). If a worker dies, or a task fails, all workers of the job
end, the epochs since the manifest are given back, and the next attempt reads them again from the sources, with new workers.

A worker ends when the connection to its client closes, whatever ended that one. It ignores Ctrl-C, which is the client's. Rows of several workers have no order among each other, so
changes are net: per epoch, only the difference for each key.
"""
