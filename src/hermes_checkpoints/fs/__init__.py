"""This machine's files and locks: what differs between systems, and what a disk can do."""
