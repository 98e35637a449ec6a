"""Takes checkpoints of a working directory, and compares them."""
