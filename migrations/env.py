"""What Alembic runs: the revisions for an opening, and the commands that people give it.

An opening hands its connection over, under its lock and in its transaction
(catalog/upgrading.py). On the command line there is no second way to upgrade: ``upgrade head``
opens the base as every other command does. ``-x home=DIR`` or ``-x catalog=FILE`` says which;
without either it is that of HERMES_HOME. docs/catalog.md has the commands.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from alembic import context
from alembic.script import Script
from alembic.util import CommandError
from sqlalchemy import Connection


def run(connection: Connection, **options: object) -> None:
    """Do on a connection what the command is, in whatever transaction it is in."""
    context.configure(connection=connection, **options)  # type: ignore[arg-type]
    context.run_migrations()


# --- which catalog ------------------------------------------------------------------------------


class Place(NamedTuple):
    """A catalog, its lock, and how to open its base: by ``home`` or ``base``; a catalog that is
    that of no base has neither."""

    catalog: Path
    lock: Path
    home: Path | None = None
    base: Path | None = None

    def require(self) -> None:
        """Refuse a base or a file that does not exist.

        A base may be without a catalog, as those of version 1 are: its first opening makes one.
        """
        if self.home is not None and not self.catalog.parent.is_dir():
            raise CommandError(
                f"there are no checkpoints under {self.home}: {self.catalog.parent} is no folder; "
                "name another home with -x home=DIR, or a catalog with -x catalog=FILE"
            )
        if self.home is None and not self.catalog.is_file():
            raise CommandError(
                f"there is no catalog {self.catalog}; name another, or a home with -x home=DIR"
            )


def place() -> Place:
    """Return the place that the arguments ``-x`` name, or that of HERMES_HOME."""
    from hermes_checkpoints.base.arguments import directory
    from hermes_checkpoints.layout import Layout, former_locks

    told = context.get_x_argument(as_dictionary=True)
    if told.keys() - {"home", "catalog"} or len(told) > 1:
        raise CommandError("give -x home=DIR or -x catalog=FILE, one of them")
    if "" in told.values():
        raise CommandError("behind -x home= or -x catalog= there must be a path")
    if "catalog" not in told:
        layout = Layout.of(directory(told["home"]) if told else None)
        return Place(layout.catalog, layout.catalog_lock, home=layout.home)
    named, file = Path(told["catalog"]), directory(told["catalog"])
    for layout in (Layout.of_base(directory(named.parent)), Layout.of_base(file.parent)):
        # A copy that lies among other files is opened alone: to open their folder as a base would
        # move what looks like history of earlier versions aside.
        places = (layout.store, layout.locks, former_locks(layout.base))
        is_base = layout.base.name == "checkpoints" or any(place.exists() for place in places)
        if is_base and file == layout.catalog.resolve():
            return Place(layout.catalog, layout.catalog_lock, base=layout.base)
    return Place(file, file.with_name(f".{file.name}.lock"))


# --- the commands -------------------------------------------------------------------------------


def upgrade(at: Place) -> None:
    """Upgrade the catalog to the newest revision by opening it, and say from where to where."""
    from hermes_checkpoints.catalog.alembic_commands import contents
    from hermes_checkpoints.catalog.backups import backups

    target = revision_asked_for()
    if target is None or target.revision != context.script.get_current_head():
        raise CommandError(
            "a catalog is upgraded to the newest revision or not at all, because the next opening "
            "does so anyway; give alembic upgrade head"
        )
    at.require()
    before = contents(at.catalog).revision if at.catalog.exists() else None
    with set_aside():
        open_and_close(at)
    after = contents(at.catalog).revision
    told = f"{at.catalog} is at revision {after}"
    if before not in (None, after):
        copies = [one.path for one in backups(at.catalog) if one.complete]
        told += f", it was at {before}; the backup is {', '.join(map(str, copies[:1]))}"
    context.config.print_stdout("%s", told)


def open_and_close(at: Place) -> None:
    """Open what the command is about, once, so that whatever an opening settles is settled.

    The catalog is upgraded first, under its lock, with its backup, in one transaction. Then, in
    a base, what killed processes left unfinished is ended, and the history of earlier versions
    that the catalog lists is imported. A catalog that is that of no base is only upgraded.
    """
    from hermes_checkpoints.catalog import Catalog
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.cli.importing import ImportProgress
    from hermes_checkpoints.cli.progress import new_bar

    if at.home is None and at.base is None:
        Catalog.open(at.catalog, at.lock).close()
    else:
        bar = new_bar()
        with bar.shown(), ImportProgress(bar) as reporter:
            Checkpoints.open(at.home, base=at.base, reporter=reporter, progress=bar).close()


def stamp(at: Place) -> None:
    """Write down the revision of a catalog that names none or a wrong one, under its lock."""
    from hermes_checkpoints.catalog.alembic_commands import definitions_of_revisions, stamping

    target = revision_asked_for()
    if target is None:
        raise CommandError("a catalog is stamped with one revision; alembic history lists them")
    with set_aside():
        known = definitions_of_revisions()
    with stamping(at.catalog, at.lock, target.revision, known) as connection:
        run(connection)


def downgrade(at: Place) -> None:
    """Say how to go back."""
    from hermes_checkpoints.catalog.backups import backups

    name = at.catalog.name
    copies = []
    if at.catalog.parent.is_dir():
        copies = [one.path.name for one in backups(at.catalog) if one.complete]
    raise CommandError(
        f"a catalog is never downgraded: restore the backup. Move {name}, {name}-wal and "
        f"{name}-shm in {at.catalog.parent} aside, and rename the backup to {name}; "
        + (f"there is {', '.join(copies)}" if copies else "but there is no backup")
    )


def look(at: Place) -> None:
    """Show Alembic the catalog: ``current``, ``check``, ``history -i``, ``revision``."""
    from hermes_checkpoints.catalog.alembic_commands import reading
    from hermes_checkpoints.catalog.schema import metadata

    with reading(at.catalog) as connection:
        run(connection, target_metadata=metadata)


def print_sql(command: str) -> None:
    """Print the statements of an upgrade, and on stderr what they are not."""
    from hermes_checkpoints.catalog.alembic_commands import statements

    if command != "upgrade":
        raise CommandError("only the statements of an upgrade can be printed")
    first, last = one_revision(context.get_starting_revision_argument()), revision_asked_for()
    if last is None:
        raise CommandError("give upgrade head --sql, or a part as upgrade FIRST:LAST --sql")
    with set_aside():
        done = statements(None if first is None else first.revision, last.revision)
    notes = [
        "These statements are for reading: they take no lock, make no backup and read no files.",
        "To upgrade a catalog, run alembic upgrade head.",
    ]
    print_out = context.config.print_stdout
    print_out("PRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;")
    for one in done:
        print_out("%s", f"\n-- revision {one.revision}")
        for statement in one.statements:
            print_out("%s", f"{statement};")
        found = context.script.get_revision(one.revision)
        left_out = getattr(getattr(found, "module", None), "NOT_IN_SQL", None)
        if left_out is None and one.reads:
            left_out = f"also works on rows of {', '.join(one.reads)}, which none of these has."
        if left_out is not None:
            notes.append(f"Revision {one.revision} {left_out}")
    print_out("\nCOMMIT;")
    print(*notes, sep="\n", file=sys.stderr)  # noqa: T201 - stdout is for the statements


# --- Alembic ------------------------------------------------------------------------------------


def revision_asked_for() -> Script | None:
    """Return the one revision that the command names, or None."""
    return one_revision(context.get_revision_argument())


def one_revision(named: str | tuple[str, ...] | None) -> Script | None:
    try:
        found = context.script.get_revisions(named or ())
    except CommandError:  # it names none, or is relative
        return None
    return found[0] if len(found) == 1 else None


@contextlib.contextmanager
def set_aside() -> Iterator[None]:
    """Let an opening run Alembic meanwhile, which keeps one context at a time, in its modules."""
    outer = context.get_context().environment_context
    assert outer is not None  # noqa: S101 - this file runs in one
    outer.__exit__()
    try:
        yield
    finally:
        outer.__enter__()


def answer() -> None:
    """Run the command that somebody gave to Alembic; what goes wrong ends it with the reason."""
    from hermes_checkpoints.catalog.failures import translated
    from hermes_checkpoints.errors import CheckpointError

    context.configure(dialect_name="sqlite")
    command: str = context.get_context().opts["fn"].__name__
    commands = {"upgrade": upgrade, "do_stamp": stamp, "downgrade": downgrade}
    try:
        at = place()
        with translated(at.catalog):
            if command != "downgrade" and context.is_offline_mode():
                print_sql(command)
            else:
                commands.get(command, look)(at)
    except CheckpointError as error:
        raise CommandError(str(error)) from error


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    answer()
