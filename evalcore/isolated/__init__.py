"""Native code on files of strangers, in processes of its own: their death harms one file, not the caller.

`pool.ask` sends a file to a warm process and returns a table, bytes, or a `RefusedError` that says why not;
`worker` is what runs there.
"""
