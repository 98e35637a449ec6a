"""Git servers for tests: bare repositories in a folder, over http on loopback, and through an ssh
that runs here. Git itself serves them each time."""

from __future__ import annotations

import enum
import os
import shlex
import shutil
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PASSWORD = "tellnobody"  # noqa: S105 - of a server on loopback


def bare(folder: Path, *settings: tuple[str, str]) -> Path:
    """Make a bare repository that takes pushes, also over http, and return its folder."""
    git("init", "-q", "--bare", str(folder))
    for name, value in (("http.receivepack", "true"), *settings):
        git("config", name, value, at=folder)
    return folder


def git(*words: str, at: Path | None = None, stdin: bytes = b"") -> str:
    """Run git in a repository, as its administrator, and return what it printed."""
    where = {} if at is None else {"GIT_DIR": str(at)}
    done = subprocess.run(
        ["git", *words], env={**os.environ, **where}, input=stdin, capture_output=True, check=False
    )
    assert done.returncode == 0, done
    return done.stdout.decode()


def refs_of(repository: Path) -> dict[str, str]:
    """Return the refs of a repository with their ids."""
    lines = git("for-each-ref", "--format=%(refname) %(objectname)", at=repository).splitlines()
    return dict(line.split() for line in lines)


def refuse(repository: Path, words: str = "not today") -> None:
    """Let a repository take no push, by a hook that says so."""
    _hook(repository, f"echo {shlex.quote(words)} >&2; exit 1")


def allow(repository: Path) -> None:
    """Take that back."""
    (repository / "hooks/pre-receive").unlink()


def limit(repository: Path, size: int) -> None:
    """Let a repository take no push of more bytes, as a full disk or a quota does: git finds out
    while it writes, and the pack is gone."""
    git("config", "receive.maxInputSize", str(size), at=repository)


def _hook(repository: Path, script: str) -> None:
    hook = repository / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    hook.chmod(0o755)


class Manner(enum.Enum):
    """How a server on loopback treats whoever comes."""

    OPEN = "answers everybody"
    PRIVATE = "answers who knows the password, and others with 401"
    CLOSED = "answers everybody with 401"
    SILENT = "takes the request and answers nothing"
    ELSEWHERE = "sends everybody to another address"


@dataclass(frozen=True)
class Request:
    """What a server was asked."""

    method: str
    path: str
    headers: dict[str, str]


@dataclass
class HttpServer:
    """A server on loopback for the repositories in a folder. ``requests`` has what it was asked,
    and ``manner`` may be changed at any time."""

    root: Path
    address: str
    manner: Manner = Manner.OPEN
    elsewhere: str = ""
    requests: list[Request] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def url(self, name: str, user: str = "") -> str:
        """Return the address of a repository; ``user``, as in ``me:secret``, is part of it."""
        return f"http://{f'{user}@' if user else ''}{self.address}/{name}"


@contextmanager
def http_server(root: Path) -> Iterator[HttpServer]:
    """Serve the bare repositories in a folder over http, until the end of the block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as listening:
        served = HttpServer(root, f"127.0.0.1:{listening.server_address[1]}")
        listening.served = served  # type: ignore[attr-defined]
        listening.daemon_threads = False
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield served
        finally:
            served.closing.set()
            listening.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One request, which ``git http-backend`` answers as the CGI that it is."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def _answer(self) -> None:
        served: HttpServer = self.server.served  # type: ignore[attr-defined]
        body = self._body()
        served.requests.append(Request(self.command, self.path, dict(self.headers)))
        wanted = f"Basic {b64encode(f'me:{PASSWORD}'.encode()).decode()}"
        is_let_in = served.manner is Manner.OPEN or self.headers["Authorization"] == wanted
        if served.manner is Manner.SILENT:
            served.closing.wait()
            self.close_connection = True
        elif served.manner is Manner.ELSEWHERE:
            self._short(301, ("Location", f"{served.elsewhere}{self.path}"))
        elif served.manner is Manner.CLOSED or not is_let_in:
            self._short(401, ("WWW-Authenticate", 'Basic realm="undo"'))
        else:
            self._serve(served, body)

    def _short(self, status: int, header: tuple[str, str]) -> None:
        self.send_response(status)
        self.send_header(*header)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _serve(self, served: HttpServer, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            capture_output=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(served.root),
                "GIT_PROJECT_ROOT": str(served.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers["Content-Type"] or "",
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers["Content-Encoding"] or "",
                "HTTP_GIT_PROTOCOL": self.headers["Git-Protocol"] or "",
                "GIT_PROTOCOL": self.headers["Git-Protocol"] or "",
                "REMOTE_ADDR": "127.0.0.1",
            },
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode("ascii").split("\r\n") if line]
        status = next((int(v.split()[0]) for n, v in headers if n == "Status"), 200)
        self.send_response(status)
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def ssh_here(folder: Path, name: str = "ssh") -> Path:
    """Put a program into a folder that does what ssh does with a host where this machine is every
    host, and return it. What it was called with is in the file ``calls`` beside it, one call a
    line, with what its standard input is."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    calls = shlex.quote(str(folder / "calls"))
    program.write_text(
        "#!/bin/sh\n"
        f'{{ printf "%s " "$@"; readlink /proc/self/fd/0; }} >>{calls}\n'
        'case "$1" in -G) exit 0;; esac\n'
        'for last in "$@"; do :; done\n'
        'exec sh -c "$last"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


def first_on_path(folder: Path) -> str:
    """Return a PATH on which the programs of a folder come first."""
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def real_git() -> str:
    """Return the path of git."""
    found = shutil.which("git")
    assert found, "the tests need git"
    return found
