"""The index over the checkpoints of many machines, in a PostgreSQL database of its own.

Git servers have the checkpoints; the index says who has which of what, and since when nothing came.
It has no contents, and nothing depends on it: where it is lost, one run makes it anew. Takes,
restores, pushes and prunes use nothing of this package, and it is loaded by its own verb alone. The
library that speaks with PostgreSQL is the extra ``fleet``.
"""
