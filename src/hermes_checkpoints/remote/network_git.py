"""Git that talks to the network, beside the one of the store, which never does.

It is given what a person's git has: the home with its configuration, credential helpers, the agent
and keys of ssh, proxies, and whatever else these may read from the environment. It is not given
what git itself would obey from there, but for the ssh to use and the certificates to trust. It runs
in a repository of this package, never in a working directory, so that no file of a project has a
say in where it goes or what it runs.

It asks nobody: there is no terminal, nothing to read, no askpass program and no window. It ends,
and all that it has started with it, when nothing comes of it for the time limit of the
configuration. It uses the protocols that the configuration lists, follows no redirection, and goes
to one address.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.git import Git
from hermes_checkpoints.git_program import trusted_path
from hermes_checkpoints.remote.failures import failure, silence
from hermes_checkpoints.remote.pushed import Answer, PushedRef, outcomes
from hermes_checkpoints.remote.ssh import ssh_variables
from hermes_checkpoints.remote.words import hidden, redacted_url, said, secrets_of
from hermes_checkpoints.remote_config import RemoteConfig

MOST_REFS = 200
"""How many refs are changed at once: servers limit those of one push."""

_OWN = frozenset(
    (
        *("PATH", "LC_ALL", "LANG", "LANGUAGE", "PWD", "OLDPWD", "TMPDIR", "GLIBC_TUNABLES"),
        # What would open a window or a terminal, to ask for a password:
        *("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY", "GPG_TTY"),
    )
)
"""What is not taken from the environment beside git's own variables: it has values of ours."""
_KEPT = frozenset(
    (
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
        *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND"),
        *("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_SSL_VERSION"),
        *("GIT_PROXY_SSL_CAINFO", "GIT_PROXY_SSL_CERT", "GIT_PROXY_SSL_KEY"),
        "GIT_HTTP_PROXY_AUTHMETHOD",
    )
)
"""The variables of git that are taken: its settings, ssh and certificates."""
_NOT_ASKED = (
    *("hasDotgit", "gitmodulesBlob", "gitmodulesLarge", "gitmodulesMissing", "gitmodulesName"),
    *("gitmodulesParse", "gitmodulesPath", "gitmodulesSymlink", "gitmodulesUpdate"),
    *("gitmodulesUrl", "gitattributesBlob", "gitattributesLarge", "gitattributesLineLength"),
    "gitattributesMissing",
)
"""What git need not look for in objects that come in: files that a project may have, such as
``git~1`` or a `.gitmodules` of any contents, and which nothing here obeys. One of them would keep
back all that is on the remote. Who brings contents looks for ``.git`` itself."""
_SETTINGS = {
    "core.askPass": "",
    "credential.interactive": "false",
    "fetch.fsckObjects": "true",
    **dict.fromkeys((f"fetch.fsck.{check}" for check in _NOT_ASKED), "ignore"),
    "fetch.prune": "false",
    "fetch.pruneTags": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "maintenance.auto": "false",
    "protocol.version": "2",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "push.pushOption": "",
    "push.recurseSubmodules": "no",
    "transfer.bundleURI": "false",
}
"""What holds whatever the user has configured: settings of a user would send more than was asked,
sign with a key that asks for its password, or ask by themselves."""
_ASKED = (
    r"^(core\.sshcommand|ssh\.variant|url\..*\.(insteadof|pushinsteadof)"
    r"|http\.(proxy|proxyauthmethod|proxysslcainfo|sslbackend|sslcainfo|sslcapath))$"
)
"""The settings of the user that are asked for: which ssh it is (``ssh.py``), addresses that may
hold passwords (``words.py``), how a server is reached and trusted (``anonymous.py``)."""
_LONGEST_CONNECT = 15
_CHANGES = "sending to"
_READS = "reading from"


@dataclass(frozen=True)
class RefChange:
    """What a push is to do with one ref of the remote.

    ``commit`` is where it is to be, None where it is to go. ``expected`` is where it must be now,
    "" where it must not be there, and None where it is only made, or moved forward. With it the
    server compares, so that nothing of somebody else's is overwritten.
    """

    ref: str
    commit: str | None
    expected: str | None = None

    @property
    def lease(self) -> str | None:
        """The option that compares. No ``+`` stands in the refspec, which would switch it off."""
        return None if self.expected is None else f"--force-with-lease={self.ref}:{self.expected}"

    @property
    def refspec(self) -> str:
        """What git is told to send."""
        return f"{self.commit or ''}:{self.ref}"


