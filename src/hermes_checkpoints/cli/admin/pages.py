"""The pages of ``admin``: Datasette on the catalog, with what the package says of it.

Datasette asks through connections of the package, which can only read. One is kept while the
catalog is as it was, so that a catalog that was replaced is noticed. Nothing else says how
Datasette behaves: no plugin that happens to be installed, no file, no variable.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hermes_checkpoints.catalog.copying import stamp
from hermes_checkpoints.catalog.table_comments import HIDDEN
from hermes_checkpoints.catalog.views.comments import plain
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.cli.admin import cells
from hermes_checkpoints.cli.admin.access import App
from hermes_checkpoints.cli.admin.library import BadRequest as BadValue
from hermes_checkpoints.cli.admin.library import Database, Datasette, pm, sqlite3
from hermes_checkpoints.cli.admin.plain import readable
from hermes_checkpoints.errors import BadRequest, QueryRefused
from hermes_checkpoints.model import Question, Relation

pm.unregister(name="datasette.handle_exception")  # it prints each wrong address
pm.register(cells)

NAME = "catalog"
"""What the catalog is called in the addresses of pages."""

_TEMPLATES = Path(__file__).with_name("templates")
_SETTINGS = {
    "allow_download": False,  # it would open and close the file, which drops the locks on it
    "default_cache_ttl": 0,
    "facet_time_limit_ms": 1_000,
    "sql_time_limit_ms": 10_000,  # views judge every checkpoint
    "suggest_facets": False,  # each suggestion asks a view once more
}
_LABELS = {"projects": "workdir", "checkpoints": "commit_id", "legacy_archives": "name"}
"""The column by which a row is named where another one refers to it."""
_ABOUT = "Times are UTC, sizes bytes. Nothing can be changed here."


class Pages:
    """The application ``app`` that shows the catalog of some checkpoints, whose file is at
    ``path``, below the path ``root`` of a server. It is closed before the checkpoints are."""

    def __init__(self, checkpoints: Checkpoints, path: Path, root: str) -> None:
        questions = checkpoints.questions()
        self._datasette = Datasette(
            metadata=_metadata(checkpoints.relations(), questions),
            settings={**_SETTINGS, "base_url": root},
            template_dir=str(_TEMPLATES),
        )
        self._datasette.remove_database("_memory")
        self._catalog = _Catalog(self._datasette, checkpoints, path, questions)
        self._datasette.add_database(self._catalog, name=NAME)
        self.app: App = readable(self._datasette.app())

    def stop(self) -> None:
        """Give up what is being asked; nothing is asked any more."""
        self._catalog.stop()

    def close(self) -> None:
        """Let go of the catalog."""
        self.stop()
        self._datasette.executor.shutdown(cancel_futures=True)
        self._catalog.close()


class _Kept(threading.local):
    """The connection of a thread, and what the catalog was when it was made."""

    stamp: object = None
    connection: Any = None


class _Catalog(Database):  # type: ignore[misc]
    """The catalog as Datasette asks it."""

    def __init__(
        self,
        datasette: Datasette,
        checkpoints: Checkpoints,
        path: Path,
        questions: tuple[Question, ...],
    ) -> None:
        super().__init__(datasette, path=str(path))
        self._checkpoints = checkpoints
        self._questions = {one.query: one for one in questions}
        self._stopped = False
        self._kept = _Kept()
        self._open: dict[Any, Callable[[], None]] = {}

    def connect(self, write: bool = False) -> Any:  # noqa: ARG002 - Datasette's own
        """Refuse a connection that is not made as below."""
        raise QueryRefused("the catalog is only read here")

    async def execute_fn(self, fn: Callable[[Any], Any]) -> Any:
        """Run a function on a connection that can only read."""
        return await asyncio.get_running_loop().run_in_executor(
            self.ds.executor, lambda: fn(self._connection())
        )

    def _connection(self) -> Any:
        """Return the connection of this thread: a new one where the catalog has changed, which may
        be another file by now."""
        if self._stopped:
            raise QueryRefused("`admin` ends, and the catalog is not shown any more")
        now = stamp(Path(self.path))
        if self._kept.stamp != now:
            self._let_go(self._kept.connection)
            stack = ExitStack()
            connection = stack.enter_context(self._checkpoints.connection())
            connection.row_factory = sqlite3.Row
            connection.text_factory = _text
            self._open[connection] = stack.close
            self._kept.connection, self._kept.stamp = connection, now
        return self._kept.connection

    def _let_go(self, connection: Any) -> None:
        self._kept.stamp = None
        self._open.pop(connection, lambda: None)()

    def stop(self) -> None:
        """End the queries that run, and refuse others."""
        self._stopped = True
        for connection in list(self._open):
            connection.interrupt()

    def close(self) -> None:
        """Close all connections."""
        for connection in list(self._open):
            self._let_go(connection)

    async def execute(self, sql: str, params: Any = None, **options: Any) -> Any:
        """Run a query. A question of the package is given only what fits it."""
        question = self._questions.get(sql)
        if question is not None:
            try:
                for one in question.parameters:
                    one.require_fit(params.get(one.name) or "")
            except BadRequest as error:
                raise BadValue(str(error)) from error
        return await super().execute(sql, params, **{**options, "log_sql_errors": False})


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _metadata(
    relations: tuple[Relation, ...], questions: tuple[Question, ...]
) -> Mapping[str, object]:
    """Return what Datasette shows beside the rows."""
    return {
        "title": "Checkpoints",
        "description": _ABOUT,
        "databases": {
            NAME: {
                "title": "The catalog of the checkpoints",
                "description": f"Begin with the questions or the views. {_ABOUT}",
                "tables": {
                    **{name: {"hidden": True} for name in HIDDEN},
                    **{one.name: _of_relation(one) for one in relations},
                },
                "queries": {one.name: _of_question(one) for one in questions},
            }
        },
    }


def _of_relation(relation: Relation) -> Mapping[str, object]:
    found: dict[str, object] = {
        "description": relation.about,
        "columns": {column.name: column.about for column in relation.columns if column.about},
        "hidden": relation.name in HIDDEN,
    }
    if relation.name in _LABELS:
        found["label_column"] = _LABELS[relation.name]
    if relation.kind == "table" and "id" in [column.name for column in relation.columns]:
        found["sort_desc"] = "id"  # newest first
    return found


def _of_question(question: Question) -> Mapping[str, object]:
    given = [
        f"{one.name}: {one.about}{'; it is needed' if one.needed else ''}."
        for one in question.parameters
    ]
    return {
        "title": question.asks,
        "description": " ".join(filter(None, (plain(question.about), *map(plain, given)))),
        "sql": question.query,
        "params": [one.name for one in question.parameters],
        "hide_sql": True,
    }
