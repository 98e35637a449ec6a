"""Whether a repository can be read by anybody: asked once, with nothing that gives access."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from hermes_checkpoints.errors import CheckpointError, GitFailed, RemoteDenied, RemoteUnreachable
from hermes_checkpoints.git import Git
from hermes_checkpoints.remote.failures import failure
from hermes_checkpoints.remote.network_git import NetworkGit, settings_as_variables
from hermes_checkpoints.remote_config import RemoteConfig

_USER = re.compile(r"(https?://)[^/]*@")
_PROXIES = re.compile(r"(?:https?|all|no)_proxy", re.IGNORECASE)
_CERTIFICATES = ("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_SSL_CAINFO")
_NOT_FOUND = re.compile(r"not found|returned error: 404")


def is_readable_by_anybody(
    git: Git, network: NetworkGit, config: RemoteConfig, url: str
) -> bool | None:
    """Tell whether an address of http or https can be read without a password; None where that
    cannot be told. ``git`` is one that has neither the home nor the configuration of the user: so
    there are no credential helpers, no ``.netrc``, no certificates of a person, no headers. Of the
    user it has proxies, and which servers are trusted.
    """
    settings = {
        "http.followRedirects": "false",
        **{name: value for name, value in network.settings.items() if name.startswith("http.")},
    }
    environment: dict[str, str | None] = {
        name: value
        for name, value in os.environ.items()
        if _PROXIES.fullmatch(name) or name in _CERTIFICATES
    }
    asking = replace(
        git,
        timeout=network.git.timeout,
        variables={
            **environment,
            "GIT_ALLOW_PROTOCOL": ":".join(config.protocols),
            **settings_as_variables(settings),
        },
    )
    try:
        status, _, words = asking.talk("ls-remote", "--", _USER.sub(r"\1", url, count=1), "HEAD")
    except GitFailed:
        return None
    if status == 0:
        return True
    told = network.said(words)
    error: CheckpointError = failure("reading from", network.shown, told)
    hidden = isinstance(error, RemoteUnreachable) and _NOT_FOUND.search(told)
    return False if isinstance(error, RemoteDenied) or hidden else None