@dataclass(frozen=True)
class NetworkGit:
    """Git for one address. ``shown`` is what may be shown of that, which itself may not.

    ``longest`` is the limit of one call in seconds, however much comes of it. ``settings`` are some
    of the user's, by names in small letters.
    """

    git: Git = field(repr=False)
    url: str = field(repr=False)
    longest: float
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        git: Git,
        config: RemoteConfig,
        url: str,
        *,
        longest: float = 3600.0,
        barred: Iterable[str] = (),
    ) -> NetworkGit:
        """Make one that works in the repository of ``git``, under its locks, for an address that
        ``RemoteConfig.address`` gave. It finds no program below the folders ``barred``, such as an
        ssh or a credential helper: who can write there would get what these are told.

        Runs one process, which reads settings of the user.

        Raises:
            GitMissing, GitFailed: the latter where the user's configuration cannot be read.
        """
        variables = network_variables(os.environ, config, str(git.repository / "nowhere"))
        found = replace(
            git.of_objects(),
            timeout=float(config.timeout_seconds),
            unblock=None,
            variables={
                **git.variables,
                **variables,
                "PATH": trusted_path(git.repository.parent, *barred),
            },
        )
        settings = _settings(found)
        seconds = min(config.timeout_seconds, _LONGEST_CONNECT)
        ssh = ssh_variables(os.environ, settings, seconds)
        others = [name.partition(".")[2].rpartition(".")[0] for name in settings]
        return cls(
            replace(found, variables={**found.variables, **ssh}),
            url,
            max(longest, found.timeout),
            secrets_of(url, *others),
            settings,
        )

    def with_settings(self, settings: Mapping[str, str]) -> NetworkGit:
        """Return the same with more settings of git, which stand in no file."""
        known = self.git.variables
        first = int(known.get("GIT_CONFIG_COUNT") or 0)
        more = settings_as_variables(settings, first)
        return replace(self, git=replace(self.git, variables={**known, **more}))

    @property
    def shown(self) -> str:
        """The address without what gives access."""
        return redacted_url(self.url)

    def effective_url(self) -> str:
        """Return the address that git reads from, after ``url.<base>.insteadOf`` of the user. It
        may hold a password: ``words.redacted_url`` is for showing it.

        Raises:
            RemoteFailed: where git does not tell.
        """
        status, output, words = self.git.talk("ls-remote", "--get-url", "--", self.url)
        if status:
            raise failure("the address of", self.shown, self.said(words))
        return os.fsdecode(output).removesuffix("\n")

    def refs(self, *patterns: str) -> dict[str, str]:
        """Return the refs of the remote with their ids; with patterns, those that match one, as
        git-ls-remote(1) has them.

        Raises:
            RemoteFailed: or what it is in particular.
            GitMissing, LockLost.
        """
        found: dict[str, str] = {}
        for line in self.run("ls-remote", "--refs", "--", self.url, *patterns).splitlines():
            object_id, _, name = line.partition(b"\t")
            found[name.decode("utf-8", "surrogateescape")] = object_id.decode("ascii", "replace")
        return found

    def run(self, *arguments: str, sends: bool = False) -> bytes:
        """Run a command with the remote, whose address is among the arguments, and return its
        output. One that may take long says ``--progress``: it then counts as silent only when it
        gets no further.

        Raises:
            RemoteFailed: or what it is in particular.
            GitMissing, LockLost.
        """
        status, output, words = self._talk(*arguments, sends=sends)
        if status:
            raise failure(_CHANGES if sends else _READS, self.shown, self.said(words))
        return output

    def push(self, changes: Sequence[RefChange], *options: str) -> dict[str, PushedRef]:
        """Change refs of the remote, each by itself; return what became of each, by its name.

        Raises:
            RemoteFailed: or what it is in particular, where none of them was even looked at.
            GitMissing, LockLost.
        """
        leases = [change.lease for change in changes if change.lease is not None]
        specs = [change.refspec for change in changes]
        command = ("push", "--porcelain", "--progress", "--no-verify", *options, *leases, "--")
        status, output, words = self._talk(*command, self.url, *specs, sends=True)
        if status not in (0, 1):
            raise failure(_CHANGES, self.shown, self.said(words))
        found = outcomes(output, [change.ref for change in changes])
        if status and all(one.answer is Answer.UNTOLD for one in found.values()):
            raise failure(_CHANGES, self.shown, self.said(words))
        return {
            ref: one
            if one.is_there or one.is_gone
            else replace(one, words=one.words + b"\n" + words)
            for ref, one in found.items()
        }

    def said(self, words: bytes) -> str:
        """Return words of git or the server as they may be shown."""
        return said(words, self.secrets)

    def _talk(self, *arguments: str, sends: bool = False) -> tuple[int, bytes, bytes]:
        what = _CHANGES if sends else _READS
        try:
            return self.git.talk(*arguments, limit=self.longest)
        except GitTimedOut as error:
            raise silence(what, self.shown, str(error)) from None
        except GitFailed as error:
            raise failure(what, self.shown, hidden(str(error), self.secrets)) from None


def network_variables(
    environ: Mapping[str, str], config: RemoteConfig, nowhere: str
) -> dict[str, str | None]:
    """Return the variables by which git differs from that of the store; None for those that it does
    not have. ``nowhere`` is a path at which nothing is."""
    taken: dict[str, str | None] = {
        name: value
        for name, value in environ.items()
        if name in _KEPT or (name not in _OWN and not name.startswith("GIT_"))
    }
    missing = ("HOME", "XDG_CONFIG_HOME", *(name for name in _KEPT if "CONFIG" in name))
    settings = {**_SETTINGS, "core.hooksPath": nowhere}
    ours: dict[str, str | None] = {
        "GIT_ALLOW_PROTOCOL": ":".join(config.protocols),
        "GIT_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GCM_INTERACTIVE": "never",
    }
    return {
        **dict.fromkeys(name for name in missing if name not in environ),
        **taken,
        **ours,
        **settings_as_variables(settings),
    }


def settings_as_variables(settings: Mapping[str, Any], first: int = 0) -> dict[str, str]:
    """Return settings in the form in which git and all that it starts have them, after the
    ``first`` ones that it has already."""
    found = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (name, value) in enumerate(settings.items(), first):
        found[f"GIT_CONFIG_KEY_{number}"] = name
        found[f"GIT_CONFIG_VALUE_{number}"] = value
    return found


def _settings(git: Git) -> dict[str, str]:
    """Return some settings of the user, by name; of several values the last one holds."""
    try:
        _, output = git.counting("config", "--null", "--get-regexp", _ASKED, most=1)
    except GitTimedOut:
        raise
    except GitFailed as error:
        raise GitFailed(
            f"your configuration of git cannot be read, which the remote needs ({error}); correct "
            "it until `git config --list` does not fail"
        ) from error
    found: dict[str, str] = {}
    for record in output.split(b"\0"):
        name, _, value = os.fsdecode(record).partition("\n")
        if name:
            found[name] = value
    return found
