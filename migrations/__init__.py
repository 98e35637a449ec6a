"""Alembic's environment and the revisions of the catalog, shipped as a package of their own."""
