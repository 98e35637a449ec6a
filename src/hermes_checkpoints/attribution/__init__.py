"""Whose change is it: looks that attribute what they see, turns, and the verdict of a restore."""
