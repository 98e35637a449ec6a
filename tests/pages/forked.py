"""Lets programs that a shell starts be forks of a process that has loaded what they need: pages
start ``hermes`` dozens of times, and each start would cost a third of a second of imports."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from interpreters import fork

FORKED = {
    "hermes": "import sys; from hermes_checkpoints.cli import hermes; sys.exit(hermes())",
    "alembic": "import sys; from alembic.config import main; sys.exit(main(prog='alembic'))",
}
"""What the scripts of these names do."""

_CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    asked = json.dumps([{name!r}, sys.argv[1:], dict(os.environ), os.getcwd()])
    socket.send_fds(server, [asked.encode() + b"\\0"], [0, 1, 2])
    sys.exit(int(server.recv(9)))
"""


@contextmanager
def serving(folder: Path) -> Iterator[None]:
    """Make a folder with the programs, which work as long as the block lasts."""
    folder.mkdir()
    address = str(folder / "socket")
    for name in FORKED:
        script = _CLIENT.format(python=sys.executable, address=address, name=name)
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        thread = threading.Thread(target=_serve, args=(listening,))
        thread.start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listening: socket.socket) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:  # the block has ended
            return
        with client:
            asked, (read, write, errors), *_ = socket.recv_fds(client, 1 << 16, 3)
            while not asked.endswith(b"\0"):
                asked += client.recv(1 << 16)
            name, words, environment, folder = json.loads(asked[:-1])
            code = fork(FORKED[name], words, environment, (read, write, errors), folder)
            with contextlib.suppress(OSError):  # who asked is gone
                client.sendall(b"%d" % code)
