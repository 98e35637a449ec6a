"""The arithmetic of docs/scale.md: from what was measured on one small machine, and from what is
assumed, to a million projects. Every figure of the page is either in the file of a run, or follows
from it here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from benchmarks.contestants import BenchmarkError
from benchmarks.report import with_blocks

_UNITS = ("B", "KB", "MB", "GB", "TB", "PB", "EB")
_DAY = 86_400
_MONTH = 30
_GB = 1e9


def _one(default: float, meaning: str) -> float:
    found: float = field(default=default, metadata={"meaning": meaning})
    return found


@dataclass(frozen=True)
class Assumed:
    """What nobody has measured; each can be another number for another reader."""

    projects: float = _one(1e6, "projects that send")
    checkpoints: float = _one(1e9, "checkpoints that the servers hold")
    machines: float = _one(1e5, "machines that these projects are on")
    keep_days: float = _one(30, "days that a checkpoint is kept there (`keep_days`)")
    peak: float = _one(4, "pushes in the busiest hour, over those of a mean one")
    pulls: float = _one(0.1, "pulls of one project, for each push")
    larger: float = _one(
        4, "bytes of a real checkpoint over those of the measured tree, whose few words pack well"
    )
    index_row: float = _one(
        390, "bytes of the fleet index for each checkpoint, as [fleet.md](fleet.md) has it"
    )
    most_index: float = _one(1e10, "bytes of a part of that index which one can still rebuild")
    disk_price: float = _one(0.10, "a GB of disk for a month, with its backup")
    server_price: float = _one(60, "a server of the kind that was measured, for a month")
    traffic_price: float = _one(0.05, "a GB that leaves the servers")

    @classmethod
    def of(cls, given: Iterable[str]) -> Assumed:
        """Return the assumptions with some that a reader gives, as ``disk_price=0.02``.

        Raises:
            BenchmarkError: for what is none.
        """
        names = [one.name for one in fields(cls)]
        values: dict[str, float] = {}
        for one in given:
            name, _, text = one.partition("=")
            try:
                values[name] = float(text)
            except ValueError:
                values[name] = math.nan
            if name not in names or not (values[name] > 0 and math.isfinite(values[name])):
                raise BenchmarkError(
                    f"--assume {one}: give NAME=NUMBER over 0; there are {', '.join(names)}"
                )
        return cls(**values)


@dataclass(frozen=True)
class Measured:
    """What the paper takes from a run: bytes of the advertisement for each ref, bytes that a first
    and a later checkpoint of a project send, bytes that a pull of one project receives, and how
    many pushes a second get through where few push at once."""

    ref_bytes: float
    first: float
    later: float
    pulled: float
    per_second: float

    @classmethod
    def of(cls, document: dict[str, Any]) -> Measured:
        """Return that of the file of a run.

        Raises:
            BenchmarkError: where a part was not measured.
        """
        lacking = [part for part in ("refs", "machines", "crowd") if part not in document]
        if lacking:
            raise BenchmarkError(f"the file lacks {', '.join(lacking)}; run `fleet` without --only")
        alone, most = document["refs"][0], document["refs"][-1]
        if not most["refs"]:
            raise BenchmarkError("the file has no remote with refs")
        return cls(
            most["advertised"] / most["refs"],
            alone["first"]["sent"],
            alone["incremental"]["sent"],
            alone["pull_project"]["received"],
            document["crowd"][0]["per_second"],
        )


@dataclass(frozen=True)
class Paper:
    """What follows for so many projects and checkpoints."""

    measured: Measured
    assumed: Assumed

    @property
    def pushes_per_second(self) -> float:
        """In the mean: each checkpoint by a push of its own, and as many as expire."""
        return self.assumed.checkpoints / self.assumed.keep_days / _DAY

    @property
    def busiest(self) -> float:
        return self.pushes_per_second * self.assumed.peak

    @property
    def servers(self) -> int:
        return math.ceil(self.busiest / self.measured.per_second)

    @property
    def stored(self) -> float:
        """Bytes: a whole first checkpoint of each project, and what each later one adds."""
        assumed, measured = self.assumed, self.measured
        later = max(0.0, assumed.checkpoints - assumed.projects)
        return assumed.larger * (assumed.projects * measured.first + later * measured.later)

    @property
    def indexed(self) -> float:
        return self.assumed.checkpoints * self.assumed.index_row

    @property
    def index_parts(self) -> int:
        return math.ceil(self.indexed / self.assumed.most_index)

    def refs(self, repositories: float) -> float:
        """Return how many refs a repository has, where there are so many: checkpoints, cursors."""
        return (self.assumed.checkpoints + self.assumed.projects) / repositories

    def told(self, repositories: float) -> float:
        """Return the bytes of refs that a push is told."""
        return self.refs(repositories) * self.measured.ref_bytes

    def leaving(self, repositories: float) -> float:
        """Return the bytes that leave the servers in a month."""
        pushes = self.pushes_per_second * _DAY * _MONTH
        pulls = pushes * self.assumed.pulls
        return pushes * self.told(repositories) + pulls * self.measured.pulled

    def costs(self) -> list[tuple[str, str, float]]:
        """Return what a month costs, where each project has a repository: what for, how it is
        found, how much."""
        assumed = self.assumed
        return [
            ("disk", "stored × disk_price", self.stored / _GB * assumed.disk_price),
            ("servers", "servers × server_price", self.servers * assumed.server_price),
            ("index", "indexed × disk_price", self.indexed / _GB * assumed.disk_price),
            (
                "traffic",
                "leaving × traffic_price",
                self.leaving(assumed.projects) / _GB * assumed.traffic_price,
            ),
        ]


def fill_page(source: Path, page: Path, assumed: Assumed) -> None:
    """Write the figures of a run, and what follows from them, between the markers of a page.

    Raises:
        BenchmarkError, OSError, ValueError: when a file cannot be read or has other contents.
    """
    document = json.loads(source.read_text(encoding="utf-8"))
    text = filled(document, page.read_text(encoding="utf-8"), assumed)
    page.write_text(text, encoding="utf-8")


def filled(document: dict[str, Any], text: str, assumed: Assumed) -> str:
    """Return the text of a page with figures between its markers.

    Raises:
        BenchmarkError: where they cannot be found.
    """
    paper = Paper(Measured.of(document), assumed)
    blocks = {
        "run": _run(document),
        "wire": _wire(document["refs"]),
        "pulls": _pulls(document["refs"]),
        "server": _server(document["refs"]),
        "machines": _machines(document["machines"]),
        "crowd": _crowd(document["crowd"]),
        "assumed": _assumed(assumed),
        "index": _index(document["refs"], paper),
        "shards": _shards(paper),
        "follows": _follows(paper),
        "cost": _cost(paper),
    }
    return with_blocks(text, blocks)


# --- what was measured --------------------------------------------------------------------------


def _run(document: dict[str, Any]) -> str:
    kind = "A tiny run, which says nothing but that it works" if document["small"] else "A full run"
    told = []
    for run in {json.dumps(one): one for one in document["runs"].values()}.values():
        parts = [part for part, one in document["runs"].items() if one == run]
        told.append(
            f"{kind} of {', '.join(f'`{part}`' for part in parts)} on {run['on']}: "
            f"{run['system']}, {run['processors']} processors, Python {run['python']}, "
            f"git {run['git']}, SQLite {run['sqlite']}; load of the machine "
            f"between {_loads(document, parts)}."
        )
    return "\n\n".join(told)


def _loads(document: dict[str, Any], parts: Iterable[str]) -> str:
    found = [document[part] for part in parts]
    loads = [one["load"] for part in found for one in (part if isinstance(part, list) else [part])]
    return f"{min(loads)} and {max(loads)}"


def _wire(found: Sequence[dict[str, Any]]) -> str:
    rows = [
        (
            f"{one['refs']:,}",
            size(one["advertised"]),
            size(one["first"]["sent"]),
            size(one["incremental"]["sent"]),
            size(one["incremental"]["received"]),
            f"{one['incremental']['seconds']:.2f} s",
        )
        for one in found
    ]
    head = (
        "refs of others",
        "told of refs",
        "first push sends",
        "a later push sends",
        "and receives",
        "and takes",
    )
    return table(head, rows)


def _pulls(found: Sequence[dict[str, Any]]) -> str:
    rows = [
        (
            f"{one['refs']:,}",
            f"{one['refs'] - one['checkpoints']:,}",
            size(one["pull_project"]["received"]),
            f"{one['pull_project']['seconds']:.2f} s",
            size(one["pull_project_again"]["received"]),
            size(one["pull_all"]["received"]),
            size(one["pull_all"]["sent"]),
            f"{one['pull_all']['seconds']:.2f} s",
        )
        for one in found
    ]
    head = (
        "refs of others",
        "of them cursors",
        "one project receives",
        "takes",
        "again",
        "everything receives",
        "sends",
        "takes",
    )
    return table(head, rows)


def _server(found: Sequence[dict[str, Any]]) -> str:
    rows = [
        (
            f"{one['refs']:,}",
            f"{one['gc_seconds']:.2f} s",
            size(one["kept_after_gc"]),
            f"{one['listed']:,}",
            size(one["listed_bytes"]),
        )
        for one in found
    ]
    head = (
        "refs of others",
        "`git gc` there",
        "objects after it",
        "rows of `remote_checkpoints`",
        "bytes of them here",
    )
    return table(head, rows)


def _machines(one: dict[str, Any]) -> str:
    first, later = one["gc_seconds"]
    rows = [
        ("machines", f"{one['machines']:,}"),
        ("projects, all in one repository", f"{one['projects']:,}"),
        ("checkpoints that they have sent", f"{one['checkpoints']:,}"),
        ("refs there", f"{one['refs']:,}"),
        (f"a first checkpoint ({one['files']} files) adds", size(one["first_bytes"])),
        ("the same after `git gc`", size(one["first_bytes_after_gc"])),
        ("a later one (one file) adds", size(one["later_bytes"])),
        ("the same after `git gc`", size(one["later_bytes_after_gc"])),
        ("`git gc` after the first ones, after all", f"{first:.1f} s, {later:.1f} s"),
        ("`git fsck`", "nothing to tell" if one["whole"] else "DAMAGED"),
    ]
    return table(("what", "figure"), rows)


def _crowd(found: Sequence[dict[str, Any]]) -> str:
    rows = [
        (
            f"{one['pushers']:,}",
            f"{one['pushes']:,}",
            f"{one['failures']:,}",
            f"{one['per_second']:.1f}",
            f"{one['median_seconds']:.2f} s",
            f"{one['p99_seconds']:.2f} s",
            "yes" if one["whole"] else "NO",
        )
        for one in found
    ]
    head = (
        "pushers at once",
        "pushes",
        "failures",
        "a second",
        "median",
        "p99",
        "all there, whole",
    )
    return table(head, rows)


# --- what follows -------------------------------------------------------------------------------


def _assumed(assumed: Assumed) -> str:
    rows = [
        (f"`{one.name}`", _number(getattr(assumed, one.name)), one.metadata["meaning"])
        for one in fields(assumed)
    ]
    return table(("name", "value", "meaning"), rows, right=(1,))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:g}"


def _index(found: Sequence[dict[str, Any]], paper: Paper) -> str:
    row = found[-1]["listed_bytes"] / found[-1]["listed"]
    return (
        f"A row of the list that a pull makes (`remote_checkpoints`, in SQLite) takes {row:,.0f} B "
        "here. A checkpoint in the fleet index, in PostgreSQL, takes "
        f"{_number(paper.assumed.index_row)} B: "
        "[fleet.md](fleet.md#what-it-costs-and-how-it-grows) has that figure, which no command of "
        "this page measures."
    )


def _shards(paper: Paper) -> str:
    assumed = paper.assumed
    rows = []
    for name, repositories in (
        ("one for all", 1.0),
        ("`{machine}`", assumed.machines),
        ("`{project}`", assumed.projects),
    ):
        told = paper.told(repositories)
        leaving = paper.leaving(repositories)
        refs = f"{paper.refs(repositories):,.0f}"
        rows.append((name, f"{repositories:,.0f}", refs, size(told), size(leaving)))
    head = ("shard", "repositories", "refs of each", "told per push", "leaves in a month")
    return table(head, rows)


def _follows(paper: Paper) -> str:
    rows = [
        ("pushes a second, mean", "checkpoints / keep_days", f"{paper.pushes_per_second:,.0f}"),
        ("in the busiest hour", "× peak", f"{paper.busiest:,.0f}"),
        ("servers", "/ pushes a second of the fewer pushers", f"{paper.servers:,}"),
        (
            "stored",
            "larger × (projects × first push + (checkpoints - projects) × later push)",
            size(paper.stored),
        ),
        ("indexed", "checkpoints × index_row", size(paper.indexed)),
        ("parts of the index", "indexed / most_index", f"{paper.index_parts:,}"),
        (
            "leaving in a month, by `{project}`",
            "pushes × told + pushes × pulls × one project",
            size(paper.leaving(paper.assumed.projects)),
        ),
    ]
    return table(("what", "how", "figure"), rows, right=(2,))


def _cost(paper: Paper) -> str:
    rows = [(what, how, f"{amount:,.0f}") for what, how, amount in paper.costs()]
    total = sum(amount for _, _, amount in paper.costs())
    rows += [
        ("all of it", "", f"{total:,.0f}"),
        ("a project", "/ projects", f"{total / paper.assumed.projects:.3f}"),
    ]
    return table(("a month of", "formula", "amount"), rows, right=(2,))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] | None = None
) -> str:
    """Return a table of a page; all columns but the first are of numbers, unless ``right`` names
    those that are."""
    numbers = range(1, len(head)) if right is None else right
    marks = ["--:" if column in numbers else "---" for column in range(len(head))]
    return "\n".join(
        [f"| {' | '.join(head)} |", f"|{'|'.join(marks)}|", *(f"| {' | '.join(r)} |" for r in rows)]
    )


def size(count: float) -> str:
    """Return bytes in a unit of thousands, with three digits.

    >>> size(114), size(1_140_000), size(9.87e14)
    ('114 B', '1.14 MB', '987 TB')
    """
    number, power = float(count), 0
    while number >= 999.5 and power < len(_UNITS) - 1:
        number, power = number / 1000, power + 1
    digits = 0 if power == 0 or number >= 99.95 else 1 if number >= 9.995 else 2
    return f"{number:,.{digits}f} {_UNITS[power]}"
