"""Which ssh git uses: the user's, with what lets it ask nothing where that can be said."""

from __future__ import annotations

import pytest

from hermes_checkpoints.remote.ssh import ssh_variables

BATCH = "-o BatchMode=yes -o ConnectTimeout=9"


@pytest.mark.parametrize(
    ("environ", "settings", "command"),
    [
        ({}, {}, f"ssh {BATCH}"),
        ({"GIT_SSH_COMMAND": "ssh -F none"}, {"core.sshcommand": "x"}, f"ssh -F none {BATCH}"),
        ({"GIT_SSH_COMMAND": ""}, {}, f"ssh {BATCH}"),
        ({}, {"core.sshcommand": "/usr/bin/ssh -i k"}, f"/usr/bin/ssh -i k {BATCH}"),
        ({"GIT_SSH": "/opt/a b/ssh"}, {"core.sshcommand": "ssh"}, f"ssh {BATCH}"),
        ({"GIT_SSH": "/opt/a b/ssh"}, {}, f"'/opt/a b/ssh' {BATCH}"),
        ({"GIT_SSH": "C:\\PuTTY\\plink.exe"}, {}, "'C:\\PuTTY\\plink.exe' -batch"),
        ({"GIT_SSH_COMMAND": "TortoisePlink.exe"}, {}, "TortoisePlink.exe -batch"),
        ({"GIT_SSH": "/opt/wrapper"}, {"ssh.variant": "ssh"}, f"/opt/wrapper {BATCH}"),
        ({"GIT_SSH": "/opt/wrapper", "GIT_SSH_VARIANT": "plink"}, {}, "/opt/wrapper -batch"),
        ({"GIT_SSH_VARIANT": "auto"}, {"ssh.variant": "plink"}, f"ssh {BATCH}"),
        ({"GIT_SSH_COMMAND": "/opt/wrapper"}, {}, None),
        ({"GIT_SSH_COMMAND": "ssh", "GIT_SSH_VARIANT": "simple"}, {}, None),
        ({"GIT_SSH_COMMAND": "ssh -i 'k"}, {}, None),
        ({"GIT_SSH_COMMAND": "ssh -i k # mine"}, {}, None),
        ({"GIT_SSH_COMMAND": "ssh; true"}, {"ssh.variant": "ssh"}, None),
        ({}, {"core.sshcommand": "FOO=1 ssh"}, None),
    ],
)
def test_the_users_ssh_is_used_and_told_to_ask_nothing(
    environ: dict[str, str], settings: dict[str, str], command: str | None
) -> None:
    expected = {} if command is None else {"GIT_SSH_COMMAND": command}
    assert ssh_variables(environ, settings, 9) == expected
