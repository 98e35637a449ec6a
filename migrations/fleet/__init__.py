"""The migrations of the index of a fleet, a branch of its own for PostgreSQL."""
