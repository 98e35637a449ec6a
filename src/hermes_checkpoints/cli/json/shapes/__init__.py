"""What ``--json`` prints, declared key by key: a module for each of those that make the documents.

Type checkers hold the makers to these declarations; docs/json.md and the JSON Schema files are made
of them (``python -m docs.reference``). No verb loads this package. A sentence below a key is what
the documentation says about it.
"""
