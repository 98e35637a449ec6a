"""Brings a working directory back: plan, steps, run, undo."""
