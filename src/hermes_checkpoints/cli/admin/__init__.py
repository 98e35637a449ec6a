"""``admin``: shows the catalog in a browser, which can only read it, until it is ended.

The pages are Datasette's (``pages``). They are served to this machine alone, and there to
whoever has the link that is printed (``access``). No browser is started: the link would stand
on a command line, which every user of the machine can read.
"""

from __future__ import annotations

import argparse
import errno
import socket
import threading
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hermes_checkpoints.cli.admin.access import HOST, Access
from hermes_checkpoints.cli.ending import until_ended
from hermes_checkpoints.cli.exits import Exit, without_extra
from hermes_checkpoints.cli.output import document_line, flush, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import layout_of, opened
from hermes_checkpoints.errors import PROGRAM, BadRequest, CheckpointError
from hermes_checkpoints.layout import Layout

if TYPE_CHECKING:
    from types import ModuleType

_LAST_SECONDS = 2
"""How long an answer that is being made may go on when all is to end."""
_AGAIN_SECONDS = 0.1
"""How often queries are interrupted then, of which one may just begin."""


def register(verbs: Verbs) -> None:
    """Add ``admin``."""
    parser = verbs.add(
        "admin", run, "Show the catalog in a browser, which can only read it", base=True
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=0,
        metavar="N",
        help="the port of this machine on which it is shown (default: one that is free)",
    )


def run(args: argparse.Namespace) -> int:
    """Serve the pages until a signal ends it."""
    library = _library()
    layout = layout_of(args)
    _require_base(layout)
    with opened(args) as checkpoints, _listening(args.port) as listening, until_ended() as ended:
        access = Access(listening.getsockname()[1], library.NAME)
        with (
            closing(library.Pages(checkpoints, layout.catalog, access.root)) as pages,
            closing(_Server(access.guard(pages.app), listening, ended, pages.stop)),
        ):
            if args.json:
                document_line({"url": access.link})
            else:
                say(access.link)
                say("Open this link; it works once. Ctrl-C ends it.")
            flush()
            ended.wait()
    return Exit.DONE


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a port, from 0 to 65535")
    return int(text)


def _library() -> ModuleType:
    try:
        return import_module("hermes_checkpoints.cli.admin.pages")
    except ImportError as error:
        raise without_extra("admin", "datasette") from error


def _require_base(layout: Layout) -> None:
    from hermes_checkpoints.base.existing import base_exists

    if not base_exists(layout):
        raise BadRequest(
            f"there are no checkpoints at {layout.base}, so there is nothing to show; "
            f"`{PROGRAM} take` makes the first, and --home names another home"
        )


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone.

    Raises:
        BadRequest: when the port cannot be had.
    """
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had: {error.strerror}"
        raise BadRequest(f"port {port} {why}; leave --port out for one that is free") from error


class _Server:
    """Answers requests in a thread of its own, so that this one gets the signals."""

    def __init__(
        self,
        app: Any,
        listening: socket.socket,
        ended: threading.Event,
        stop: Callable[[], None],
    ) -> None:
        import uvicorn

        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_config=None,
                log_level="error",
                access_log=False,
                loop="asyncio",
                http="h11",
                ws="none",
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_LAST_SECONDS,
            )
        )
        self._listening, self._ended, self._stop = listening, ended, stop
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="admin")
        self._thread.start()

    def _serve(self) -> None:
        try:
            self._server.run(sockets=[self._listening])
        except BaseException as error:  # noqa: BLE001 - raised by `close`
            self._failure = error
        finally:
            self._ended.set()

    def close(self) -> None:
        """Let it end with what it is doing, and wait for that.

        Raises:
            CheckpointError: when it could not go on.
        """
        self._server.should_exit = True
        while self._thread.is_alive():
            self._stop()
            self._thread.join(_AGAIN_SECONDS)
        if self._failure is not None:
            raise CheckpointError(f"the pages cannot be served: {self._failure}")
