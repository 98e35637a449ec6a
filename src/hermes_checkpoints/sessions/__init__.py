"""Session checkpoints: the saved states of an agent's conversations."""
