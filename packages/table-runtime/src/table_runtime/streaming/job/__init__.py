"""What unbounded jobs need on any engine; ``in_process`` runs them in this process. Nothing else here starts a thread or knows an engine.

A job with checkpoints is a sequence of attempts (``attempts.Attempts``), and an attempt is a sequence of epochs. A driver, which runs one attempt on its engine, processes an epoch in these steps:

    epoch = Epoch.next_of(checkpoints, sinks)         planned: it has its number
    asked = requests.pending()                        the savepoints that it is to give
    ...                                               rows are read, pushed and written; state goes to files of this epoch and run
    epoch.prepare(messages, checkpoint)               prepared: it is known what each sink commits, and what the manifest says
    epoch.decide()                                    decided: the manifest exists; from now on also another process commits the epoch
    epoch.commit()                                    committed: each sink has its rows, and the folder has the note that the epoch is done
    ...                                               sources forget the rows before; attempts count those of the manifest
    requests.answer(asked, epoch.manifest)
    checkpoints.retain()                              old manifests and their files go

``epoch.complete(messages, checkpoint, check)`` does the three steps in their order. An epoch that is not decided can be given back (``epoch.give_back``): what its sinks have prepared is
discarded, its number is used again, and the requests wait for the next one. It is not given back if it is not known whether it is decided. A step that is out of order is an error.

The driver in this process writes the state and prepares the sinks on one thread (``in_process.writer``). A driver whose workers do both has the same walk: they return files and messages,
and the client gives them to ``prepare``.
"""
