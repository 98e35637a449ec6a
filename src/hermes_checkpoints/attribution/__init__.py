"""Who changed what: turns, the timeline of each path, and the verdict of a restore."""
