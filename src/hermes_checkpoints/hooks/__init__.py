"""Other agents: what the events that they tell of by hooks mean, and how hooks are installed.

Each event is a process of its own, which shares nothing with the others but the catalog.
"""
