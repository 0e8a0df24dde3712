"""Runs streaming plans with an unbounded source, in this process.

A plan runs here if the provider of one of its sources says ``is_bounded = False`` (``table_runtime.planner.streaming.plan.is_unbounded``); the other streaming plans run once,
as a batch job.
``job_driver.JobDriver`` runs it: a query once, INSERTs with checkpoints attempt by attempt (``table_runtime.streaming.job``). Threads:

- ``loop.StreamLoop`` runs the graph, on the job's thread. It takes rows of the source with the least watermark, at most 64k at a time, pushes them through
  the graph until nothing is left, and ends epochs between two pushes.
- ``reader.ReaderThread``, one per source, reads ahead into a bounded queue (``mailbox.SourceQueue``). A ``SourceProvider`` is read range by range:
  ``latest_offset(start, limit)``, ``plan``, ``create_reader().read(split)``; ``wait`` when there is nothing new; ``commit`` after an epoch. All its methods are called on this
  thread. Other providers are read batch by batch, as ``Operator.batches`` yields them.
- ``writer.WriterThread`` writes to all sinks and commits their epochs. A sink takes part by ``Sink.epoch_provider()``, an ``ArrowSinkProvider``: one writer per
  epoch that has rows, ``WriterContext(job_id, epoch)`` and ``CommitContext(job_id, epoch)``.

What splits mean: a watermark is kept per ``split_id``. A split is known from the first range on that has it, and idle when it had no rows for the idle
timeout. So a split is a part that lasts, such as a partition of a topic; a monitored folder is one split, not one per file.

Results of a query: ``JobExecution.batches()`` yields a record batch after each push that gave rows, in the schema of the plan with the row kind as the
last column if the query has changes. The channel holds four batches; while the program does not read, the graph waits. Closing the iterator
cancels the job. LIMIT over insertions ends it.

Ends: ``JobClient.cancel()`` discards what is not committed. ``JobClient.end()`` takes no more rows, commits a last epoch and finishes the job;
closing the environment and Ctrl-C do so.
"""
