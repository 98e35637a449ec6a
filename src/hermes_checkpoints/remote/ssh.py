"""How git is told that ssh must ask nothing, without losing the ssh that the user has chosen.

Git takes the first of ``GIT_SSH_COMMAND``, ``core.sshCommand`` and ``GIT_SSH``, else ``ssh``. What
is found there gets the options of its kind (OpenSSH, or PuTTY's plink) behind its own words. A
command of another kind, as a wrapper script, takes who knows what, and stays as it is: it has no
terminal and nothing to read either, and ends at the time limit.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

_COMMAND, _PROGRAM, _VARIANT = "GIT_SSH_COMMAND", "GIT_SSH", "GIT_SSH_VARIANT"
_KINDS = {
    "ssh": "ssh",
    "plink": "plink",
    "tortoiseplink": "plink",
    "putty": "plink",
}
_PLINK_BATCH = "-batch"


def ssh_variables(
    environ: Mapping[str, str], settings: Mapping[str, str], seconds: int
) -> dict[str, str]:
    """Return the variables that let git's ssh ask nothing, and give up a connection that is not
    made within so many seconds. ``settings`` are the user's, by names in small letters.

    >>> ssh_variables({}, {}, 15)
    {'GIT_SSH_COMMAND': 'ssh -o BatchMode=yes -o ConnectTimeout=15'}
    >>> ssh_variables({"GIT_SSH_COMMAND": "ssh -i ~/.ssh/undo"}, {}, 15)
    {'GIT_SSH_COMMAND': 'ssh -i ~/.ssh/undo -o BatchMode=yes -o ConnectTimeout=15'}
    >>> ssh_variables({"GIT_SSH": "/opt/my ssh/plink"}, {}, 15)
    {'GIT_SSH_COMMAND': "'/opt/my ssh/plink' -batch"}
    >>> ssh_variables({"GIT_SSH": "/opt/wrapper"}, {}, 15)
    {}
    """
    command = environ.get(_COMMAND) or settings.get("core.sshcommand")
    if not command:
        program = environ.get(_PROGRAM)
        command = shlex.quote(program) if program else "ssh"
    kind = _kind(command, environ.get(_VARIANT) or settings.get("ssh.variant") or "")
    if kind == "ssh":
        return {_COMMAND: f"{command} -o BatchMode=yes -o ConnectTimeout={seconds}"}
    return {_COMMAND: f"{command} {_PLINK_BATCH}"} if kind == "plink" else {}


def _kind(command: str, named: str) -> str | None:
    """Return of which kind a command is: as it is named, else by the name of its program."""
    try:
        words = shlex.split(command)
    except ValueError:  # a quote that is not closed: the shell will say so
        return None
    if not words or re.search(r"[;&|<>#\n`]", command):  # no place to put an option
        return None
    if named and named.lower() != "auto":
        return _KINDS.get(named.lower())
    name = re.split(r"[/\\]", words[0])[-1].lower().removesuffix(".exe")
    return _KINDS.get(name)
