"""Makes an installed hermes-agent use this package, and takes that back.

Two switches, and no file of the agent: the name of our plugin in ``plugins.enabled`` of each
home's ``config.yaml``, which serves every session, and a few files in site-packages, which lead the
agent's programs to the stand-ins where they load no plugins (``environment``). All is planned
before anything is written. What was written is taken back where a later step fails, or where a
trial shows that the agent does not use this package.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import EllipsisType

from hermes_checkpoints.compat import environment, trial
from hermes_checkpoints.compat.environment import AGENT, COMMAND, TESTED
from hermes_checkpoints.compat.files import Change, contents, together
from hermes_checkpoints.compat.homes import Home, homes, named
from hermes_checkpoints.compat.plugin_list import (
    is_enabled_in,
    is_list_due,
    with_plugin,
    without_plugin,
)
from hermes_checkpoints.compat.record import Record
from hermes_checkpoints.errors import BadRequest, CheckpointError, LockHeld
from hermes_checkpoints.fs.file_lock import try_lock
from hermes_checkpoints.layout import Layout

_WAIT_SECONDS = 300.0
_POLL_SECONDS = 0.05

_BESIDE = (
    f"{COMMAND} is installed beside the agent, and is not meant to be: both have a program "
    f"`hermes`. Uninstall it (python -m pip uninstall {COMMAND}), then adopt again, which brings "
    "the agent's program back"
)

Trial = Callable[[], str | None]
"""Tells why the agent would not use this package, None where it would."""


@dataclass(frozen=True)
class HomeState:
    """How a home of the agent stands, or will stand: whether its configuration enables the plugin,
    whether that is a ``change``, and why the configuration was left as it is, if it was refused."""

    profile: str
    config: Path
    enabled: bool
    change: bool
    refused: str | None = None


@dataclass(frozen=True)
class Adopted:
    """How things stand. ``agent`` is the agent's version, "" where it is not installed, ``hook``
    the file in site-packages by which Python leads to the stand-ins; ``changed`` says whether this
    call did anything, or would with ``dry_run``; ``written`` and ``removed`` name each file.
    ``taken_in`` counts checkpoints that the agent's own modules took where this package had been
    used before."""

    agent: str
    hook: Path
    homes: tuple[HomeState, ...]
    changed: bool
    written: tuple[Path, ...] = ()
    removed: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    taken_in: int = 0
    dry_run: bool = False

    @property
    def tested(self) -> bool:
        """Whether this version of the agent is one that the stand-ins are made for."""
        return environment.is_tested(self.agent)

    @property
    def refused(self) -> tuple[HomeState, ...]:
        """The homes whose configuration was left as it is because of what it is."""
        return tuple(home for home in self.homes if home.refused is not None)


def adopt(
    home: str | os.PathLike[str] | None = None,
    *,
    profiles: Sequence[str] = (),
    force: bool = False,
    dry_run: bool = False,
    fault: Trial = trial.fault,
) -> Adopted:
    """Let the agent of this environment use our modules, and enable the plugin in its homes: the
    default one and that of every profile, or those of the ``profiles`` that are named.

    ``force`` takes a version of the agent that this package was not tested with. ``fault`` tries
    whether it works.

    Raises:
        BadRequest: when the agent is not installed beside this package, or of an untested version,
            when every configuration has a form that cannot be added to, or when the trial fails.
            Nothing is changed then.
        BaseUnwritable: when site-packages or a configuration cannot be written; as before.
        LockHeld: when another process adopts here for minutes.
    """
    version = environment.require_agent()
    if not environment.is_tested(version) and not force:
        raise BadRequest(
            f"{AGENT} {version} is another version than those that this package was tested with "
            f"({TESTED}x); nothing was changed. --force adopts it all the same"
        )
    with _alone():
        found = homes(home)
        chosen = named(found, profiles)
        record = Record.read()
        planned = [_planned(one, with_plugin, record) for one in chosen]
        if all(state.refused is not None for state, _ in planned):
            told = "; ".join(f"{state.config}: {state.refused}" for state, _ in planned)
            raise BadRequest(f"no configuration of the agent can be added to: {told}")
        files = [Change.of(path, content) for path, content in environment.startup_files().items()]
        warnings, mended = _program()
        configs = [change for _, change in planned if change is not None]
        changes = [*record.changes(), *files, *mended, *configs]
        states = tuple(state for state, _ in planned) + _others(found, chosen)
        try:
            done = _carried_out(version, states, changes, warnings, dry_run=dry_run, fault=fault)
        except BaseException:
            environment.forget_compiled()  # by a trial that failed
            raise
        if dry_run:
            return done
        environment.compile_startup()
    return _with_meantime(done)


def abandon(
    home: str | os.PathLike[str] | None = None,
    *,
    profiles: Sequence[str] = (),
    dry_run: bool = False,
) -> Adopted:
    """Let the agent use its own modules again, in all of its homes or in those of the ``profiles``
    that are named. Checkpoints stay where they are.

    Raises:
        BadRequest: when there is no such profile.
        BaseUnwritable, LockHeld: as for ``adopt``.
    """
    with _alone():
        found = homes(home)
        record = Record.read()
        elsewhere = tuple(
            Home("", Path(config).parent)
            for config in record.configs
            if Path(config).name == "config.yaml" and Path(config) not in {h.config for h in found}
        )
        chosen = named(found, profiles)
        if not profiles:  # those of other users are theirs
            chosen += tuple(one for one in elsewhere if os.access(one.config, os.W_OK))
        planned = [_planned(one, without_plugin, record, undo=True) for one in chosen]
        configs = [change for _, change in planned if change is not None]
        others = _others((*found, *elsewhere), chosen)
        changes = [*configs]
        if not any(state.enabled for state in others):
            gone = [*reversed(environment.startup_files()), *environment.compiled_files()]
            gone += [environment.record_file()]
            changes += [Change.of(path, None, optional=True) for path in gone]
        else:
            changes += record.changes()
        version = environment.agent_version() or ""
        states = tuple(state for state, _ in planned) + others
        return _carried_out(version, states, changes, [], dry_run=dry_run, fault=lambda: None)


def _carried_out(
    version: str,
    states: tuple[HomeState, ...],
    changes: Sequence[Change],
    warnings: Sequence[str],
    *,
    dry_run: bool,
    fault: Trial,
) -> Adopted:
    # Homes may share a configuration: one file, one change.
    wanted = list(dict.fromkeys(change for change in changes if change.changes))
    if not dry_run:
        with together(wanted) as left:
            why = fault()
            if why is not None:
                raise BadRequest(
                    f"the agent does not use this package: {why}. What was written for it was "
                    "taken back"
                )
        wanted = [change for change in wanted if change not in left]
        stay = [str(change.path) for change in left if change.after is None]
        if stay:
            # Another user's environment: what leads to the stand-ins asks each home.
            told = (
                f"{', '.join(stay)} cannot be removed by you, and stays: it does nothing in a home"
            )
            warnings = [*warnings, f"{told} in which the plugin is not enabled"]
    return Adopted(
        agent=version,
        hook=environment.startup_line(),
        homes=states,
        changed=bool(wanted),
        written=tuple(change.path for change in wanted if change.after is not None),
        removed=tuple(change.path for change in wanted if change.after is None),
        warnings=tuple(warnings),
        dry_run=dry_run,
    )


def _with_meantime(done: Adopted) -> Adopted:
    """Take in what the agent's own modules took since an earlier adoption was undone. A base that
    was never ours is taken in by its first opening."""
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.history.find import chains_in

    taken_in, warnings = 0, []
    for one in done.homes:
        layout = Layout.of(one.config.parent)
        if not (one.enabled and layout.catalog.is_file() and chains_in(layout.store)):
            continue
        try:
            with Checkpoints.open(layout.home) as checkpoints:
                found = checkpoints.import_legacy()
        except CheckpointError as error:
            warnings.append(f"what the agent's own modules took in {layout.base} waits: {error}")
        else:
            taken_in += found.checkpoints
            warnings += [f"not imported: {error}" for error in found.errors]
    return replace(done, taken_in=taken_in, warnings=(*done.warnings, *warnings))


def _others(found: Sequence[Home], chosen: Sequence[Home]) -> tuple[HomeState, ...]:
    """Return how the homes stand that were not chosen."""
    states = []
    for one in found:
        if one not in chosen:
            try:
                enabled = is_enabled_in(one.config)
            except OSError:
                enabled = False
            states.append(HomeState(one.profile, one.config, enabled, change=False))
    return tuple(states)


def _planned(
    home: Home,
    edited: Callable[[bytes], bytes],
    record: Record,
    *,
    undo: bool = False,
) -> tuple[HomeState, Change | None]:
    """Return how a home will stand, and the change of its configuration, if any."""
    try:
        target = Path(os.path.realpath(home.config))
        before = contents(target)
        after: bytes | None
        if undo:
            former = record.former(home.config, before)
            if isinstance(former, EllipsisType):
                former = before if before is None else edited(before)
            after = former
        else:
            if before is None or not is_enabled_in(target):
                _require_current(home, before)
            after = edited(before or b"")
            record.add(home.config, before, after)
        change = Change(target, before, after)
        if change.changes and before is not None and not os.access(target, os.W_OK):
            raise BadRequest("it is write-protected")
    except OSError as error:
        refused = f"it cannot be read ({error.strerror})"
        return HomeState(home.profile, home.config, False, change=False, refused=refused), None
    except BadRequest as error:
        refused = str(error)
        on = undo and is_enabled_in(home.config)
        return HomeState(home.profile, home.config, on, change=False, refused=refused), None
    state = HomeState(home.profile, home.config, enabled=not undo, change=change.changes)
    return state, change


def _require_current(home: Home, content: bytes | None) -> None:
    """Refuse a configuration in which the agent is about to list the plugins of the user."""
    own = [name for name in ("*/plugin.yaml", "*/plugin.yml") if any(_own_plugins(home, name))]
    if content is not None and own and is_list_due(content):
        command = f"hermes -p {home.profile} config migrate"
        raise BadRequest(
            "it is of an earlier version of the agent, which has yet to list your plugins there; "
            f"first: {command}",
            hint=command,
        )


def _own_plugins(home: Home, pattern: str) -> Iterator[Path]:
    return (home.folder / "plugins").glob(pattern)


def _program() -> tuple[list[str], list[Change]]:
    """Return what is wrong with the agent's program ``hermes``, and the change that mends it."""
    program = environment.agents_program()
    if environment.command_is_here():
        return [_BESIDE], []
    if program is None or environment.is_agents(program):
        return [], []
    text = environment.program_anew(program)
    told = f"{program} was not the agent's program any more; it is written as it was installed"
    return [told], [Change.of(program, text, 0o755)]


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Keep others from adopting here meanwhile. The lock is one on a file of this package, so that
    nothing is left where no adoption is.

    Raises:
        LockHeld: when another one holds it for minutes.
    """
    until = time.monotonic() + _WAIT_SECONDS
    try:
        descriptor = os.open(__file__, os.O_RDONLY)
    except OSError:  # a package in an archive: there is no environment to adopt
        yield
        return
    try:
        while not _locked(descriptor):
            if time.monotonic() > until:
                raise LockHeld("another process adopts the agent of this environment; try again")
            time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        return try_lock(descriptor, shared=False)
    except OSError:  # a file system without locks
        return True
