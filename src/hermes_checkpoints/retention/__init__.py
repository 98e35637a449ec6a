"""Keeps the store small: which checkpoints go, why, and the deletion of just those."""
