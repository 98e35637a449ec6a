"""The revisions, oldest first by number; each is self-contained and imports no code of ours."""
