"""What is looked at, one module for each subject.

Each check is a function that is given the ``Patient`` and yields what it found; ``look.py`` has
the list of all.
"""
