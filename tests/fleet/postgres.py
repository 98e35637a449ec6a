"""A real PostgreSQL on loopback, with a data directory of its own, that ends with the tests.

The server comes from PATH, from where Debian puts it, or from Debian's package, which is unpacked
into the test's own folder. It refuses to run as root; then it runs as ``nobody``.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

OWNER, PASSWORD = "owner", "correct-horse"
USER = "nobody"
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "jit": "off",
    "max_connections": "50",
    "max_wal_size": "512MB",
    "log_lock_waits": "on",
}


class NoPostgres(Exception):
    """No server can be had; the message says what was tried."""


@dataclass(frozen=True)
class Programs:
    """Where ``initdb`` and ``postgres`` are, and what they need in the environment."""

    folder: Path
    environment: dict[str, str]


@dataclass(frozen=True)
class Server:
    """A server that runs: where it listens, and the process."""

    port: int
    socket_folder: Path
    process: subprocess.Popen[bytes]
    log: Path

    def url(self, name: str, user: str = OWNER, password: str | None = PASSWORD) -> str:
        """Return the address of a database as SQLAlchemy has them."""
        given = user if password is None else f"{user}:{password}"
        return f"postgresql+psycopg://{given}@127.0.0.1:{self.port}/{name}"

    def connect(self, name: str = "postgres", **options: Any) -> psycopg.Connection[Any]:
        """Return a connection as the administrator, by the socket."""
        return psycopg.connect(
            host=str(self.socket_folder),
            port=self.port,
            dbname=name,
            user="admin",
            autocommit=True,
            **options,
        )


def find(folder: Path) -> Programs:
    """Return the programs of a server; what must be unpacked goes into ``folder``."""
    tried = []
    found = shutil.which("postgres")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places += [Path("/usr/local/bin"), Path("/usr/local/pgsql/bin")]
    for place in places:
        if all(os.access(place / name, os.X_OK) for name in ("postgres", "initdb")):
            return Programs(place, {})
        tried.append(str(place))
    try:
        return unpacked(folder)
    except (OSError, subprocess.CalledProcessError, NoPostgres) as error:
        raise NoPostgres(
            f"no PostgreSQL: not on PATH, not in {', '.join(tried)}; Debian's package: {error}"
        ) from error


def unpacked(folder: Path) -> Programs:
    """Return the programs of Debian's package, with the libraries that it needs, unpacked."""
    listed = _run("apt-cache", "search", "--names-only", "^postgresql-[0-9]+$")
    versions = sorted(int(one) for one in re.findall(r"^postgresql-(\d+) ", listed, re.M))
    if not versions:
        raise NoPostgres("apt knows no package postgresql-N")
    name = f"postgresql-{versions[-1]}"
    needed = _run("apt-cache", "depends", "--no-recommends", "--no-suggests", name)
    libraries = re.findall(r"^ *Depends: (lib[\w.+-]+)$", needed, re.M)
    debs, root = folder / "debs", folder / "root"
    debs.mkdir(parents=True)
    _run("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", name, *libraries, at=debs)
    for deb in sorted(debs.glob("*.deb")):
        _run("dpkg-deb", "--extract", str(deb), str(root))
    shutil.rmtree(debs)
    library = next((root / "usr/lib").glob("*-linux-gnu*"))
    bin_ = next((root / "usr/lib/postgresql").glob("*/bin"))
    return Programs(bin_, {"LD_LIBRARY_PATH": str(library)})


@contextmanager
def server() -> Iterator[Server]:
    """Run a server for a block."""
    folder = Path(tempfile.mkdtemp(prefix="fleet-")).resolve()
    try:
        folder.chmod(0o755)
        programs = find(folder / "unpacked")
        with _running(folder, programs) as running:
            yield running
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(folder: Path, programs: Programs) -> Iterator[Server]:
    own = folder / "own"
    own.mkdir(mode=0o700)
    (own / "password").write_text(PASSWORD)
    options: dict[str, Any] = {}
    if os.getuid() == 0:
        try:
            user = pwd.getpwnam(USER)
        except KeyError:
            raise NoPostgres(f"we are root, and there is no user {USER}") from None
        for path in (own, own / "password"):
            os.chown(path, user.pw_uid, user.pw_gid)
        options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    environment = {
        "PATH": os.defpath,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        **programs.environment,
    }
    data = own / "data"
    made = subprocess.run(
        [
            *(str(programs.folder / "initdb"), "-D", str(data), "-U", "admin", "-E", "UTF8"),
            *("--locale=C.UTF-8", "--auth-local=trust", "--auth-host=scram-sha-256"),
            *("--pwfile", str(own / "password"), "--no-sync"),
        ],
        env=environment,
        cwd=own,
        capture_output=True,
        check=False,
        **options,
    )
    if made.returncode:
        raise NoPostgres(f"initdb of {programs.folder} failed: {made.stderr.decode()}")
    port = _free_port()
    settings = {
        **_SETTINGS,
        "port": str(port),
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": str(own),
    }
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *(str(programs.folder / "postgres"), "-D", str(data)),
                *(word for one in settings.items() for word in ("-c", "=".join(one))),
            ],
            env=environment,
            cwd=own,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **options,
        )
    running = Server(port, own, process, log)
    try:
        _await(running)
        with running.connect() as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")
        yield running
    finally:
        process.send_signal(signal.SIGINT)  # fast: it ends connections
        process.wait(30)


def _await(running: Server) -> None:
    """Wait until the server answers; each attempt waits by itself."""
    for _ in range(600):
        if running.process.poll() is not None:
            raise NoPostgres(f"postgres ended: {running.log.read_text()}")
        try:
            running.connect(connect_timeout=2).close()
        except psycopg.OperationalError:
            running.process.poll()
            _pause()
        else:
            return
    raise NoPostgres(f"postgres does not answer: {running.log.read_text()}")


def _pause() -> None:
    """Let the server get on: a process of our own takes some milliseconds."""
    subprocess.run(["true"], check=False)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _run(*words: str, at: Path | None = None) -> str:
    done = subprocess.run([*words], cwd=at, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NoPostgres(f"{' '.join(words[:3])} failed: {' '.join(said[-2:])}")
    return done.stdout.decode(errors="replace")
