"""A way into the catalog without SQLAlchemy, for processes that ask a little and end.

Importing SQLAlchemy and making its tables takes longer than all that such a process asks. So the
text of a few statements is kept in ``statements.py``, compiled from the very expressions that the
rest of the catalog asks with: tests/catalog/direct/compiling.py writes it, and a test compares.
``reader.py`` runs them on the driver. What is not answered here is answered by the whole catalog:
``looking.py`` is one that does so by itself, also in the midst of a transaction, which is then done
anew. Nothing is judged twice: whatever is unusual about a
file, such as an older revision or damage, is left to the whole way, which says what it is.
"""
