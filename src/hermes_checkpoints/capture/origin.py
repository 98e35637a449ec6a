"""Finds which repository a working directory belongs to, and where in it, so that the checkpoints
of one project can meet that several machines take.

The configuration of a project is read and never obeyed: whoever can write in the project can write
there. Git is given its bytes, and follows nothing that they name.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from urllib.parse import unquote

from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.fs.inspect import small_contents
from hermes_checkpoints.fs.repository import Repository
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Origin

_MOST_CONFIG = 1 << 20
_MOST_URL = 2048
_PORTS = {
    "ssh": "22",
    "git+ssh": "22",
    "ssh+git": "22",
    "http": "80",
    "https": "443",
    "git": "9418",
}
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)", re.DOTALL)
_SCP = re.compile(r"(?:[^/\[]*@)?(\[[^/\]]*\]|[^/:@\[\]]+):([^?#]*)", re.DOTALL)
_HOST = re.compile(r"[\w.-]+|\[[0-9a-f:.]+\]")
_OF_ONE_MACHINE = re.compile(r"localhost|127\.[0-9.]*|0\.0\.0\.0|\[::1?\]")


def origin_of(git: Git, repository: Repository, directory: Path, known: Origin) -> Origin:
    """Return where a resolved directory lies in its repository. ``known`` is what was found
    before: while the configuration is the same, no process is started. ``git`` runs elsewhere than
    in that repository.
    """
    subdirectory = repository.subdirectory(directory)
    contents = small_contents(repository.config, _MOST_CONFIG)
    digest = hashlib.sha256(contents).hexdigest()
    if known.config == digest:
        return Origin(known.repository, subdirectory, digest)
    if not contents:
        return Origin(None, subdirectory, digest)
    asked = "config", "--file", "-", "--no-includes", "--null", "--get-all", "remote.origin.url"
    try:
        urls = git.run(*asked, stdin=contents).split(b"\0")
    except GitTimedOut:
        return Origin(None, subdirectory, None)  # the next take asks again
    except GitFailed:  # there is none, or git cannot read it
        urls = [b""]
    return Origin(repository_name(os.fsdecode(urls[0])), subdirectory, digest)


def repository_name(url: str) -> str | None:
    """Return the normal form of the URL of a repository, in which its ssh, https and git forms are
    one: ``host/path`` with the host in lower case, and a port where it is not the usual one. User,
    password, query and ``.git`` are cut. None for what only one machine understands (a path, a
    ``file:`` URL, ``localhost``, an address for a remote helper) and for what is no URL.

    The forms are those of git-fetch(1), section GIT URLS.

    >>> repository_name("git@GitHub.com:org/app.git")
    'github.com/org/app'
    >>> repository_name("https://me:secret@github.com/org/app?token=abc")
    'github.com/org/app'
    >>> repository_name("ssh://git@example.org:2222/app.git/")
    'example.org:2222/app'
    >>> repository_name("/srv/app.git") is None
    True
    """
    url = url.strip()
    if not url or len(url) > _MOST_URL or not url.isprintable():
        return None
    found = _URL.match(url)
    if found is not None:
        scheme = found[1].lower()
        if scheme == "file":
            return None
        path = unquote(found[3], errors="surrogateescape")
        return _name(found[2].rpartition("@")[2], path, scheme)
    found = _SCP.match(url)
    if found is None or found[2].startswith(":") or _is_drive(url):
        return None
    place, path = found[1], found[2]
    if place.startswith("[") and place.count(":") < 2:  # [host:port], as git allows it here
        place = place[1:-1].rpartition("@")[2]
    return _name(place, path, "ssh")


def _name(place: str, path: str, scheme: str) -> str | None:
    host, port = place.lower(), ""
    if ":" in host.rpartition("]")[2]:
        host, _, port = host.rpartition(":")
    host = host.rstrip(".")
    path = re.sub("/+", "/", path).strip("/").removesuffix(".git").rstrip("/")
    sound = _HOST.fullmatch(host) and (not port or (port.isascii() and port.isdecimal()))
    # An "@" in a path may be what ends a password that was typed with a "/" or ":" in it, and a "?"
    # that was written as %3F begins a query.
    if not sound or not path or not path.isprintable() or "@" in path[1:] or "?" in path:
        return None
    if _OF_ONE_MACHINE.fullmatch(host):
        return None
    return f"{host}{f':{port}' if port not in ('', _PORTS.get(scheme)) else ''}/{path}"


def _is_drive(url: str) -> bool:
    """Tell whether it is a path of Windows."""
    return len(url) > 1 and url[0].isalpha() and url[1] == ":"
